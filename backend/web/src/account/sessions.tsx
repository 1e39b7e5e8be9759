import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatError } from '../api/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { Failed, Loading } from '../ui/page';
import { account, type SessionEntry, sessionsQuery } from './account-api';
import { describeDevice } from './describe-device';
import { MESSAGES } from './messages';

export function Sessions() {
  const { messages: commonMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const signOut = useMutation({
    mutationFn: account.signOutElsewhere,
    onSuccess: () => notifications.show({ message: messages.signedOut }),
    onError: (failure) => notifications.show({ color: 'red', message: formatError(failure, commonMessages) }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Stack component="section" gap="sm" aria-labelledby="sessions">
      <Title order={2} size="h4" id="sessions">
        {messages.sessions}
      </Title>
      {!data ? (
        error ? (
          <Failed error={error} retry={refetch} />
        ) : (
          <Loading lines={2} />
        )
      ) : (
        <>
          <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-labelledby="sessions">
            {data.items.map((session) => (
              <Entry key={session.id} session={session} />
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

function Entry({ session }: { session: SessionEntry }) {
  const { formatDateTime } = useI18n();
  const messages = useMessages(MESSAGES);
  const { user_agent, is_this_one, created_at, last_used_at } = session;
  const { browser, system } = describeDevice(user_agent);
  return (
    <Card component="li" withBorder padding="sm" title={user_agent}>
      <Group gap="xs">
        <Text fw={600} size="sm">
          {messages.device(browser, system)}
        </Text>
        {is_this_one && (
          <Badge variant="default" tt="none">
            {messages.here}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {messages.since(formatDateTime(created_at))} · {messages.used(formatDateTime(last_used_at))}
      </Text>
    </Card>
  );
}
