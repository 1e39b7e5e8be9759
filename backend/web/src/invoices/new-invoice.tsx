import { Button, Checkbox, Group, Modal, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { formatMoney } from '../i18n/format-money';
import { useI18n, useMessages } from '../i18n/i18n';
import type { Order } from '../order-data/orders-api';
import { IconSearch } from '../ui/icons.tsx';
import { NotLoaded } from '../ui/page';
import classes from './invoices.module.css';
import { invoicesApi, ordersQuery, useInvoiceMutation } from './invoices-api';
import { MESSAGES } from './messages';

const TYPING_MS = 200;

interface Props {
  opened: boolean;
  close(): void;
}

/** Selects orders to invoice: of one customer and in one currency. */
export function NewInvoice({ opened, close }: Props) {
  const messages = useMessages(MESSAGES);
  const isPhone = useMediaQuery('(max-width: 640px)');
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={messages.choose}
      size="lg"
      fullScreen={isPhone ?? false}
      scrollAreaComponent={ScrollArea.Autosize}
      closeButtonProps={{ 'aria-label': messages.close }}
    >
      <Choice close={close} />
    </Modal>
  );
}

function Choice({ close }: Pick<Props, 'close'>) {
  const messages = useMessages(MESSAGES);
  const { language } = useI18n();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [chosen, setChosen] = useState<Order[]>([]);
  const { data, error, refetch } = useQuery(ordersQuery(q));
  const begin = useInvoiceMutation(
    () => invoicesApi.create({ order_ids: chosen.map(({ id }) => id), language }),
    ({ id }) => {
      close();
      navigate(`/invoices/${id}`);
    },
  );
  const customerOf = ({ customer_name }: Order) => customer_name?.trim() || null;
  const [first] = chosen;
  /** Whether an order can be on the same invoice as the selected ones. */
  const fits = (order: Order) =>
    !first ||
    (chosen.every((one) => !customerOf(one) || !customerOf(order) || customerOf(one) === customerOf(order)) &&
      chosen.every((one) => one.price === null || order.price === null || one.currency === order.currency));
  const shown = [...chosen, ...(data?.items ?? []).filter(({ id }) => !chosen.some((one) => one.id === id))];
  const toggle = (order: Order) =>
    setChosen(
      chosen.some(({ id }) => id === order.id) ? chosen.filter(({ id }) => id !== order.id) : [...chosen, order],
    );
  return (
    <Stack>
      <Text size="sm">{messages.chooseLead}</Text>
      <TextInput
        type="search"
        label={messages.findOrder}
        leftSection={<IconSearch size={16} aria-hidden />}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {data ? (
        shown.length === 0 ? (
          <Text role="status">{messages.noOrders}</Text>
        ) : (
          <ScrollArea.Autosize mah={320} type="auto">
            <Stack gap={8}>
              {shown.map((order) => (
                <Checkbox
                  key={order.id}
                  classNames={{ label: classes.wrap ?? '' }}
                  label={[
                    order.model_name,
                    customerOf(order),
                    order.price === null ? messages.noPrice : formatMoney(order.price, order.currency, language),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                  checked={chosen.some(({ id }) => id === order.id)}
                  disabled={!fits(order)}
                  onChange={() => toggle(order)}
                />
              ))}
            </Stack>
          </ScrollArea.Autosize>
        )
      ) : (
        <NotLoaded error={error} retry={refetch} lines={3} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {messages.cancel}
        </Button>
        <Button loading={begin.isPending} onClick={() => begin.mutate(undefined)}>
          {messages.begin(chosen.length)}
        </Button>
      </Group>
    </Stack>
  );
}
