import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { Empty, Failed, Loading } from '../../ui/page';
import { automation, type Token, tokensQuery } from '../automation-api';
import { SecretCard } from '../secret-card';
import { ShownOnce } from '../one-time-secret';
import { WORDS as COMMON } from '../messages';
import { NewToken } from './new-token';
import { WORDS } from './messages';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 14;

export function TokensTab() {
  const words = useWordsOf(WORDS);
  const [isOpen, form] = useDisclosure(false);
  // lives here and nowhere else: gone with the page
  const [made, setMade] = useState<string>();
  const { data, error, refetch } = useQuery(tokensQuery);
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading />;
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={form.open} w="fit-content">
      {words.make}
    </Button>
  );
  return (
    <>
      {data.items.length === 0 ? (
        <Empty title={words.emptyTitle} lead={words.lead}>
          {make}
        </Empty>
      ) : (
        <Stack>
          <Group justify="space-between" gap="md">
            <Text size="sm" c="dimmed" maw={640}>
              {words.lead}
            </Text>
            {make}
          </Group>
          <SimpleGrid
            component="ul"
            cols={{ base: 1, sm: 2, lg: 3 }}
            spacing="sm"
            p={0}
            m={0}
            aria-label={words.list}
            style={{ listStyle: 'none' }}
          >
            {data.items.map((token) => (
              <TokenCard key={token.id} token={token} />
            ))}
          </SimpleGrid>
        </Stack>
      )}
      <NewToken opened={isOpen} close={form.close} made={setMade} />
      <ShownOnce title={words.shownTitle} label={words.token} secret={made} done={() => setMade(undefined)} />
    </>
  );
}

function TokenCard({ token }: { token: Token }) {
  const { moment } = useSpeech();
  const words = useWordsOf(WORDS);
  const { never } = useWordsOf(COMMON);
  const { id, name, hint, created_at, expires_at, last_used_at } = token;
  const daysLeft = expires_at === null ? undefined : Math.ceil((Date.parse(expires_at) - Date.now()) / DAY_MS);
  return (
    <SecretCard
      name={name}
      badge={
        daysLeft !== undefined &&
        daysLeft <= SOON_DAYS && (
          <Badge color={daysLeft <= 0 ? 'red' : 'yellow'} autoContrast flex="none">
            {daysLeft <= 0 ? words.expired : words.soon(daysLeft)}
          </Badge>
        )
      }
      known={[
        [words.hint, <code key="hint">…{hint}</code>],
        [words.made, moment(created_at)],
        [words.used, last_used_at === null ? words.unused : moment(last_used_at)],
        [words.ends, expires_at === null ? never : moment(expires_at)],
      ]}
      words={words}
      revoke={() => automation.revokeToken(id)}
      list={tokensQuery.queryKey}
    />
  );
}
