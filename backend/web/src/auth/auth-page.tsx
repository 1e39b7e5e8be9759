import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMessages } from '../i18n/i18n';
import { IconLockOpen } from '../ui/icons.tsx';
import { Logo } from '../ui/logo';
import { LanguageChoice } from '../ui/preferences';
import { useTitle } from '../ui/use-title';
import { MESSAGES } from './messages';

/** Layout of the pages shown while signed out. */
export function AuthPage({ title, lead, children }: { title: string; lead?: string; children?: ReactNode }) {
  useTitle(title);
  const messages = useMessages(MESSAGES);
  return (
    <Center
      component="main"
      mih="100dvh"
      p="md"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <Stack w="100%" maw={400}>
        <Group justify="center" gap="xs">
          <Logo size={32} />
          <Text fw={700} size="xl">
            Farmboard
          </Text>
        </Group>
        <Paper withBorder shadow="sm" p="lg">
          <Stack gap="sm">
            <Title order={1} size="h3">
              {title}
            </Title>
            {lead && (
              <Text size="sm" c="dimmed">
                {lead}
              </Text>
            )}
            {children}
            {/* HTTP, but not on this computer */}
            {!window.isSecureContext && (
              <Group gap={6} wrap="nowrap" align="flex-start">
                <IconLockOpen size={16} aria-hidden style={{ flex: 'none', marginTop: 3 }} />
                <Text size="sm">{messages.notEncrypted}</Text>
              </Group>
            )}
          </Stack>
        </Paper>
        <Center>
          <LanguageChoice />
        </Center>
      </Stack>
    </Center>
  );
}
