import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Problem } from '../api/client';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';
import type { Messages } from '../i18n/messages';
import { type Order, ordersApi, type WorkflowStatus } from '../order-data/orders-api';
import { findCachedOrder, putOrders, removeOrders } from '../order-data/orders-cache';

interface Move {
  order: Order;
  to: WorkflowStatus;
  /** the undo of a move offers no undo itself */
  isUndo?: boolean;
}

const MOVE_KEY = ['move'];
const NOTIFICATION_ID = 'moved';
const UNDO_MS = 6_000;

/** Notification about the latest move with an undo button, because cards are easily dropped in the wrong column. */
function showUndoNotification(text: string, messages: Messages, undo: () => void) {
  // the bottom of a phone screen is needed for navigation
  const position = window.matchMedia('(max-width: 640px)').matches ? 'top-center' : 'bottom-center';
  notifications.hide(NOTIFICATION_ID);
  notifications.show({
    id: NOTIFICATION_ID,
    position,
    autoClose: UNDO_MS,
    closeButtonProps: { 'aria-label': messages.order.close },
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
            notifications.hide(NOTIFICATION_ID);
            undo();
          }}
        >
          {messages.move.undo}
        </Button>
      </Group>
    ),
  });
}

/** Moves a card to another column optimistically; rolls back with a notification if the server refuses. */
export function useMoveOrder() {
  const client = useQueryClient();
  const { messages } = useI18n();
  const mutation = useMutation({
    mutationKey: MOVE_KEY,
    // sequential, so that two moves of one card arrive in order
    scope: { id: 'move' },
    mutationFn: ({ order, to, isUndo = false }: Move) =>
      // an undo requires the order to be unchanged since the move
      ordersApi.update(
        order.id,
        { workflow_status: to },
        isUndo ? order : (findCachedOrder(client, order.id) ?? order),
      ),
    onSuccess(order, { order: before, to, isUndo = false }) {
      putOrders(client, [order]);
      if (isUndo || before.workflow_status === to) return;
      showUndoNotification(messages.move.dropped(order.model_name, messages.status[to]), messages, () =>
        mutation.mutate({ order, to: before.workflow_status, isUndo: true }),
      );
    },
    async onError(error, { order }) {
      const code = error instanceof Problem ? error.code : undefined;
      const isChanged = code === 'precondition_failed';
      if (code === 'not_found') removeOrders(client, [order.id]);
      if (isChanged) {
        const now = await ordersApi.get(order.id).catch(() => undefined);
        if (now) putOrders(client, [now]);
      }
      notifications.show({
        color: 'red',
        title: messages.move.failed(order.model_name),
        message: isChanged ? messages.move.changed : formatError(error, messages),
      });
    },
  });
  return mutation.mutate;
}

/** Target columns of moves that are still pending. */
export function usePendingMoves(): ReadonlyMap<string, WorkflowStatus> {
  const moves = useMutationState({
    filters: { mutationKey: MOVE_KEY, status: 'pending' },
    select: ({ state }) => state.variables as Move,
  });
  return useMemo(() => new Map(moves.map(({ order, to }) => [order.id, to])), [moves]);
}
