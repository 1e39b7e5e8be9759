import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { AskFirst } from '../ui/confirm-button';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { Failed, Loading } from '../ui/page';
import { sayProblem } from '../api/format-error';
import { account, type SessionEntry, sessionsQuery } from './account-api';
import { deviceOf } from './describe-device';
import { WORDS } from './messages';

export function Sessions() {
  const { words: general } = useSpeech();
  const words = useWordsOf(WORDS);
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const signOut = useMutation({
    mutationFn: account.signOutElsewhere,
    onSuccess: () => notifications.show({ message: words.signedOut }),
    onError: (failure) => notifications.show({ color: 'red', message: sayProblem(failure, general) }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Stack component="section" gap="sm" aria-labelledby="sessions">
      <Title order={2} size="h4" id="sessions">
        {words.sessions}
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
            <AskFirst
              w="fit-content"
              loading={signOut.isPending}
              question={words.elsewhereAsk}
              act={() => signOut.mutate()}
            >
              {words.elsewhere}
            </AskFirst>
          ) : (
            <Text size="sm">{words.only}</Text>
          )}
        </>
      )}
    </Stack>
  );
}

function Entry({ session }: { session: SessionEntry }) {
  const { moment } = useSpeech();
  const words = useWordsOf(WORDS);
  const { user_agent, is_this_one, created_at, last_used_at } = session;
  const { browser, system } = deviceOf(user_agent);
  return (
    <Card component="li" withBorder padding="sm" title={user_agent}>
      <Group gap="xs">
        <Text fw={600} size="sm">
          {words.device(browser, system)}
        </Text>
        {is_this_one && (
          <Badge variant="default" tt="none">
            {words.here}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {words.since(moment(created_at))} · {words.used(moment(last_used_at))}
      </Text>
    </Card>
  );
}
