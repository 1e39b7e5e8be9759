import { Alert, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, isId, Problem } from '../../api/api';
import { useSpeech } from '../../i18n/i18n';
import { part, Waiting } from '../../ui/lazy-part';
import { sayProblem } from '../../api/format-error';

export const OrderEditor = part('order-editor', async () => (await import('./order-editor')).OrderEditor);

export function OrderDrawer({ id, close }: { id: string | null; close(): void }) {
  const { words } = useSpeech();
  return (
    <Drawer
      opened={id !== null}
      onClose={close}
      position="right"
      size="lg"
      title={words.order.title}
      closeButtonProps={{ 'aria-label': words.order.close }}
    >
      {id !== null &&
        (isId(id) ? <Loaded key={id} id={id} close={close} /> : <Alert color="red">{words.order.gone}</Alert>)}
    </Drawer>
  );
}

function Loaded({ id, close }: { id: string; close(): void }) {
  const { words } = useSpeech();
  const { data: order, error } = useQuery({
    queryKey: ['order', id],
    queryFn: ({ signal }) => api.getOrder(id, signal),
    // asked for at every opening: only a single order is answered with its version
    staleTime: 0,
    structuralSharing: false,
  });
  if (order) return <OrderEditor order={order} close={close} />;
  if (!error) return <Waiting />;
  return (
    <Alert color="red">
      {error instanceof Problem && error.status < 500 && error.status > 0 ? words.order.gone : sayProblem(error, words)}
    </Alert>
  );
}
