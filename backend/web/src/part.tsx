import { Alert, Button, Center, Group, Loader, Modal, Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { useSpeech } from './language';
import { queryClient } from './queries';
import { newVersionQuery } from './version';

interface Options<Props> {
  /** in its place while it is being loaded */
  waiting?: ReactNode;
  /** around the error while it cannot be loaded; without it the error stands where the part would */
  Failure?: ComponentType<Props & { children: ReactNode }>;
}

type Load<Props> = () => Promise<ComponentType<Props>>;

const queryOf = <Props,>(name: string, load: Load<Props>) =>
  queryOptions({
    queryKey: ['part', name],
    async queryFn() {
      try {
        return { Part: await load() };
      } catch (error) {
        queryClient.invalidateQueries({ queryKey: newVersionQuery.queryKey });
        throw error;
      }
    },
    retry: true,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });

/**
 * A part of the console that is loaded when it is first shown. While it cannot be loaded an error stands in its place, and
 * it is tried again every second. After an upgrade of the service the error offers the new version.
 * @param load with an import of its own: `async () => (await import('./page')).Page`
 */
export function part<Props extends object = object>(name: string, load: Load<Props>, options: Options<Props> = {}) {
  const query = queryOf(name, load);
  return Object.assign((props: Props) => <Loaded query={query} props={props} {...options} />, {
    preload: () => queryClient.prefetchQuery(query),
  });
}

interface LoadedProps<Props> extends Options<Props> {
  query: ReturnType<typeof queryOf<Props>>;
  props: Props;
}

function Loaded<Props extends object>({ query, props, waiting = <Waiting />, Failure }: LoadedProps<Props>) {
  const { data, failureReason } = useQuery(query);
  if (data) return <data.Part {...props} />;
  if (!failureReason) return waiting;
  if (!Failure) return <CannotLoad />;
  return (
    <Failure {...props}>
      <CannotLoad />
    </Failure>
  );
}

export const Waiting = () => (
  <Center h="100%">
    <Loader />
  </Center>
);

/** In place of a dialog that cannot be loaded. */
export const FailedDialog = ({ close, children }: { close(): void; children: ReactNode }) => {
  const { words } = useSpeech();
  return (
    <Modal opened onClose={close} closeButtonProps={{ 'aria-label': words.order.close }}>
      {children}
    </Modal>
  );
};

function CannotLoad() {
  const { words } = useSpeech();
  const { data: hasNewVersion } = useQuery(newVersionQuery);
  return (
    <Alert
      color={hasNewVersion ? 'cyan' : 'red'}
      role="alert"
      m="md"
      title={hasNewVersion ? words.error.newVersion : words.error.title}
    >
      <Stack align="flex-start" gap="xs">
        {hasNewVersion ? words.error.outdated : words.error.retrying}
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          {words.error.reload}
        </Button>
      </Stack>
    </Alert>
  );
}

/** Shown once the service has another build of the console: what this page has not loaded yet may be gone. */
export function NewVersion() {
  const { words } = useSpeech();
  return (
    <Alert color="cyan" py={6} radius={0} role="status" icon={<IconRefresh size={18} aria-hidden />}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        {words.error.newVersion}
        <Button size="compact-sm" flex="none" onClick={() => location.reload()}>
          {words.error.reloadNow}
        </Button>
      </Group>
    </Alert>
  );
}
