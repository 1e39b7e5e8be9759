import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Order } from '../../api/api';
import { bookQuery } from '../orders-cache';
import { daysUntil } from '../due-date';
import { NewOrder } from '../detail/new-order';
import { OrderDrawer } from '../detail/order-drawer';
import { fitting } from '../board/board-columns';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { Empty, Failed, Loading } from '../../ui/page';
import { FailedDialog, part } from '../../ui/lazy-part';
import { isEnded } from '../statuses';
import { useTitle } from '../../ui/use-title';
import { BulkBar } from './bulk-bar';
import { type ColumnName, rememberColumns, rememberedColumns, sorting } from './columns';
import { Grid } from './grid';
import { type DueFilter, fromSort, useListAddress } from './list-url';
import classes from './orders.module.css';
import { useSelection } from './selection';
import { Toolbar } from './toolbar';
import { WORDS } from './messages';

const ImportDialog = part('import', async () => (await import('../csv/import-dialog')).ImportDialog, {
  waiting: null,
  Failure: FailedDialog,
});

const WEEK_DAYS = 7;

function isDue(order: Order, due: DueFilter): boolean {
  const days = daysUntil(order.due_date);
  if (due === 'overdue') return days < 0 && !isEnded(order.workflow_status);
  return due === 'today' ? days === 0 : days >= 0 && days <= WEEK_DAYS;
}

const NOTHING: Order[] = [];

/** All orders as a table: found, sorted, changed by the dozen, brought and taken as CSV. */
export function OrdersPage() {
  const { words, language } = useSpeech();
  const said = useWordsOf(WORDS);
  const address = useListAddress();
  const { q, printerId, showsClosed, statuses, due, sort, orderId, isNew, set } = address;
  useTitle(words.nav.orders);
  const isPhone = useMediaQuery('(max-width: 640px)') ?? false;
  const [columns, setColumns] = useState(rememberedColumns);
  const [isImporting, importing] = useDisclosure(false);

  const open = useQuery(bookQuery('open'));
  const closed = useQuery({ ...bookQuery('closed'), enabled: showsClosed });
  const rows = useMemo(() => {
    if (!open.data) return NOTHING;
    const all = [...open.data.orders.values(), ...((showsClosed && closed.data?.orders.values()) || [])];
    const fits = fitting({ q, printerId });
    return all
      .filter(
        (order) =>
          fits(order) &&
          (statuses.length === 0 || statuses.includes(order.workflow_status)) &&
          (due === null || isDue(order, due)),
      )
      .sort(sorting(sort.by, sort.descending, language));
  }, [open.data, closed.data, showsClosed, q, printerId, statuses, due, sort, language]);
  const selection = useSelection(rows);

  const openOrder = useCallback((id: string) => set({ order: id }, { replace: false }), [set]);
  const openNew = () => set({ new: '1' }, { replace: false });
  // the key where N is, also in a Cyrillic layout
  useHotkeys([['n', openNew, { usePhysicalKeys: true }]]);
  const exportCsv = async (orders: Order[]) => (await import('../csv/write')).downloadOrders(orders, language);

  function choose(names: ColumnName[]) {
    rememberColumns(names);
    setColumns(names);
  }

  const isEmpty = open.data?.total === 0 && !showsClosed;
  const loading = open.isFetching && open.data && open.data.orders.size < open.data.total;
  return (
    <div className={classes.page}>
      <VisuallyHidden component="h1">{words.nav.orders}</VisuallyHidden>
      <Toolbar
        address={address}
        columns={columns}
        setColumns={choose}
        isPhone={isPhone}
        exportShown={() => exportCsv(rows)}
        openImport={importing.open}
        openNew={openNew}
      />
      {selection.chosen.length > 0 && (
        <BulkBar selection={selection} exportChosen={() => exportCsv(selection.chosen)} />
      )}
      <Group px="sm" pb={4} gap="xs">
        <Text size="xs" c="dimmed" role="status">
          {loading && open.data
            ? words.board.loading(open.data.orders.size, open.data.total)
            : words.board.orders(rows.length)}
          {showsClosed &&
            closed.data &&
            closed.data.total > closed.data.orders.size &&
            !closed.isFetching &&
            `. ${words.status.closed}: ${words.board.newest(closed.data.orders.size)}`}
        </Text>
        {open.data && !isEmpty && rows.length === 0 && (
          <>
            <Text size="sm">{words.board.nothingFound}</Text>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => set({ q: null, printer: null, status: null, due: null })}
            >
              {words.board.clear}
            </Button>
          </>
        )}
      </Group>
      {!open.data && open.error && <Failed error={open.error} retry={open.refetch} />}
      {!open.data && !open.error && <Loading lines={10} />}
      {isEmpty && (
        <Empty title={said.empty} lead={said.emptyLead}>
          <Group gap="xs">
            <Button onClick={openNew}>{words.board.newOrder}</Button>
            <Button variant="default" onClick={importing.open}>
              {said.import}
            </Button>
          </Group>
        </Empty>
      )}
      {open.data && !isEmpty && (
        <Grid
          rows={rows}
          columns={columns}
          sort={sort}
          setSort={(next) => set({ sort: fromSort(next) })}
          selection={selection}
          open={openOrder}
          isPhone={isPhone}
        />
      )}
      <OrderDrawer id={orderId} close={() => set({ order: null })} />
      <NewOrder opened={isNew} close={() => set({ new: null })} />
      {isImporting && <ImportDialog close={importing.close} />}
    </div>
  );
}
