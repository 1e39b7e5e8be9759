import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, request, type Schemas } from '../../api/client';
import { simulationQuery, watchSimulation } from '../../auth/simulation-api';
import { MESSAGES as SIMULATION } from '../../auth/simulation-messages';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';

const SAMPLE = ['sample-data'];

export const useSampleMutation = () =>
  useQuery({
    queryKey: SAMPLE,
    queryFn: ({ signal }) => get<Schemas['SampleState']>('/sample-data', signal),
  }).data;

/** Refetches everything, because a whole farm was added or removed. */
function useFarmMutation(method: 'POST' | 'DELETE', path: string, onDone: () => void) {
  const client = useQueryClient();
  const { messages } = useI18n();
  return useMutation({
    mutationFn: () => request(method, path),
    async onSuccess() {
      await client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      onDone();
    },
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, messages) }),
  });
}

/** Offers sample data to explore the console. */
export function FillWithSample() {
  const { messages, language } = useI18n();
  const fill = useFarmMutation('POST', `/sample-data?language=${language}`, () => undefined);
  if (!useSampleMutation()?.is_empty) return null;
  return (
    <Button variant="default" loading={fill.isPending} onClick={() => fill.mutate()}>
      {messages.sample.fill}
    </Button>
  );
}

/** Offers to watch a farm at work, in an account of its own. */
export function WatchSimulation() {
  const { messages, language } = useI18n();
  const simulation = useMessages(SIMULATION);
  const start = useMutation({
    mutationFn: () => watchSimulation(language),
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, messages) }),
  });
  if (!useQuery(simulationQuery).data?.is_available) return null;
  return (
    <Button variant="default" loading={start.isPending || start.isSuccess} onClick={() => start.mutate()}>
      {simulation.watch}
    </Button>
  );
}

/** Explains that the orders are sample data and offers to delete them. */
export function SampleBanner() {
  const { messages } = useI18n();
  const [isAsked, ask] = useDisclosure(false);
  const clear = useFarmMutation('DELETE', '/sample-data', () => {
    ask.close();
    notifications.show({ message: messages.sample.cleared });
  });
  if (!useSampleMutation()?.has_sample) return null;
  return (
    <Group gap="xs" px="sm" pb="xs" role="note">
      <Text size="xs">{messages.sample.banner}</Text>
      <Button size="compact-xs" variant="default" onClick={ask.open}>
        {messages.sample.clear}
      </Button>
      <Modal
        opened={isAsked}
        onClose={ask.close}
        title={messages.sample.clear}
        closeButtonProps={{ 'aria-label': messages.order.close }}
      >
        <Text size="sm" mb="md">
          {messages.sample.clearAsk}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={ask.close}>
            {messages.order.cancel}
          </Button>
          <Button color="red" loading={clear.isPending} onClick={() => clear.mutate()}>
            {messages.sample.clear}
          </Button>
        </Group>
      </Modal>
    </Group>
  );
}
