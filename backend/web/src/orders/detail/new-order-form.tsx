import { Alert } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/client';
import { newKey } from '../../api/ids';
import { useCurrency } from '../../auth/use-currency';
import { DraftBanner } from '../../drafts/draft-banner';
import { formatError } from '../../i18n/format-error';
import { useI18n } from '../../i18n/i18n';
import { ordersApi } from '../../order-data/orders-api';
import { putOrders } from '../../order-data/orders-cache';
import { FormFooter } from '../../ui/form-footer';
import { showFaults } from '../../ui/show-faults';
import { OrderFields, useOrderForm } from './order-fields';
import { newValues, type OrderValues, toNewOrder } from './order-values';

export function NewOrderForm({ close }: { close(): void }) {
  const { messages } = useI18n();
  const client = useQueryClient();
  const currency = useCurrency();
  const draft = useOrderForm('new-order', newValues(currency), true);
  const { form } = draft;
  const [key, setKey] = useState(() => newKey());
  const create = useMutation({
    mutationFn: (values: OrderValues) => ordersApi.create(toNewOrder(values), key),
    onSuccess(order, sent) {
      putOrders(client, [order]);
      draft.saved(newValues(currency), sent);
      notifications.show({ message: messages.order.created });
      close();
    },
    onError(error) {
      showFaults(form, error);
      // after a refusal the next submit is a new request; without a response it is a retry with the same key
      if (error instanceof Problem && error.status > 0) setKey(newKey());
    },
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => create.mutate(values))}>
      {create.error && (
        <Alert color="red" mb="sm" role="alert">
          {formatError(create.error, messages)}
        </Alert>
      )}
      <DraftBanner draft={draft} fields={{}} />
      <OrderFields form={form} isNew />
      <FormFooter close={close} submit={messages.order.create} isPending={create.isPending} mt="md" />
    </form>
  );
}
