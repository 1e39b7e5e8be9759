import { Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import { api, newKey, type Order, Problem, type WorkflowStatus } from '../../api/api';
import { dropOrders, putOrders } from '../orders-cache';
import { holdLive } from '../../api/live-updates';
import { sayProblem } from '../../api/format-error';
import type { Words } from '../../i18n/messages';
import { doAll } from '../../api/map-concurrent';
import type { ListWords } from './messages';

const MAX_NAMED = 8;
const UNDO_MS = 20_000;
/** Answers are shown together: each showing goes through the whole book. */
const SHOW_MS = 250;

interface Move {
  order: Order;
  to: WorkflowStatus;
}

interface Said {
  words: Words;
  said: ListWords;
}

/** Shows answers as they come, a few times a second. */
function showing(client: QueryClient) {
  let arrived: Order[] = [];
  const show = () => {
    if (arrived.length > 0) putOrders(client, arrived);
    arrived = [];
  };
  const timer = setInterval(show, SHOW_MS);
  return {
    add: (order: Order) => arrived.push(order),
    end() {
      clearInterval(timer);
      show();
    },
  };
}

/** What could not be done, by name. */
function tellFailures(title: string, failed: { order: Order; error: Error }[], { words, said }: Said) {
  const reason = (error: Error) =>
    error instanceof Problem && error.code === 'precondition_failed' ? said.changedSince : sayProblem(error, words);
  notifications.show({
    color: 'red',
    autoClose: false,
    title,
    closeButtonProps: { 'aria-label': words.order.close },
    message: (
      <List size="sm">
        {failed.slice(0, MAX_NAMED).map(({ order, error }) => (
          <List.Item key={order.id}>
            {order.model_name}: {reason(error)}
          </List.Item>
        ))}
        {failed.length > MAX_NAMED && <List.Item>{said.andMore(failed.length - MAX_NAMED)}</List.Item>}
      </List>
    ),
  });
}

/**
 * Moves orders, one request each, and tells how far it is, what it came to, and how to take it back. Goes on while other
 * pages are looked at.
 * @returns the orders that were not moved
 */
export async function moveAll(client: QueryClient, moves: Move[], speech: Said, isUndo = false): Promise<Order[]> {
  const { words, said } = speech;
  const id = newKey();
  const progress = (done: number) => (
    <Stack gap={4}>
      <Text size="sm">{said.progress(done, moves.length)}</Text>
      <Progress value={(100 * done) / moves.length} aria-label={said.moving} />
    </Stack>
  );
  const closeButtonProps = { 'aria-label': words.order.close };
  notifications.show({ id, title: said.moving, message: progress(0), autoClose: false, withCloseButton: false });
  const shown = showing(client);
  const release = holdLive();
  const outcomes = await doAll(
    moves,
    async ({ order, to }) => {
      // what is taken back must still be as it was left; a first move means all that were chosen
      const moved = await api.updateOrder(order.id, { workflow_status: to }, isUndo ? order : undefined);
      shown.add(moved);
      return moved;
    },
    (done) => notifications.update({ id, title: said.moving, message: progress(done), autoClose: false }),
  );
  shown.end();
  release();

  const back: Move[] = [];
  const failed: { order: Order; error: Error }[] = [];
  for (const { item, result, error } of outcomes) {
    if (result) back.push({ order: result, to: item.order.workflow_status });
    if (error) failed.push({ order: item.order, error });
  }
  const gone = failed.filter(({ error }) => error instanceof Problem && error.code === 'not_found');
  if (gone.length > 0)
    dropOrders(
      client,
      gone.map(({ order }) => order.id),
    );
  if (back.length === 0) notifications.hide(id);
  else {
    const undo = () => {
      notifications.hide(id);
      void moveAll(client, back, speech, true);
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
          <Text size="sm">{isUndo ? said.movedBack(back.length) : said.moved(back.length)}</Text>
          {!isUndo && (
            <Button size="compact-sm" variant="default" onClick={undo}>
              {said.undo}
            </Button>
          )}
        </Group>
      ),
    });
  }
  if (failed.length > 0) tellFailures(said.notMoved(failed.length), failed, speech);
  return failed.map(({ order }) => order);
}
