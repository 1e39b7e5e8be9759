import { Button, Center, Loader, MantineProvider, MantineThemeProvider, Stack, Text, Title } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, type ReactNode, Suspense, useMemo } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { api } from './api';
import { BoardPage } from './board/board-page';
import { NoAccount } from './door/no-account';
import { SetUp } from './door/set-up';
import { SignIn } from './door/sign-in';
import { SignUp } from './door/sign-up';
import { ErrorBoundary } from './error-boundary';
import { LanguageProvider, useSpeech } from './language';
import { queryClient, SESSION } from './queries';
import { Shell } from './shell';
import { cssVariables, theme } from './theme';

/** The board is what opens first; every other page is loaded when it is asked for. */
const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async () => ({ default: (await load())[name] }));

const DashboardPage = page(() => import('./dashboard/dashboard-page'), 'DashboardPage');
const OrdersPage = page(() => import('./orders/orders-page'), 'OrdersPage');
const LabelsPage = page(() => import('./labels/labels-page'), 'LabelsPage');
const StockPage = page(() => import('./stock/stock-page'), 'StockPage');
const PrintersPage = page(() => import('./printers/printers-page'), 'PrintersPage');
const InvoicesPage = page(() => import('./invoices/invoices-page'), 'InvoicesPage');
const AutomationPage = page(() => import('./automation/automation-page'), 'AutomationPage');
const RequestsPage = page(() => import('./requests/requests-page'), 'RequestsPage');
const ProfilePage = page(() => import('./profile/profile-page'), 'ProfilePage');
const AccountPage = page(() => import('./account/account-page'), 'AccountPage');

export function App() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <LanguageProvider>
        <ErrorBoundary>
          <QueryClientProvider client={queryClient}>
            <Named>
              <Notifications position="bottom-right" />
              <Router base="/console">
                <Pages />
              </Router>
            </Named>
          </QueryClientProvider>
        </ErrorBoundary>
      </LanguageProvider>
    </MantineProvider>
  );
}

/** Names what Mantine leaves without a name: the sign that closes a notice. */
function Named({ children }: { children: ReactNode }) {
  const { words } = useSpeech();
  const named = useMemo(() => {
    const closeButtonProps = { 'aria-label': words.order.close };
    return { components: { Notification: { defaultProps: { closeButtonProps } } } };
  }, [words]);
  return <MantineThemeProvider theme={named}>{children}</MantineThemeProvider>;
}

const Waiting = () => (
  <Center h="100%">
    <Loader />
  </Center>
);

function Pages() {
  const { words } = useSpeech();
  const {
    data: session,
    error,
    refetch,
  } = useQuery({ queryKey: SESSION, queryFn: ({ signal }) => api.session(signal) });
  // while a page is shown, a service that is away is no reason to take the page from the reader
  if (!session && error) {
    return (
      <Center h="100%">
        <Stack align="center">
          <Title order={1} size="h3">
            {words.error.title}
          </Title>
          <Text>{words.problem('unreachable', '')}</Text>
          <Button onClick={() => refetch()}>{words.error.retry}</Button>
        </Stack>
      </Center>
    );
  }
  if (!session) return <Waiting />;
  const { person, needs_set_up, sign_up } = session;
  return (
    <Switch>
      <Route path="/set-up">{person ? <Redirect to="/" replace /> : <SetUp isUsed={!needs_set_up} />}</Route>
      <Route path="/sign-up">{person ? <Redirect to="/" replace /> : <SignUp isOpen={sign_up} />}</Route>
      {person ? (
        <Route>
          <Shell person={person}>
            <Suspense fallback={<Waiting />}>
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
                  <Center h="100%">{words.error.notFound}</Center>
                </Route>
              </Switch>
            </Suspense>
          </Shell>
        </Route>
      ) : (
        <Route>{needs_set_up ? <NoAccount /> : <SignIn canSignUp={sign_up} />}</Route>
      )}
    </Switch>
  );
}
