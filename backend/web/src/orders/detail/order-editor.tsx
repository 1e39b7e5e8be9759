import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Popover,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { DraftBanner } from '../../drafts/draft-banner';
import { discardUnsaved } from '../../drafts/leave-guard';
import { saveMerged } from '../../drafts/save-merged';
import { formatError } from '../../i18n/format-error';
import { useI18n } from '../../i18n/i18n';
import { type Order, ordersApi } from '../../order-data/orders-api';
import { putOrders, removeOrders } from '../../order-data/orders-cache';
import { copyFrom } from '../../ui/clipboard';
import { IconCheck, IconCopy, IconTrash } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part';
import { showFaults } from '../../ui/show-faults';
import { useTitle } from '../../ui/use-title';
import { useFieldNames } from './field-names';
import { History } from './history';
import { NextStep } from './next-step';
import { OrderFields, TOGETHER, useOrderForm } from './order-fields';
import { type OrderValues, toPatch, toValues } from './order-values';

const OrderExtras = lazyPart('order-extras', async () => (await import('./order-extras')).OrderExtras, {
  waiting: <Skeleton height={120} />,
});

const draftNameOf = ({ id }: Order) => `order:${id}`;

export function OrderEditor({ order, close }: { order: Order; close(): void }) {
  const { messages } = useI18n();
  const client = useQueryClient();
  useTitle(order.model_name);
  const draft = useOrderForm(draftNameOf(order), toValues(order));
  const { form, initial, isDirty } = draft;
  const fields = useFieldNames();

  const save = useMutation({
    mutationFn: (values: OrderValues) =>
      saveMerged({
        record: order,
        initial,
        values,
        together: TOGETHER,
        toValues,
        send: (expected) => ordersApi.update(order.id, toPatch(values, initial), expected),
        async readAgain() {
          const now = await ordersApi.get(order.id);
          putOrders(client, [now]);
          return now;
        },
      }),
    onSuccess(saved, sent) {
      putOrders(client, [saved]);
      draft.saved(toValues(saved), sent);
      notifications.show({ message: messages.order.saved, icon: <IconCheck size={16} />, color: 'teal' });
    },
    onError: (error) => showFaults(form, error),
  });

  return (
    <Stack>
      <NextStep order={order} isDirty={isDirty} />
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <DraftBanner draft={draft} fields={fields} />
        {save.error && !draft.conflicts.length && (
          <Alert color="red" mb="sm" role="alert">
            {formatError(save.error, messages)}
          </Alert>
        )}
        {order.status_reset_received !== null && (
          <Alert color="orange" mb="sm" variant="light">
            {messages.card.resetHint} <code>{order.status_reset_received}</code>
          </Alert>
        )}
        <OrderFields form={form} />
        <Group justify="space-between" mt="md">
          <Group gap="xs">
            <Delete order={order} close={close} />
            <CopyId id={order.id} />
          </Group>
          <Button type="submit" disabled={!isDirty || draft.isUndecided} loading={save.isPending}>
            {messages.order.save}
          </Button>
        </Group>
      </form>
      <OrderExtras order={order} />
      <Title order={3} size="h5">
        {messages.order.history}
      </Title>
      <History orderId={order.id} />
    </Stack>
  );
}

function CopyId({ id }: { id: string }) {
  const { messages } = useI18n();
  const text = useRef<HTMLSpanElement>(null);
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <Tooltip label={isCopied ? messages.order.copied : `${messages.order.copyId}: ${id}`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={messages.order.copyId}
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
  const { messages } = useI18n();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => ordersApi.remove(order.id),
    onSuccess() {
      discardUnsaved(draftNameOf(order));
      close();
      removeOrders(client, [order.id]);
      notifications.show({ message: messages.order.deleted });
    },
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, messages) }),
  });
  return (
    <Popover withArrow trapFocus shadow="md">
      <Popover.Target>
        <Button variant="subtle" color="red" c="red" leftSection={<IconTrash size={16} aria-hidden />}>
          {messages.order.delete}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="sm" maw={240}>
          {messages.order.deleteAsk}
        </Text>
        <Button color="red" size="xs" loading={remove.isPending} onClick={() => remove.mutate()}>
          {messages.order.delete}
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
