import { notifications } from '@mantine/notifications';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Order, Problem, type WorkflowStatus } from '../api';
import { useSpeech } from '../language';
import { sayProblem } from '../say-problem';
import { dropOrders, findInBook, putOrders } from './book';

interface Move {
  order: Order;
  to: WorkflowStatus;
}

const MOVE = ['move'];

/** Moves a card to another column: shown at once, taken back with a notice when the service refuses. */
export function useMove() {
  const client = useQueryClient();
  const { words } = useSpeech();
  return useMutation({
    mutationKey: MOVE,
    // one after the other: two moves of one card must arrive in the order they were made
    scope: { id: 'move' },
    mutationFn: ({ order, to }: Move) =>
      api.updateOrder(order.id, { workflow_status: to }, findInBook(client, order.id) ?? order),
    onSuccess: (order) => putOrders(client, [order]),
    async onError(error, { order }) {
      const code = error instanceof Problem ? error.code : undefined;
      const isChanged = code === 'precondition_failed';
      if (code === 'not_found') dropOrders(client, [order.id]);
      if (isChanged) {
        const now = await api.getOrder(order.id).catch(() => undefined);
        if (now) putOrders(client, [now]);
      }
      notifications.show({
        color: 'red',
        title: words.move.failed(order.model_name),
        message: isChanged ? words.move.changed : sayProblem(error, words),
      });
    },
  }).mutate;
}

/** Where the cards are going whose move is not answered yet. */
export function usePendingMoves(): ReadonlyMap<string, WorkflowStatus> {
  const moves = useMutationState({
    filters: { mutationKey: MOVE, status: 'pending' },
    select: ({ state }) => state.variables as Move,
  });
  return useMemo(() => new Map(moves.map(({ order, to }) => [order.id, to])), [moves]);
}
