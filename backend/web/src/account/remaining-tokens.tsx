import { Alert, Anchor, Group, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { automation, tokensQuery } from '../automation/automation-api';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { ConfirmButton } from '../ui/confirm-button';
import { MESSAGES } from './messages';

/** After a change of password: the access tokens that still work, and a button that revokes them all. */
export function RemainingTokens() {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const client = useQueryClient();
  const { data } = useQuery(tokensQuery);
  const revoke = useMutation({
    async mutationFn(ids: string[]) {
      for (const id of ids) await automation.revokeToken(id);
    },
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  const tokens = data?.items ?? [];
  if (revoke.isSuccess && tokens.length === 0) {
    return (
      <Alert color="teal" variant="light" c="inherit" mt="sm" role="status">
        {messages.tokensRevoked}
      </Alert>
    );
  }
  if (tokens.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" c="inherit" mt="sm">
      <Stack gap="xs">
        {messages.tokensWork(tokens.map(({ name }) => name))}
        {revoke.error && formatError(revoke.error, appMessages)}
        <Group gap="sm">
          <ConfirmButton
            question={messages.revokeAllAsk}
            loading={revoke.isPending}
            onConfirm={() => revoke.mutate(tokens.map(({ id }) => id))}
          >
            {messages.revokeAll}
          </ConfirmButton>
          <Anchor component={Link} href="/automation/tokens" size="sm" underline="always">
            {messages.tokens}
          </Anchor>
        </Group>
      </Stack>
    </Alert>
  );
}
