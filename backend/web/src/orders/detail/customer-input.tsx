import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Order, ordersApi } from '../../order-data/orders-api';
import { columnOf } from '../order-columns';
import type { OrderForm } from './order-values';

const TYPING_MS = 200;

interface Customer {
  name: string;
  contact: string | null;
}

/** The customers of orders, with the contact that was used last. */
function customersOf(orders: Order[]): Customer[] {
  const customers = new Map<string, Customer>();
  for (const { customer_name: name, customer_contact: contact } of orders) {
    if (!name) continue;
    const known = customers.get(name);
    customers.set(name, { name, contact: known?.contact ?? contact });
  }
  return [...customers.values()];
}

/** The order's customer: any name, or one of an earlier order, which also sets the contact. */
export function CustomerInput({ form, label }: { form: OrderForm; label: string }) {
  const typed = form.values.customer_name.trim();
  const [text] = useDebouncedValue(typed.slice(0, 200), TYPING_MS);
  const { data: customers = [] } = useQuery({
    queryKey: ['orders', 'customers', text],
    queryFn: async ({ signal }) => {
      const search = text && `&q=${encodeURIComponent(text)}`;
      const { items } = await ordersApi.list(`include_closed=true&sort=-updated_at${search}`, 1, signal);
      return customersOf(items);
    },
    placeholderData: (before) => before,
  });
  return (
    <Autocomplete
      label={label}
      maxLength={columnOf('customer_name').max}
      // browsers would suggest the owner's own name
      autoComplete="off"
      limit={20}
      data={customers.map(({ name }) => name)}
      {...form.getInputProps('customer_name')}
      onOptionSubmit={(name) => {
        const contact = customers.find((one) => one.name === name)?.contact;
        if (contact && form.values.customer_contact.trim() === '') form.setFieldValue('customer_contact', contact);
      }}
    />
  );
}
