import { Badge, Button, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AskFirst } from '../../ask-first';
import facts from '../../facts.module.css';
import { useSpeech, useWordsOf } from '../../language';
import { Empty, Failed, Loading } from '../../page';
import { sayProblem } from '../../say-problem';
import classes from '../automation.module.css';
import { automation, type Token, tokensQuery } from '../automation-api';
import { ShownOnce } from '../shown-once';
import { WORDS as COMMON } from '../words';
import { NewToken } from './new-token';
import { WORDS } from './words';

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
  const { words: common, moment } = useSpeech();
  const words = useWordsOf(WORDS);
  const { never } = useWordsOf(COMMON);
  const client = useQueryClient();
  const { id, name, hint, created_at, expires_at, last_used_at } = token;
  const daysLeft = expires_at === null ? undefined : Math.ceil((Date.parse(expires_at) - Date.now()) / DAY_MS);
  const revoke = useMutation({
    mutationFn: () => automation.revokeToken(id),
    onSuccess: () => notifications.show({ message: words.revoked(name) }),
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, common) }),
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <Card component="li" withBorder padding="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="xs">
        <Text fw={600} className={classes.wrap}>
          {name}
        </Text>
        {daysLeft !== undefined && daysLeft <= SOON_DAYS && (
          <Badge color={daysLeft <= 0 ? 'red' : 'yellow'} autoContrast flex="none">
            {daysLeft <= 0 ? words.expired : words.soon(daysLeft)}
          </Badge>
        )}
      </Group>
      <dl className={facts.facts}>
        <dt>{words.hint}</dt>
        <dd>
          <code>…{hint}</code>
        </dd>
        <dt>{words.made}</dt>
        <dd>{moment(created_at)}</dd>
        <dt>{words.used}</dt>
        <dd>{last_used_at === null ? words.unused : moment(last_used_at)}</dd>
        <dt>{words.ends}</dt>
        <dd>{expires_at === null ? never : moment(expires_at)}</dd>
      </dl>
      <AskFirst
        mt="sm"
        w="fit-content"
        c="red"
        loading={revoke.isPending}
        of={name}
        question={words.revokeAsk(name)}
        act={() => revoke.mutate()}
      >
        {words.revoke}
      </AskFirst>
    </Card>
  );
}
