import { Alert, AppShell, Box, Button, Divider, Group, Popover, Stack, Text } from '@mantine/core';
import {
  IconBolt,
  IconChartBar,
  IconChevronDown,
  IconLayoutKanban,
  IconList,
  IconLogout,
  IconPrinter,
  IconSpiral,
  IconUserCog,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { api, type Session } from './api';
import { useLive } from './board/live';
import { useSpeech } from './language';
import { Logo } from './logo';
import { LanguageChoice, ThemeChoice } from './preferences';
import { queryClient, SESSION } from './queries';
import { ScanButton } from './scan/scan-button';
import classes from './shell.module.css';
import type { Words } from './words';

const PAGES: { path: string; name: Exclude<keyof Words['nav'], 'main'>; Icon: typeof IconLayoutKanban }[] = [
  { path: '/', name: 'board', Icon: IconLayoutKanban },
  { path: '/orders', name: 'orders', Icon: IconList },
  { path: '/stock', name: 'stock', Icon: IconSpiral },
  { path: '/printers', name: 'printers', Icon: IconPrinter },
  { path: '/automation', name: 'automation', Icon: IconBolt },
  { path: '/dashboard', name: 'dashboard', Icon: IconChartBar },
];

type Person = NonNullable<Session['person']>;

/** What surrounds every page of a signed-in owner. */
export function Shell({ person, children }: { person: Person; children: ReactNode }) {
  const { words } = useSpeech();
  const isLive = useLive();
  return (
    <AppShell header={{ height: 48 }} footer={{ height: { base: 56, sm: 0 } }}>
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
          <UserMenu person={person} />
        </Group>
      </AppShell.Header>
      <AppShell.Main className={classes.main}>
        {!isLive && (
          <Alert color="yellow" py={6} radius={0} role="status">
            {words.board.offline}
          </Alert>
        )}
        {children}
      </AppShell.Main>
      {/* on a phone the pages are where the thumb is */}
      <AppShell.Footer hiddenFrom="sm" className={classes.footer}>
        <Navigation />
      </AppShell.Footer>
    </AppShell>
  );
}

function Navigation() {
  const { words } = useSpeech();
  return (
    <nav aria-label={words.nav.main} className={classes.nav}>
      {PAGES.map((page) => (
        <NavLink key={page.path} {...page} />
      ))}
    </nav>
  );
}

function NavLink({ path, name, Icon }: (typeof PAGES)[number]) {
  const { words } = useSpeech();
  const [isHere] = useRoute(path === '/' ? path : `${path}/*?`);
  return (
    <Link href={path} className={classes.link} aria-current={isHere ? 'page' : undefined}>
      <Icon size={18} aria-hidden />
      <span>{words.nav[name]}</span>
    </Link>
  );
}

async function signOut() {
  await api.signOut().catch(() => undefined);
  // nothing of this account stays behind for the next who signs in
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
  await queryClient.invalidateQueries({ queryKey: SESSION });
}

function UserMenu({ person }: { person: Person }) {
  const { words } = useSpeech();
  return (
    <Popover position="bottom-end" width={260} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          fw={500}
          aria-label={`${words.user.menu}: ${person.account_name}`}
          rightSection={<IconChevronDown size={16} aria-hidden />}
          className={classes.user}
        >
          <Text size="sm" truncate>
            {person.account_name}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.user.menu}>
        <Stack gap="xs">
          <Text size="xs" c="dimmed" truncate>
            {person.email}
          </Text>
          <Text size="xs">{words.user.language}</Text>
          <LanguageChoice />
          <Text size="xs">{words.user.theme}</Text>
          <ThemeChoice />
          <Divider />
          <Button
            component={Link}
            href="/account"
            variant="default"
            size="xs"
            leftSection={<IconUserCog size={16} aria-hidden />}
          >
            {words.nav.account}
          </Button>
          <Button variant="default" size="xs" leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
            {words.user.signOut}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
