import { Button, Center, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useSpeech } from '../language';
import { FillWithSample } from './sample';

/** The first thing a new owner sees: what will be here, and the two ways to get there. */
export function EmptyBoard({ newOrder }: { newOrder(): void }) {
  const { words } = useSpeech();
  const example = `curl ${location.origin}/api/v1/print-jobs \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"model_name": "Phone stand", "quantity_pieces": 2}'`;
  return (
    <Center flex={1} p="md">
      <Paper withBorder p="xl" maw={620} w="100%">
        <Stack>
          <Title order={2} size="h3">
            {words.board.empty}
          </Title>
          <Text>{words.board.emptyLead}</Text>
          <Code block>{example}</Code>
          <Group gap="xs">
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={newOrder}>
              {words.board.newOrder}
            </Button>
            <FillWithSample />
          </Group>
        </Stack>
      </Paper>
    </Center>
  );
}
