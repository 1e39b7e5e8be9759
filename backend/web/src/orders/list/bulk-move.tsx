import { Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { Problem } from '../../api/client';
import { newKey } from '../../api/ids';
import { mapConcurrent } from '../../api/map-concurrent';
import { formatError } from '../../i18n/format-error';
import type { Messages } from '../../i18n/messages';
import { pauseOrderUpdates } from '../../order-data/order-updates';
import { type Order, ordersApi, type WorkflowStatus } from '../../order-data/orders-api';
import { putOrders, removeOrders } from '../../order-data/orders-cache';
import type { ListMessages } from './messages';

const MAX_NAMED = 8;
const UNDO_MS = 20_000;
/** Results are shown in batches, because each update re-renders all orders. */
const SHOW_MS = 250;

interface Move {
  order: Order;
  to: WorkflowStatus;
}

interface MoveI18n {
  messages: Messages;
  pageMessages: ListMessages;
}

/** Writes results to the cache a few times per second. */
function createBatchedUpdates(client: QueryClient) {
  let received: Order[] = [];
  const show = () => {
    if (received.length > 0) putOrders(client, received);
    received = [];
  };
  const timer = setInterval(show, SHOW_MS);
  return {
    add: (order: Order) => received.push(order),
    end() {
      clearInterval(timer);
      show();
    },
  };
}

/** Lists the failures by name. */
function showFailures(title: string, failed: { order: Order; error: Error }[], { messages, pageMessages }: MoveI18n) {
  const reason = (error: Error) =>
    error instanceof Problem && error.code === 'precondition_failed'
      ? pageMessages.changedSince
      : formatError(error, messages);
  notifications.show({
    color: 'red',
    autoClose: false,
    title,
    closeButtonProps: { 'aria-label': messages.order.close },
    message: (
      <List size="sm">
        {failed.slice(0, MAX_NAMED).map(({ order, error }) => (
          <List.Item key={order.id}>
            {order.model_name}: {reason(error)}
          </List.Item>
        ))}
        {failed.length > MAX_NAMED && <List.Item>{pageMessages.andMore(failed.length - MAX_NAMED)}</List.Item>}
      </List>
    ),
  });
}

/**
 * Moves orders with one request each, showing progress, the result and an undo. Continues while other pages are open.
 * @returns the orders that weren't moved
 */
export async function moveOrders(client: QueryClient, moves: Move[], i18n: MoveI18n, isUndo = false): Promise<Order[]> {
  const { messages, pageMessages } = i18n;
  const id = newKey();
  const progress = (done: number) => (
    <Stack gap={4}>
      <Text size="sm">{pageMessages.progress(done, moves.length)}</Text>
      <Progress value={(100 * done) / moves.length} aria-label={pageMessages.moving} />
    </Stack>
  );
  const closeButtonProps = { 'aria-label': messages.order.close };
  notifications.show({
    id,
    title: pageMessages.moving,
    message: progress(0),
    autoClose: false,
    withCloseButton: false,
  });
  const shown = createBatchedUpdates(client);
  const resume = pauseOrderUpdates();
  const outcomes = await mapConcurrent(
    moves,
    async ({ order, to }) => {
      // an undo requires unchanged orders; the first move overwrites
      const moved = await ordersApi.update(order.id, { workflow_status: to }, isUndo ? order : undefined);
      shown.add(moved);
      return moved;
    },
    (done) => notifications.update({ id, title: pageMessages.moving, message: progress(done), autoClose: false }),
  );
  shown.end();
  resume();

  const back: Move[] = [];
  const failed: { order: Order; error: Error }[] = [];
  for (const { item, result, error } of outcomes) {
    if (result) back.push({ order: result, to: item.order.workflow_status });
    if (error) failed.push({ order: item.order, error });
  }
  const gone = failed.filter(({ error }) => error instanceof Problem && error.code === 'not_found');
  if (gone.length > 0)
    removeOrders(
      client,
      gone.map(({ order }) => order.id),
    );
  if (back.length === 0) notifications.hide(id);
  else {
    const undo = () => {
      notifications.hide(id);
      void moveOrders(client, back, i18n, true);
    };
    notifications.update({
      id,
      title: undefined,
      color: 'teal',
      autoClose: UNDO_MS,
      withCloseButton: true,
      closeButtonProps,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{isUndo ? pageMessages.movedBack(back.length) : pageMessages.moved(back.length)}</Text>
          {!isUndo && (
            <Button size="compact-sm" variant="default" onClick={undo}>
              {pageMessages.undo}
            </Button>
          )}
        </Group>
      ),
    });
  }
  if (failed.length > 0) showFailures(pageMessages.notMoved(failed.length), failed, i18n);
  return failed.map(({ order }) => order);
}
