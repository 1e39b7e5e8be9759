import { AppShell, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconLayoutKanban, IconLogout } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { api, type Session } from './api';
import { useSpeech } from './language';
import { Logo } from './logo';
import { LanguageChoice, ThemeChoice } from './preferences';
import { queryClient, SESSION } from './queries';
import classes from './shell.module.css';
import type { Words } from './words';

const PAGES: { path: string; name: keyof Words['nav']; Icon: typeof IconLayoutKanban }[] = [
  { path: '/', name: 'board', Icon: IconLayoutKanban },
];

type Person = NonNullable<Session['person']>;

/** What surrounds every page of a signed-in owner. */
export function Shell({ person, children }: { person: Person; children: ReactNode }) {
  const { words } = useSpeech();
  return (
    <AppShell header={{ height: 48 }}>
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap">
          <Logo />
          <Text fw={700} visibleFrom="xs">
            Farmboard
          </Text>
          <nav aria-label={words.nav.main} className={classes.nav}>
            {PAGES.map((page) => (
              <NavLink key={page.path} {...page} />
            ))}
          </nav>
        </Group>
        <UserMenu person={person} />
      </AppShell.Header>
      <AppShell.Main className={classes.main}>{children}</AppShell.Main>
    </AppShell>
  );
}

function NavLink({ path, name, Icon }: (typeof PAGES)[number]) {
  const { words } = useSpeech();
  const [isHere] = useRoute(path);
  return (
    <Link href={path} className={classes.link} aria-current={isHere ? 'page' : undefined}>
      <Icon size={18} aria-hidden />
      {words.nav[name]}
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
    <Menu position="bottom-end" width={260} closeOnItemClick={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          aria-label={`${words.user.menu}: ${person.account_name}`}
          rightSection={<IconChevronDown size={16} />}
          className={classes.user}
        >
          {person.account_name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person.email}</Menu.Label>
        <Stack gap="xs" px="sm" pb="sm">
          <Text size="xs">{words.user.language}</Text>
          <LanguageChoice />
          <Text size="xs">{words.user.theme}</Text>
          <ThemeChoice />
        </Stack>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
          {words.user.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
