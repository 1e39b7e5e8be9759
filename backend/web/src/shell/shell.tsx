import {
  Alert,
  AppShell,
  Box,
  Button,
  Group,
  Popover,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import { get, type List, type Schemas, type Session } from '../api/client';
import { forgetAccount, queryClient, SESSION } from '../api/query-client';
import { newVersionQuery } from '../api/version';
import { PasswordPrompt } from '../auth/password-prompt';
import { sessionApi } from '../auth/session-api';
import { isSimulated } from '../auth/simulation-api';
import { clearDrafts } from '../drafts/draft-store';
import { LeaveGuard, leave } from '../drafts/leave-guard';
import { useI18n } from '../i18n/i18n';
import type { Messages } from '../i18n/messages';
import { ScanButton } from '../scan/scan-button';
import { ErrorBoundary } from '../ui/error-boundary';
import {
  IconBolt,
  IconChartBar,
  IconChevronDown,
  IconDots,
  IconId,
  IconInbox,
  IconKeyboard,
  IconLayoutKanban,
  IconList,
  IconLogout,
  IconPrinter,
  IconReceipt,
  IconSpiral,
  IconUserCog,
} from '../ui/icons.tsx';
import { lazyPart, NewVersion } from '../ui/lazy-part';
import { Logo } from '../ui/logo';
import { LanguageChoice, ThemeChoice } from '../ui/preferences';
import { useLiveUpdates } from './live-updates';
import classes from './shell.module.css';
import { Shortcuts } from './shortcuts';

/** Few accounts are simulated. */
const SimulationBanner = lazyPart(
  'simulation-banner',
  async () => (await import('./simulation-banner')).SimulationBanner,
  { waiting: null, Failure: () => null },
);

/** Rarely needed: on wide screens it is in the account menu. */
const PROFILE = { path: '/profile', name: 'profile', Icon: IconId } as const;

/** In navigation order. A phone shows the first ones and the rest under "More". */
const PAGES: {
  path: string;
  name: Exclude<keyof Messages['nav'], 'main' | 'more' | 'low' | 'skip'>;
  Icon: typeof IconLayoutKanban;
}[] = [
  { path: '/', name: 'board', Icon: IconLayoutKanban },
  { path: '/orders', name: 'orders', Icon: IconList },
  { path: '/requests', name: 'requests', Icon: IconInbox },
  { path: '/stock', name: 'stock', Icon: IconSpiral },
  { path: '/printers', name: 'printers', Icon: IconPrinter },
  { path: '/invoices', name: 'invoices', Icon: IconReceipt },
  { path: '/automation', name: 'automation', Icon: IconBolt },
  { path: '/dashboard', name: 'dashboard', Icon: IconChartBar },
  PROFILE,
];

/** Number of entries that fit next to "More" on a phone. */
const ON_PHONE = 4;

type Person = NonNullable<Session['person']>;

/** Header and navigation around every page of a signed-in owner. */
export function Shell({ person, children }: { person: Person; children: ReactNode }) {
  const { messages } = useI18n();
  const isLive = useLiveUpdates();
  const [here] = useLocation();
  const [areShortcutsOpen, { open, close }] = useDisclosure(false);
  const { data: hasNewVersion } = useQuery(newVersionQuery);
  return (
    <AppShell header={{ height: 48 }} footer={{ height: { base: 56, sm: 0 } }}>
      <a href="#page" className={classes.skip}>
        {messages.nav.skip}
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap">
          <Logo />
          <Text fw={700} className={classes.name}>
            Farmboard
          </Text>
          <Box visibleFrom="sm">
            <Navigation />
          </Box>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <ScanButton />
          <UserMenu person={person} showShortcuts={open} />
        </Group>
      </AppShell.Header>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        {!isLive && (
          <Alert color="yellow" py={6} radius={0} role="status">
            {messages.board.offline}
          </Alert>
        )}
        {hasNewVersion && <NewVersion />}
        {isSimulated(person) && <SimulationBanner />}
        <ErrorBoundary at={here}>{children}</ErrorBoundary>
      </AppShell.Main>
      {/* phones have the navigation at the bottom */}
      <AppShell.Footer hiddenFrom="sm" className={classes.footer}>
        <PhoneNavigation />
      </AppShell.Footer>
      <LeaveGuard />
      <PasswordPrompt />
      <Shortcuts opened={areShortcutsOpen} open={open} close={close} />
    </AppShell>
  );
}

function Navigation() {
  const { messages } = useI18n();
  return (
    <nav aria-label={messages.nav.main} className={classes.nav}>
      {PAGES.filter(({ path }) => path !== PROFILE.path).map((page) => (
        <NavLink key={page.path} {...page} />
      ))}
    </nav>
  );
}

/** Bottom navigation of phones; further pages are under "More". */
function PhoneNavigation() {
  const { messages } = useI18n();
  const [isOpen, setOpen] = useState(false);
  const [here] = useLocation();
  const others = PAGES.slice(ON_PHONE);
  const isAmongOthers = others.some(({ path }) => here === path || here.startsWith(`${path}/`));
  return (
    <nav aria-label={messages.nav.main} className={classes.nav}>
      {PAGES.slice(0, ON_PHONE).map((page) => (
        <NavLink key={page.path} {...page} />
      ))}
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="top-end"
        width={220}
        shadow="md"
        trapFocus
        returnFocus
        transitionProps={{ duration: 0 }}
      >
        <Popover.Target>
          <UnstyledButton
            className={classes.link}
            aria-current={isAmongOthers ? 'true' : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            <IconDots size={18} aria-hidden />
            <span>{messages.nav.more}</span>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown aria-label={messages.nav.more} className={classes.more}>
          {others.map((page) => (
            <NavLink key={page.path} {...page} onClick={() => setOpen(false)} />
          ))}
        </Popover.Dropdown>
      </Popover>
    </nav>
  );
}

/** Number of unanswered requests. */
function NewRequestsBadge() {
  const { data } = useQuery({
    queryKey: ['leads', 'counts'],
    queryFn: ({ signal }) => get<Schemas['LeadCounts']>('/lead-counts', signal),
  });
  return data && data.new > 0 ? <b className={classes.count}>{data.new}</b> : null;
}

/** Number of filaments with low stock. */
function LowStockBadge() {
  const { messages } = useI18n();
  const { data } = useQuery({
    queryKey: ['filaments', 'low'],
    queryFn: ({ signal }) => get<List<unknown>>('/filaments?low_stock=true&per_page=1', signal),
  });
  if (!data || data.total === 0) return null;
  return (
    <b className={`${classes.count} ${classes.low}`}>
      {data.total}
      <VisuallyHidden> {messages.nav.low}</VisuallyHidden>
    </b>
  );
}

/** Width at which the header shows icons only; keep in step with shell.module.css. */
const SIGNS_ONLY = '(min-width: 48em) and (max-width: 74em)';

function NavLink({ path, name, Icon, onClick }: (typeof PAGES)[number] & { onClick?: () => void }) {
  const { messages } = useI18n();
  const [isHere] = useRoute(path === '/' ? path : `${path}/*?`);
  const isSign = useMediaQuery(SIGNS_ONLY);
  return (
    <Tooltip label={messages.nav[name]} disabled={!isSign} openDelay={100}>
      <Link href={path} className={classes.link} aria-current={isHere ? 'page' : undefined} onClick={onClick}>
        <Icon size={18} aria-hidden />
        <span>{messages.nav[name]}</span>
        {name === 'requests' && <NewRequestsBadge />}
        {name === 'stock' && <LowStockBadge />}
      </Link>
    </Tooltip>
  );
}

async function signOut() {
  await sessionApi.signOut().catch(() => undefined);
  clearDrafts();
  forgetAccount();
  await queryClient.invalidateQueries({ queryKey: SESSION });
}

function UserMenu({ person, showShortcuts }: { person: Person; showShortcuts(): void }) {
  const { messages } = useI18n();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={260} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          fw={500}
          aria-label={`${messages.user.menu}: ${person.account_name}`}
          rightSection={<IconChevronDown size={16} aria-hidden />}
          className={classes.user}
          onClick={() => setOpen(!isOpen)}
        >
          <Text size="sm" truncate>
            {person.account_name}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={messages.user.menu}>
        <Stack gap="xs">
          <Text size="xs" c="dimmed" truncate>
            {person.email}
          </Text>
          <Text size="xs">{messages.user.language}</Text>
          <LanguageChoice />
          <Text size="xs">{messages.user.theme}</Text>
          <ThemeChoice />
          <Box component="hr" m={0} bd={0} h={1} bg="var(--mantine-color-default-border)" />
          <Button
            component={Link}
            href={PROFILE.path}
            variant="default"
            size="xs"
            leftSection={<PROFILE.Icon size={16} aria-hidden />}
          >
            {messages.nav.profile}
          </Button>
          <Button
            component={Link}
            href="/account"
            variant="default"
            size="xs"
            leftSection={<IconUserCog size={16} aria-hidden />}
          >
            {messages.nav.account}
          </Button>
          <Button
            variant="default"
            size="xs"
            visibleFrom="sm"
            leftSection={<IconKeyboard size={16} aria-hidden />}
            onClick={() => {
              setOpen(false);
              showShortcuts();
            }}
          >
            {messages.shortcuts.title}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconLogout size={16} aria-hidden />}
            onClick={() => leave(signOut)}
          >
            {messages.user.signOut}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
