import { Alert, Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Problem } from '../api/client';
import { isId } from '../api/ids';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';
import { IconArrowLeft } from './icons.tsx';
import classes from './page.module.css';
import { useTitle } from './use-title';

/** Layout of every page except the board: title, actions and scrolling content. */
export function Page({
  title,
  part,
  actions,
  children,
}: {
  title: string;
  /** the part that is shown of a page with tabs, for the title of the window */
  part?: string | undefined;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  useTitle(part ?? title);
  return (
    <div className={classes.scroll}>
      <div className={classes.page}>
        <Group justify="space-between" mb="md" gap="xs">
          <Title order={1} size="h3">
            {title}
          </Title>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </div>
    </div>
  );
}

/** Empty state: what will appear here and how to create it. */
export function Empty({ title, lead, children }: { title: string; lead: ReactNode; children?: ReactNode }) {
  return (
    <Stack align="center" py="xl" gap="sm" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text maw={520} c="dimmed">
        {lead}
      </Text>
      {children}
    </Stack>
  );
}

/** Skeleton lines while data loads. */
export const Loading = ({ lines = 5 }: { lines?: number | undefined }) => (
  <Stack aria-busy>
    {Array.from({ length: lines }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: static placeholders
      <Skeleton key={line} height={36} />
    ))}
  </Stack>
);

/** Load error with a retry button. */
export function Failed({ error, retry }: { error: Error; retry(): void }) {
  const { messages } = useI18n();
  return (
    <Alert color="red" role="alert" title={messages.error.title}>
      <Stack align="flex-start" gap="xs">
        {formatError(error, messages)}
        <Button size="xs" variant="default" onClick={retry}>
          {messages.error.retry}
        </Button>
      </Stack>
    </Alert>
  );
}

interface NotLoadedProps {
  error: Error | null;
  retry(): void;
  lines?: number;
}

/** Stands in place of data that is loading or couldn't be loaded. */
export const NotLoaded = ({ error, retry, lines }: NotLoadedProps) =>
  error ? <Failed error={error} retry={retry} /> : <Loading lines={lines} />;

/** Page of one record with a link back to the list, or the reason why it isn't shown. */
export function RecordPage<Shown, Key extends QueryKey>({
  id,
  query,
  title,
  part,
  back,
  isMissing,
  children,
}: {
  /** the ID from the URL; only fetched if it is valid */
  id: string;
  query: UseQueryOptions<Shown, Error, Shown, Key>;
  /** @param record undefined until it is loaded */
  title(record: Shown | undefined): string;
  /** the title of the window, if it says more */
  part?(record: Shown): string;
  back: { href: string; label: string };
  /** shown if the record doesn't exist */
  isMissing: string;
  children(record: Shown): ReactNode;
}) {
  const { data, error, refetch } = useQuery({ ...query, enabled: isId(id) });
  const isDeleted = !isId(id) || (error instanceof Problem && error.code === 'not_found');
  return (
    <Page
      title={title(isDeleted ? undefined : data)}
      part={isDeleted || data === undefined ? undefined : part?.(data)}
      actions={
        <Anchor component={Link} href={back.href} size="sm">
          <Group gap={4} wrap="nowrap">
            <IconArrowLeft size={16} aria-hidden />
            {back.label}
          </Group>
        </Anchor>
      }
    >
      {isDeleted ? (
        <Empty title={isMissing} lead="" />
      ) : data !== undefined ? (
        children(data)
      ) : (
        <NotLoaded error={error} retry={refetch} />
      )}
    </Page>
  );
}
