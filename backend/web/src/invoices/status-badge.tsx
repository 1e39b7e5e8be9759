import { Badge, Group } from '@mantine/core';
import { useMessages } from '../i18n/i18n';
import type { Invoice } from './invoices-api';
import { MESSAGES } from './messages';

const COLORS = { draft: 'gray', issued: 'blue', paid: 'teal', void: 'gray' } as const;

/** The status of an invoice, and whether a payment needs review. */
export function StatusBadge({ invoice: { status, needs_review } }: { invoice: Invoice }) {
  const messages = useMessages(MESSAGES);
  return (
    <Group gap={4} component="span" w="max-content">
      <Badge
        tt="none"
        autoContrast
        color={COLORS[status]}
        variant={status === 'paid' || status === 'issued' ? 'filled' : 'default'}
        td={status === 'void' ? 'line-through' : undefined}
      >
        {messages.statuses[status]}
      </Badge>
      {needs_review && (
        <Badge tt="none" color="yellow" autoContrast>
          {messages.needsReview}
        </Badge>
      )}
    </Group>
  );
}
