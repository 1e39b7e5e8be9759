import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import { DAY_MS } from '../../time';
import { IconPlus } from '../../ui/icons.tsx';
import { OneTimeSecret } from '../../ui/one-time-secret';
import { Empty, NotLoaded } from '../../ui/page';
import { SecretCard } from '../../ui/secret-card';
import { automation, type Token, tokensQuery } from '../automation-api';
import { MESSAGES as COMMON_MESSAGES } from '../messages';
import { MESSAGES } from './messages';
import { NewToken } from './new-token';

const SOON_DAYS = 14;

export function TokensTab() {
  const messages = useMessages(MESSAGES);
  const [isOpen, form] = useDisclosure(false);
  // kept only in this component's state, never stored
  const [created, setCreated] = useState<string>();
  const { data, error, refetch } = useQuery(tokensQuery);
  if (!data) return <NotLoaded error={error} retry={refetch} />;
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={form.open} w="fit-content">
      {messages.newToken}
    </Button>
  );
  return (
    <>
      {data.items.length === 0 ? (
        <Empty title={messages.emptyTitle} lead={messages.lead}>
          {create}
        </Empty>
      ) : (
        <Stack>
          <Group justify="space-between" gap="md">
            <Text size="sm" c="dimmed" maw={640}>
              {messages.lead}
            </Text>
            {create}
          </Group>
          <SimpleGrid
            component="ul"
            cols={{ base: 1, sm: 2, lg: 3 }}
            spacing="sm"
            p={0}
            m={0}
            aria-label={messages.list}
            style={{ listStyle: 'none' }}
          >
            {data.items.map((token) => (
              <TokenCard key={token.id} token={token} />
            ))}
          </SimpleGrid>
        </Stack>
      )}
      <NewToken opened={isOpen} close={form.close} onCreated={setCreated} />
      <OneTimeSecret
        title={messages.shownTitle}
        label={messages.token}
        secret={created}
        done={() => setCreated(undefined)}
      />
    </>
  );
}

function TokenCard({ token }: { token: Token }) {
  const { formatDateTime } = useI18n();
  const messages = useMessages(MESSAGES);
  const { never } = useMessages(COMMON_MESSAGES);
  const { id, name, hint, read_only, created_at, expires_at, last_used_at } = token;
  const daysLeft = expires_at === null ? undefined : Math.ceil((Date.parse(expires_at) - Date.now()) / DAY_MS);
  return (
    <SecretCard
      name={name}
      badge={
        <>
          {read_only && (
            <Badge variant="light" flex="none">
              {messages.readOnly}
            </Badge>
          )}
          {daysLeft !== undefined && daysLeft <= SOON_DAYS && (
            <Badge color={daysLeft <= 0 ? 'red' : 'yellow'} autoContrast flex="none">
              {daysLeft <= 0 ? messages.expired : messages.soon(daysLeft)}
            </Badge>
          )}
        </>
      }
      known={[
        [messages.hint, <code key="hint">…{hint}</code>],
        [messages.created, formatDateTime(created_at)],
        [messages.used, last_used_at === null ? messages.unused : formatDateTime(last_used_at)],
        [messages.ends, expires_at === null ? never : formatDateTime(expires_at)],
      ]}
      messages={messages}
      revoke={() => automation.revokeToken(id)}
      list={tokensQuery.queryKey}
    />
  );
}
