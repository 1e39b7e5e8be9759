import { Alert, Drawer } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Problem } from '../../api/client';
import { isId } from '../../api/ids';
import { formatError } from '../../i18n/format-error';
import { useI18n } from '../../i18n/i18n';
import { ordersApi } from '../../order-data/orders-api';
import { LazyPartLoader, lazyPart } from '../../ui/lazy-part';

export const OrderEditor = lazyPart('order-editor', async () => (await import('./order-editor')).OrderEditor);

const orderQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['order', id],
    queryFn: ({ signal }) => ordersApi.get(id ?? '', signal),
    enabled: id !== null && isId(id),
    // always refetched, because only a single order is returned with its ETag
    staleTime: 0,
    structuralSharing: false,
  });

export function OrderDrawer({ id, close }: { id: string | null; close(): void }) {
  const { messages } = useI18n();
  const { data: order } = useQuery(orderQuery(id));
  return (
    <Drawer
      opened={id !== null}
      onClose={close}
      position="right"
      size="lg"
      title={order?.model_name ?? messages.order.title}
      styles={{ title: { fontWeight: 600, overflowWrap: 'anywhere' } }}
      closeButtonProps={{ 'aria-label': messages.order.close }}
    >
      {id !== null &&
        (isId(id) ? <Loaded key={id} id={id} close={close} /> : <Alert color="red">{messages.order.gone}</Alert>)}
    </Drawer>
  );
}

function Loaded({ id, close }: { id: string; close(): void }) {
  const { messages } = useI18n();
  const { data: order, error } = useQuery(orderQuery(id));
  if (order) return <OrderEditor order={order} close={close} />;
  if (!error) return <LazyPartLoader />;
  return (
    <Alert color="red">
      {error instanceof Problem && error.status < 500 && error.status > 0
        ? messages.order.gone
        : formatError(error, messages)}
    </Alert>
  );
}
