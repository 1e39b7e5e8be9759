import { Anchor, Button, Center, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useI18n } from '../../i18n/i18n';
import { usePrinters } from '../../printers/use-printers';
import { filamentsQuery } from '../../stock/stock-api';
import { IconCheck, IconPlus } from '../../ui/icons.tsx';
import { FillWithSample, WatchSimulation } from './sample';

/** What a new owner sees first: the first steps and an offer to load a sample farm. */
export function EmptyBoard({ newOrder }: { newOrder(): void }) {
  const { board } = useI18n().messages;
  const { steps } = board;
  const filaments = useQuery(filamentsQuery).data ?? [];
  const printers = usePrinters();
  return (
    <Center flex={1} p="md">
      <Paper withBorder p={{ base: 'md', sm: 'xl' }} maw={620} w="100%">
        <Stack>
          <Title order={2} size="h3">
            {board.empty}
          </Title>
          <Text>{board.emptyLead}</Text>
          <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
            <Step number={1} isDone={filaments.length > 0} why={steps.stockWhy}>
              <Anchor component={Link} href="/stock?new=1" inherit>
                {steps.stock}
              </Anchor>
            </Step>
            <Step number={2} isDone={printers.length > 0} why={steps.printersWhy}>
              <Anchor component={Link} href="/printers?new=1" inherit>
                {steps.printers}
              </Anchor>
            </Step>
            <Step number={3} isDone={false} why={steps.orderWhy}>
              <Anchor component="button" type="button" onClick={newOrder} inherit>
                {steps.order}
              </Anchor>
            </Step>
          </Stack>
          <Group gap="xs" mt="xs">
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={newOrder}>
              {board.newOrder}
            </Button>
            <Button component={Link} href="/automation/connect" variant="default">
              {steps.connect}
            </Button>
            <FillWithSample />
            <WatchSimulation />
          </Group>
        </Stack>
      </Paper>
    </Center>
  );
}

interface StepProps {
  number: number;
  isDone: boolean;
  why: string;
  children: ReactNode;
}

function Step({ number: formatNumber, isDone, why, children }: StepProps) {
  const { steps } = useI18n().messages.board;
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start" data-done={isDone || undefined}>
      <ThemeIcon radius="xl" size="md" variant={isDone ? 'filled' : 'default'} color="teal.9">
        {isDone ? <IconCheck size={16} role="img" aria-label={steps.isDone} /> : formatNumber}
      </ThemeIcon>
      <div>
        <Text component="div" fw={600}>
          {children}
        </Text>
        <Text size="sm">{why}</Text>
      </div>
    </Group>
  );
}
