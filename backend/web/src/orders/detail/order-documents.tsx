import { Anchor, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useI18n, useMessages } from '../../i18n/i18n';
import { invoicesOfQuery } from '../../invoices/invoices-api';
import { StatusBadge } from '../../invoices/status-badge';
import type { Order } from '../../order-data/orders-api';
import { leadOfQuery } from '../../requests/requests-api';
import { MESSAGES } from './messages';

/** The request an order was created from and its invoices; empty without either. */
export function OrderDocuments({ order }: { order: Order }) {
  const pageMessages = useMessages(MESSAGES);
  const { formatDateTime } = useI18n();
  const request = useQuery(leadOfQuery(order.id)).data?.items[0];
  const invoices = useQuery(invoicesOfQuery(order.id)).data?.items ?? [];
  if (!request && invoices.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5">
        {pageMessages.papers}
      </Title>
      <Group gap="md">
        {request && (
          <Anchor component={Link} href={`/requests/${request.id}`} size="sm">
            {pageMessages.request(formatDateTime(request.created_at))}
          </Anchor>
        )}
        {invoices.map((invoice) => (
          <Group key={invoice.id} gap={6}>
            <Anchor component={Link} href={`/invoices/${invoice.id}`} size="sm">
              {invoice.number === null ? pageMessages.draft : pageMessages.invoice(invoice.number)}
            </Anchor>
            <StatusBadge invoice={invoice} />
          </Group>
        ))}
      </Group>
    </>
  );
}
