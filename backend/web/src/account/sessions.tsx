import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { NotLoaded } from '../ui/page';
import { account, type SessionEntry, sessionsQuery } from './account-api';
import { describeDevice } from './describe-device';
import { MESSAGES } from './messages';

export function Sessions() {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const outcome = (message: string) => ({
    onSuccess: () => notifications.show({ message }),
    onError: (failure: Error) => notifications.show({ color: 'red', message: formatError(failure, commonMessages) }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const signOut = useMutation({ mutationFn: account.signOutElsewhere, ...outcome(messages.signedOut) });
  const end = useMutation({ mutationFn: account.endSession, ...outcome(messages.ended) });
  return (
    <Stack component="section" gap="sm" aria-labelledby="sessions">
      <Title order={2} size="h4" id="sessions">
        {messages.sessions}
      </Title>
      {!data ? (
        <NotLoaded error={error} retry={refetch} lines={2} />
      ) : (
        <>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-labelledby="sessions">
            {data.items.map((session) => (
              <Entry key={session.id} session={session} isEnding={end.isPending} onEnd={() => end.mutate(session.id)} />
            ))}
          </Stack>
          {data.items.length > 1 ? (
            <ConfirmButton
              w="fit-content"
              loading={signOut.isPending}
              question={messages.elsewhereAsk}
              onConfirm={() => signOut.mutate()}
            >
              {messages.elsewhere}
            </ConfirmButton>
          ) : (
            <Text size="sm">{messages.only}</Text>
          )}
        </>
      )}
    </Stack>
  );
}

function Entry({ session, isEnding, onEnd }: { session: SessionEntry; isEnding: boolean; onEnd(): void }) {
  const { formatDateTime } = useI18n();
  const messages = useMessages(MESSAGES);
  const { user_agent, is_this_one, created_at, last_used_at } = session;
  const { browser, system } = describeDevice(user_agent);
  const device = messages.device(browser, system);
  return (
    <Card component="li" withBorder padding="sm" title={user_agent}>
      <Group gap="xs">
        <Text fw={600} size="sm">
          {device}
        </Text>
        {is_this_one && (
          <Badge variant="default" tt="none">
            {messages.here}
          </Badge>
        )}
      </Group>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {messages.since(formatDateTime(created_at))} · {messages.used(formatDateTime(last_used_at))}
        </Text>
        {!is_this_one && (
          <ConfirmButton loading={isEnding} question={messages.endAsk(device)} subject={device} onConfirm={onEnd}>
            {messages.end}
          </ConfirmButton>
        )}
      </Group>
    </Card>
  );
}
