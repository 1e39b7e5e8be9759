import {
  ActionIcon,
  Alert,
  Button,
  Drawer,
  Group,
  Loader,
  Popover,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { api, isId, type Order, Problem } from '../api';
import { copyFrom } from '../clipboard';
import { useSpeech } from '../language';
import { sayProblem } from '../say-problem';
import { dropOrders, putOrders } from './book';
import { History } from './history';
import { NextStep } from './next-step';
import { OrderFields, showFaults, useOrderForm } from './order-fields';
import { type OrderValues, toPatch, toValues } from './order-values';

const OrderExtras = lazy(async () => ({ default: (await import('../order/order-extras')).OrderExtras }));

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
  if (order) return <Editor order={order} close={close} />;
  if (!error) return <Loader />;
  return (
    <Alert color="red">
      {error instanceof Problem && error.status < 500 && error.status > 0 ? words.order.gone : sayProblem(error, words)}
    </Alert>
  );
}

function Editor({ order, close }: { order: Order; close(): void }) {
  const { words } = useSpeech();
  const client = useQueryClient();
  // the order as the form began with it
  const [began, setBegan] = useState(order);
  const form = useOrderForm(toValues(began));
  const isDirty = form.isDirty();
  const isChanged = began !== order && began.updated_at !== order.updated_at;

  function begin(from: Order) {
    setBegan(from);
    form.setInitialValues(toValues(from));
    form.setValues(toValues(from));
    form.resetDirty(toValues(from));
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer order is taken up as soon as nothing is being edited
  useEffect(() => {
    if (began !== order && !isDirty) begin(order);
  }, [order, isDirty]);

  const save = useMutation({
    // `order`, not `began`: that it was changed meanwhile has been said, and only the fields edited here are sent
    mutationFn: (values: OrderValues) => api.updateOrder(order.id, toPatch(values, toValues(began)), order),
    onSuccess(saved) {
      putOrders(client, [saved]);
      begin(saved);
      notifications.show({ message: words.order.saved, icon: <IconCheck size={16} />, color: 'teal' });
    },
    async onError(error) {
      showFaults(form, error);
      if (!(error instanceof Problem && error.code === 'precondition_failed')) return;
      const now = await api.getOrder(order.id).catch(() => undefined);
      if (now) putOrders(client, [now]);
    },
  });

  return (
    <Stack>
      <NextStep order={order} isDirty={isDirty} />
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        {isChanged && isDirty && (
          <Alert color="yellow" mb="sm" role="status">
            {words.order.changed}
          </Alert>
        )}
        {save.error && (
          <Alert color="red" mb="sm" role="alert">
            {sayProblem(save.error, words)}
          </Alert>
        )}
        {order.status_reset_received !== null && (
          <Alert color="orange" mb="sm" variant="light">
            {words.card.resetHint} <code>{order.status_reset_received}</code>
          </Alert>
        )}
        <OrderFields form={form} />
        <Group justify="space-between" mt="md">
          <Group gap="xs">
            <Delete order={order} close={close} />
            <CopyId id={order.id} />
          </Group>
          <Button type="submit" disabled={!isDirty} loading={save.isPending}>
            {words.order.save}
          </Button>
        </Group>
      </form>
      <Suspense fallback={<Skeleton height={120} />}>
        <OrderExtras order={order} />
      </Suspense>
      <Title order={3} size="h5">
        {words.order.history}
      </Title>
      <History orderId={order.id} />
    </Stack>
  );
}

function CopyId({ id }: { id: string }) {
  const { words } = useSpeech();
  const text = useRef<HTMLSpanElement>(null);
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <Tooltip label={isCopied ? words.order.copied : `${words.order.copyId}: ${id}`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={words.order.copyId}
          onClick={async () => setCopied(text.current !== null && (await copyFrom(text.current)))}
        >
          {isCopied ? <IconCheck size={18} /> : <IconCopy size={18} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden ref={text} aria-hidden>
        {id}
      </VisuallyHidden>
    </>
  );
}

function Delete({ order, close }: { order: Order; close(): void }) {
  const { words } = useSpeech();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.deleteOrder(order.id),
    onSuccess() {
      close();
      dropOrders(client, [order.id]);
      notifications.show({ message: words.order.deleted });
    },
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, words) }),
  });
  return (
    <Popover withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button variant="subtle" color="red" c="red" leftSection={<IconTrash size={16} aria-hidden />}>
          {words.order.delete}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="sm" maw={240}>
          {words.order.deleteAsk}
        </Text>
        <Button color="red" size="xs" loading={remove.isPending} onClick={() => remove.mutate()}>
          {words.order.delete}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
