import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, get, type Schemas } from '../../api/api';
import { useSpeech } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';

const SAMPLE = ['sample-data'];

export const useSample = () =>
  useQuery({
    queryKey: SAMPLE,
    queryFn: ({ signal }) => get<Schemas['SampleState']>('/sample-data', signal),
  }).data;

/** Everything on every page is asked for anew: a whole farm came or went. */
function useWholeFarm(method: 'POST' | 'DELETE', path: string, done: () => void) {
  const client = useQueryClient();
  const { words } = useSpeech();
  return useMutation({
    mutationFn: () => call(method, path),
    async onSuccess() {
      await client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      done();
    },
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, words) }),
  });
}

/** For an owner who wants to see a farm at work before there is one. */
export function FillWithSample() {
  const { words, language } = useSpeech();
  const fill = useWholeFarm('POST', `/sample-data?language=${language}`, () => undefined);
  if (!useSample()?.is_empty) return null;
  return (
    <Button variant="default" loading={fill.isPending} onClick={() => fill.mutate()}>
      {words.sample.fill}
    </Button>
  );
}

/** Says what the orders on the board are, and how they go away. */
export function SampleNotice() {
  const { words } = useSpeech();
  const [isAsked, ask] = useDisclosure(false);
  const clear = useWholeFarm('DELETE', '/sample-data', () => {
    ask.close();
    notifications.show({ message: words.sample.cleared });
  });
  if (!useSample()?.has_sample) return null;
  return (
    <Group gap="xs" px="sm" pb="xs" role="note">
      <Text size="xs">{words.sample.notice}</Text>
      <Button size="compact-xs" variant="default" onClick={ask.open}>
        {words.sample.clear}
      </Button>
      <Modal
        opened={isAsked}
        onClose={ask.close}
        title={words.sample.clear}
        closeButtonProps={{ 'aria-label': words.order.close }}
      >
        <Text size="sm" mb="md">
          {words.sample.clearAsk}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={ask.close}>
            {words.order.cancel}
          </Button>
          <Button color="red" loading={clear.isPending} onClick={() => clear.mutate()}>
            {words.sample.clear}
          </Button>
        </Group>
      </Modal>
    </Group>
  );
}
