import { Card, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';
import { ConfirmButton } from './confirm-button';
import facts from './facts.module.css';

interface SecretCardProps {
  name: string;
  badge?: ReactNode;
  /** label and value of each known fact */
  known: [name: string, value: ReactNode][];
  messages: { revoke: string; revokeAsk(name: string): string; revoked(name: string): string };
  revoke(): Promise<unknown>;
  /** query key of the list that contains it */
  list: QueryKey;
  [attribute: `data-${string}`]: string;
}

/** Card of a secret that can't be shown again: its facts and a button to revoke it. */
export function SecretCard({ name, badge, known, messages, revoke, list, ...attributes }: SecretCardProps) {
  const { messages: commonMessages } = useI18n();
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: revoke,
    onSuccess: () => notifications.show({ message: messages.revoked(name) }),
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, commonMessages) }),
    onSettled: () => client.invalidateQueries({ queryKey: list }),
  });
  return (
    <Card component="li" withBorder padding="sm" {...attributes}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="xs">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {badge}
      </Group>
      <dl className={facts.facts}>
        {known.flatMap(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label} is`}>{value}</dd>])}
      </dl>
      <ConfirmButton
        mt="sm"
        w="fit-content"
        c="red"
        loading={end.isPending}
        subject={name}
        question={messages.revokeAsk(name)}
        onConfirm={() => end.mutate()}
      >
        {messages.revoke}
      </ConfirmButton>
    </Card>
  );
}
