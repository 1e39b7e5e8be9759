import { Button, Center, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { formatError } from '../../i18n/format-error';
import { useI18n } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { ordersQuery } from '../../order-data/orders-cache';
import { lazyPart } from '../../ui/lazy-part';
import { Failed } from '../../ui/page';
import { useTitle } from '../../ui/use-title';
import { NewOrder } from '../detail/new-order';
import { OrderDrawer } from '../detail/order-drawer';
import { usePendingMoves } from '../move-order';
import { useOrderSearch } from '../use-order-search';
import { Board } from './board';
import classes from './board.module.css';
import { arrange } from './board-columns';
import { useBoardUrl } from './board-url';
import { Toolbar } from './toolbar';

// most farms have no sample data
const SampleBanner = lazyPart('sample-banner', async () => (await import('./sample')).SampleBanner, {
  waiting: null,
  Failure: () => null,
});
const EmptyBoard = lazyPart('empty-board', async () => (await import('./empty-board')).EmptyBoard);

export function BoardPage() {
  const { messages } = useI18n();
  const url = useBoardUrl();
  const { q, printerId, showsClosed, orderId, isNew, set } = url;
  useTitle(messages.board.title);
  const searchBox = useRef<HTMLInputElement>(null);
  // adds a history entry, so that Back closes the drawer or the form
  const openOrder = useCallback((id: string) => set('order', id, { replace: false }), [set]);
  const openNew = () => set('new', '1', { replace: false });

  const open = useQuery(ordersQuery('open'));
  const closed = useQuery({ ...ordersQuery('closed'), enabled: showsClosed });
  const moving = usePendingMoves();
  const search = useOrderSearch(q);
  const { isFound } = search;
  const columns = useMemo(() => {
    const orders = [...(open.data?.orders.values() ?? []), ...((showsClosed && closed.data?.orders.values()) || [])];
    const isShown = ({ id, printer_id }: Order) => isFound(id) && (printerId === null || printer_id === printerId);
    const all = arrange(orders, isShown, moving);
    if (!showsClosed) all.delete('closed');
    return [...all.values()];
  }, [open.data, closed.data, showsClosed, isFound, printerId, moving]);

  useHotkeys([
    // matched by key position, so it works with a Cyrillic layout too
    ['n', openNew, { usePhysicalKeys: true }],
    ['/', () => searchBox.current?.focus()],
  ]);

  const loading =
    open.isFetching && open.data && open.data.orders.size < open.data.total
      ? { loaded: open.data.orders.size, total: open.data.total }
      : undefined;
  const isEmpty = open.data?.total === 0 && !showsClosed;
  const isFiltered = q !== '' || printerId !== null;
  const findsNothing =
    isFiltered && !search.isWaiting && !search.error && columns.every(({ orders }) => orders.length === 0);

  return (
    <>
      <Toolbar url={url} searchBox={searchBox} newOrder={openNew} loading={loading} />
      <SampleBanner />
      {showsClosed && closed.isSuccess && !closed.isFetching && closed.data.total > closed.data.orders.size && (
        <Text size="xs" px="sm" role="status">
          {messages.status.closed}: {messages.board.newest(closed.data.orders.size)}
        </Text>
      )}
      {search.error && <Failed error={search.error} retry={search.refetch} />}
      {findsNothing && (
        <Group justify="center" gap="xs" role="status">
          <Text size="sm">{messages.board.nothingFound}</Text>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => {
              set('q', null);
              set('printer', null);
            }}
          >
            {messages.board.clear}
          </Button>
        </Group>
      )}
      {open.data ? (
        isEmpty ? (
          <EmptyBoard newOrder={openNew} />
        ) : (
          <Board columns={columns} openOrder={openOrder} />
        )
      ) : open.error ? (
        <Center flex={1}>
          <Stack align="center">
            <Text>{formatError(open.error, messages)}</Text>
            <Button onClick={() => open.refetch()}>{messages.error.retry}</Button>
          </Stack>
        </Center>
      ) : (
        <BoardSketch />
      )}
      <OrderDrawer id={orderId} close={() => set('order', null)} />
      <NewOrder opened={isNew} close={() => set('new', null)} />
    </>
  );
}

const SKETCHED_COLUMNS = 7;

/** Empty columns while the orders load. Matches the static outline in index.html. */
const BoardSketch = () => (
  <div className={classes.board} aria-busy>
    {Array.from({ length: SKETCHED_COLUMNS }, (_, column) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: static placeholders
      <Skeleton key={column} className={classes.sketch} height="100%" />
    ))}
  </div>
);
