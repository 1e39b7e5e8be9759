import { Alert, Button, Center, Group, Loader, Modal, Stack } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { queryClient } from '../api/query-client';
import { newVersionQuery } from '../api/version';
import { useI18n } from '../i18n/i18n';
import { IconRefresh } from './icons.tsx';

interface Options<Props> {
  /** shown while the component loads */
  waiting?: ReactNode;
  /** wraps the error if loading fails; by default the error replaces the component */
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
 * A component loaded when it is first rendered. If loading fails, it shows an error and retries every second. After a
 * server upgrade the error offers to reload.
 * @param load with its own import: `async () => (await import('./page')).Page`
 */
export function lazyPart<Props extends object = object>(name: string, load: Load<Props>, options: Options<Props> = {}) {
  const query = queryOf(name, load);
  return Object.assign((props: Props) => <Loaded query={query} props={props} {...options} />, {
    preload: () => queryClient.prefetchQuery(query),
  });
}

interface LoadedProps<Props> extends Options<Props> {
  query: ReturnType<typeof queryOf<Props>>;
  props: Props;
}

function Loaded<Props extends object>({ query, props, waiting = <LazyPartLoader />, Failure }: LoadedProps<Props>) {
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

export const LazyPartLoader = () => (
  <Center h="100%">
    <Loader />
  </Center>
);

/** Shown instead of a dialog that can't be loaded. */
export const FailedDialog = ({ close, children }: { close(): void; children: ReactNode }) => {
  const { messages } = useI18n();
  return (
    <Modal opened onClose={close} closeButtonProps={{ 'aria-label': messages.order.close }}>
      {children}
    </Modal>
  );
};

function CannotLoad() {
  const { messages } = useI18n();
  const { data: hasNewVersion } = useQuery(newVersionQuery);
  const { online } = useNetwork();
  if (!online) {
    return (
      <Alert color="yellow" role="alert" m="md" title={messages.error.offline}>
        {messages.error.offlineRetrying}
      </Alert>
    );
  }
  return (
    <Alert
      color={hasNewVersion ? 'cyan' : 'red'}
      role="alert"
      m="md"
      title={hasNewVersion ? messages.error.newVersion : messages.error.title}
    >
      <Stack align="flex-start" gap="xs">
        {hasNewVersion ? messages.error.outdated : messages.error.retrying}
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          {messages.error.reload}
        </Button>
      </Stack>
    </Alert>
  );
}

/** Shown once the server has a newer console; files of this one may no longer exist. */
export function NewVersion() {
  const { messages } = useI18n();
  return (
    <Alert color="cyan" py={6} radius={0} role="status" icon={<IconRefresh size={18} aria-hidden />}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        {messages.error.newVersion}
        <Button size="compact-sm" flex="none" onClick={() => location.reload()}>
          {messages.error.reloadNow}
        </Button>
      </Group>
    </Alert>
  );
}
