import { Stack, Text, Title } from '@mantine/core';
import { useMessages } from '../../i18n/i18n';
import { OrderLabel } from '../../labels/order-label';
import type { Order } from '../../order-data/orders-api';
import { MESSAGES } from './messages';
import { OrderCosts } from './order-costs';
import { OrderDocuments } from './order-documents';

/** The part of the drawer below the fields, loaded with the first opened order. */
export function OrderExtras({ order }: { order: Order }) {
  const pageMessages = useMessages(MESSAGES);
  return (
    <Stack>
      {order.source !== null && (
        <Text size="sm" c="dimmed">
          {pageMessages.from(order.source, order.external_id ?? '')}
        </Text>
      )}
      <Title order={3} size="h5">
        {pageMessages.material}
      </Title>
      <OrderCosts order={order} />
      <Title order={3} size="h5">
        {pageMessages.label}
      </Title>
      <OrderLabel order={order} />
      <OrderDocuments order={order} />
    </Stack>
  );
}
