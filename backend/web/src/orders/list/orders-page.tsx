import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { ordersQuery } from '../../order-data/orders-cache';
import { isEnded } from '../../order-data/statuses';
import { daysUntil } from '../../time';
import { FailedDialog, lazyPart } from '../../ui/lazy-part';
import { Empty, Failed, Loading } from '../../ui/page';
import { useTitle } from '../../ui/use-title';
import { NewOrder } from '../detail/new-order';
import { OrderDrawer } from '../detail/order-drawer';
import type { ColumnName } from '../order-columns';
import { useOrderSearch } from '../use-order-search';
import { BulkBar } from './bulk-bar';
import { loadColumns, saveColumns, sorting } from './columns';
import { Grid } from './grid';
import { type DueFilter, fromSort, useListUrl } from './list-url';
import { MESSAGES } from './messages';
import classes from './orders.module.css';
import { useSelection } from './selection';
import { Toolbar } from './toolbar';

const ImportDialog = lazyPart('import', async () => (await import('../csv/import-dialog')).ImportDialog, {
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

/** The order list with search, sorting, bulk actions and CSV import and export. */
export function OrdersPage() {
  const { messages, language } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const url = useListUrl();
  const { q, printerId, showsClosed, statuses, due, sort, orderId, isNew, set } = url;
  useTitle(messages.nav.orders);
  const isPhone = useMediaQuery('(max-width: 640px)') ?? false;
  const [columns, setColumns] = useState(loadColumns);
  const [isImporting, importing] = useDisclosure(false);

  const open = useQuery(ordersQuery('open'));
  const closed = useQuery({ ...ordersQuery('closed'), enabled: showsClosed });
  const search = useOrderSearch(q);
  const { isFound } = search;
  const rows = useMemo(() => {
    if (!open.data) return NOTHING;
    const all = [...open.data.orders.values(), ...((showsClosed && closed.data?.orders.values()) || [])];
    return all
      .filter(
        (order) =>
          isFound(order.id) &&
          (printerId === null || order.printer_id === printerId) &&
          (statuses.length === 0 || statuses.includes(order.workflow_status)) &&
          (due === null || isDue(order, due)),
      )
      .sort(sorting(sort.by, sort.descending, language));
  }, [open.data, closed.data, showsClosed, isFound, printerId, statuses, due, sort, language]);
  const selection = useSelection(rows);

  const openOrder = useCallback((id: string) => set({ order: id }, { replace: false }), [set]);
  const openNew = () => set({ new: '1' }, { replace: false });
  // matched by key position, so it works with a Cyrillic layout too
  useHotkeys([['n', openNew, { usePhysicalKeys: true }]]);
  const exportCsv = async (orders: Order[]) => (await import('../csv/write')).downloadOrders(orders, language);

  function choose(names: ColumnName[]) {
    saveColumns(names);
    setColumns(names);
  }

  const isEmpty = open.data?.total === 0 && !showsClosed;
  const loading = open.isFetching && open.data && open.data.orders.size < open.data.total;
  return (
    <div className={classes.page}>
      <VisuallyHidden component="h1">{messages.nav.orders}</VisuallyHidden>
      <Toolbar
        url={url}
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
          {/* the line keeps its height while nothing is known */}
          {!open.data
            ? '\u00a0'
            : loading
              ? messages.board.loading(open.data.orders.size, open.data.total)
              : messages.board.orders(rows.length)}
          {showsClosed &&
            closed.data &&
            closed.data.total > closed.data.orders.size &&
            !closed.isFetching &&
            `. ${messages.status.closed}: ${messages.board.newest(closed.data.orders.size)}`}
        </Text>
        {open.data && !isEmpty && rows.length === 0 && !search.isWaiting && !search.error && (
          <>
            <Text size="sm">{messages.board.nothingFound}</Text>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => set({ q: null, printer: null, status: null, due: null })}
            >
              {messages.board.clear}
            </Button>
          </>
        )}
      </Group>
      {search.error && <Failed error={search.error} retry={search.refetch} />}
      {!open.data && open.error && <Failed error={open.error} retry={open.refetch} />}
      {!open.data && !open.error && <Loading lines={10} />}
      {isEmpty && (
        <Empty title={pageMessages.empty} lead={pageMessages.emptyLead}>
          <Group gap="xs">
            <Button onClick={openNew}>{messages.board.newOrder}</Button>
            <Button variant="default" onClick={importing.open}>
              {pageMessages.import}
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
