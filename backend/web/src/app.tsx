import { Button, Center, MantineProvider, MantineThemeProvider, Stack, Text, Title } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { queryClient } from './api/query-client';
import { sessionQuery } from './auth/session-api';
import { guardNavigation } from './drafts/leave-guard';
import { LanguageProvider, useI18n } from './i18n/i18n';
import { BoardPage } from './orders/board/board-page';
import { Shell } from './shell/shell';
import { cssVariables, theme } from './theme';
import { ErrorBoundary } from './ui/error-boundary';
import { lazyPart } from './ui/lazy-part';
import { Page } from './ui/page';

/** The board is part of the first bundle; every other page is loaded on demand. */
const SignIn = lazyPart('sign-in', async () => (await import('./auth/sign-in')).SignIn);
const SignUp = lazyPart('sign-up', async () => (await import('./auth/sign-up')).SignUp);
const Setup = lazyPart('setup', async () => (await import('./auth/setup')).Setup);
const OpenSimulation = lazyPart('open-simulation', async () => (await import('./auth/open-simulation')).OpenSimulation);
const NoAccount = lazyPart('no-account', async () => (await import('./auth/no-account')).NoAccount);
const DashboardPage = lazyPart('dashboard', async () => (await import('./dashboard/dashboard-page')).DashboardPage);
const OrdersPage = lazyPart('orders', async () => (await import('./orders/list/orders-page')).OrdersPage);
const LabelsPage = lazyPart('labels', async () => (await import('./labels/labels-page')).LabelsPage);
const StockPage = lazyPart('stock', async () => (await import('./stock/stock-page')).StockPage);
const PrintersPage = lazyPart('printers', async () => (await import('./printers/printers-page')).PrintersPage);
const InvoicesPage = lazyPart('invoices', async () => (await import('./invoices/invoices-page')).InvoicesPage);
const AutomationPage = lazyPart(
  'automation',
  async () => (await import('./automation/automation-page')).AutomationPage,
);
const RequestsPage = lazyPart('requests', async () => (await import('./requests/requests-page')).RequestsPage);
const ProfilePage = lazyPart('profile', async () => (await import('./profile/profile-page')).ProfilePage);
const AccountPage = lazyPart('account', async () => (await import('./account/account-page')).AccountPage);

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      // mantine.css doesn't contain the CSS variables, so they are generated here
      deduplicateCssVariables={false}
      defaultColorScheme="auto"
    >
      <LanguageProvider>
        <ErrorBoundary>
          <QueryClientProvider client={queryClient}>
            <Named>
              <Notifications position="bottom-right" />
              <Router base="/console" aroundNav={guardNavigation}>
                <Pages />
              </Router>
            </Named>
          </QueryClientProvider>
        </ErrorBoundary>
      </LanguageProvider>
    </MantineProvider>
  );
}

/** Adds the accessible label that Mantine leaves out of the close button of notifications. */
function Named({ children }: { children: ReactNode }) {
  const { messages } = useI18n();
  const named = useMemo(() => {
    const closeButtonProps = { 'aria-label': messages.order.close };
    return { components: { Notification: { defaultProps: { closeButtonProps } } } };
  }, [messages]);
  return <MantineThemeProvider theme={named}>{children}</MantineThemeProvider>;
}

function Pages() {
  const { messages } = useI18n();
  const { data: session, failureReason, refetch } = useQuery({ ...sessionQuery, retry: true });
  const isWaiting = !session && !failureReason;
  // index.html contains a static outline, which stays visible until there is something to show
  useEffect(() => {
    if (!isWaiting) document.getElementById('sketch')?.remove();
  }, [isWaiting]);
  if (isWaiting) return null;
  // once a page is shown, an unreachable server must not replace it with an error
  if (!session) {
    return (
      <Center h="100%">
        <Stack align="center">
          <Title order={1} size="h3">
            {messages.error.title}
          </Title>
          <Text>{messages.problem('unreachable', '')}</Text>
          <Button onClick={() => refetch()}>{messages.error.retry}</Button>
        </Stack>
      </Center>
    );
  }
  const { person, needs_setup, sign_up } = session;
  return (
    <Switch>
      <Route path="/setup">{person ? <Redirect to="/" replace /> : <Setup isUsed={!needs_setup} />}</Route>
      <Route path="/sign-up">{person ? <Redirect to="/" replace /> : <SignUp isOpen={sign_up} />}</Route>
      <Route path="/simulation" component={OpenSimulation} />
      {person ? (
        <Route>
          <Shell person={person}>
            <Switch>
              <Route path="/" component={BoardPage} />
              <Route path="/orders" component={OrdersPage} />
              <Route path="/labels" component={LabelsPage} />
              <Route path="/stock/*?" component={StockPage} />
              <Route path="/printers/*?" component={PrintersPage} />
              <Route path="/invoices/*?" component={InvoicesPage} />
              <Route path="/automation/*?" component={AutomationPage} />
              <Route path="/dashboard" component={DashboardPage} />
              <Route path="/requests/*?" component={RequestsPage} />
              <Route path="/profile" component={ProfilePage} />
              <Route path="/account" component={AccountPage} />
              <Route>
                <Page title={messages.error.notFound} />
              </Route>
            </Switch>
          </Shell>
        </Route>
      ) : (
        <Route>{needs_setup ? <NoAccount /> : <SignIn canSignUp={sign_up} />}</Route>
      )}
    </Switch>
  );
}
