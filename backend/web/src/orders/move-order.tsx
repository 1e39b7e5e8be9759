import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Order, Problem, type WorkflowStatus } from '../api/api';
import { useSpeech } from '../i18n/i18n';
import { sayProblem } from '../api/format-error';
import type { Words } from '../i18n/messages';
import { dropOrders, findInBook, putOrders } from './orders-cache';

interface Move {
  order: Order;
  to: WorkflowStatus;
  /** a move that takes another one back is not offered to be taken back itself */
  isUndo?: boolean;
}

const MOVE = ['move'];
const NOTICE = 'moved';
const UNDO_MS = 6_000;

/** The newest move and a way back from it: a card is easily dropped beside where it was meant to go. */
function offerUndo(text: string, words: Words, undo: () => void) {
  // on a phone what is below is where the thumb goes
  const position = window.matchMedia('(max-width: 640px)').matches ? 'top-center' : 'bottom-center';
  notifications.hide(NOTICE);
  notifications.show({
    id: NOTICE,
    position,
    autoClose: UNDO_MS,
    closeButtonProps: { 'aria-label': words.order.close },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={2}>
          {text}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => {
            notifications.hide(NOTICE);
            undo();
          }}
        >
          {words.move.undo}
        </Button>
      </Group>
    ),
  });
}

/** Moves a card to another column: shown at once, taken back with a notice when the service refuses. */
export function useMove() {
  const client = useQueryClient();
  const { words } = useSpeech();
  const mutation = useMutation({
    mutationKey: MOVE,
    // one after the other: two moves of one card must arrive in the order they were made
    scope: { id: 'move' },
    mutationFn: ({ order, to, isUndo = false }: Move) =>
      // what is taken back must still be as the move left it
      api.updateOrder(order.id, { workflow_status: to }, isUndo ? order : (findInBook(client, order.id) ?? order)),
    onSuccess(order, { order: before, to, isUndo = false }) {
      putOrders(client, [order]);
      if (isUndo || before.workflow_status === to) return;
      offerUndo(words.move.dropped(order.model_name, words.status[to]), words, () =>
        mutation.mutate({ order, to: before.workflow_status, isUndo: true }),
      );
    },
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
  });
  return mutation.mutate;
}

/** Where the cards are going whose move is not answered yet. */
export function usePendingMoves(): ReadonlyMap<string, WorkflowStatus> {
  const moves = useMutationState({
    filters: { mutationKey: MOVE, status: 'pending' },
    select: ({ state }) => state.variables as Move,
  });
  return useMemo(() => new Map(moves.map(({ order, to }) => [order.id, to])), [moves]);
}
