import { Button, Group, Text } from '@mantine/core';
import { useI18n } from '../../i18n/i18n';
import type { Order, WorkflowStatus } from '../../order-data/orders-api';
import { IconArrowRight } from '../../ui/icons.tsx';
import { useMoveOrder } from '../move-order';

/** The usual next statuses. Any other can be chosen in the form. */
const NEXT: Record<WorkflowStatus, WorkflowStatus[]> = {
  negotiation: ['confirmed', 'cancelled'],
  confirmed: ['assigned'],
  assigned: ['printing'],
  printing: ['done', 'packing', 'print_error'],
  print_error: ['printing', 'cancelled'],
  packing: ['delivery', 'done'],
  delivery: ['done'],
  done: ['closed'],
  cancelled: ['closed'],
  closed: [],
};

export function NextStep({ order, isDirty }: { order: Order; isDirty: boolean }) {
  const { messages } = useI18n();
  const move = useMoveOrder();
  const next = NEXT[order.workflow_status];
  if (next.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={messages.order.nextStep}>
      <Text size="sm" fw={600}>
        {messages.order.nextStep}
      </Text>
      {next.map((to, index) => (
        <Button
          key={to}
          size="xs"
          variant={index === 0 ? 'filled' : 'default'}
          leftSection={<IconArrowRight size={14} aria-hidden />}
          // unsaved edits must be saved first
          disabled={isDirty}
          onClick={() => move({ order, to })}
        >
          {messages.order.steps[to] ?? messages.status[to]}
        </Button>
      ))}
    </Group>
  );
}
