import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Order, Problem } from '../api/api';
import { stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

const TYPING_MS = 200;
const LABEL = /(?:ORDER-)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/i;

/** By a scanned label the one order, by words those that have them, by nothing the newest. */
async function find(text: string, signal: AbortSignal): Promise<Order[]> {
  const id = LABEL.exec(text)?.[1];
  if (!id) return (await stockApi.findOrders(text, signal)).items;
  try {
    return [await api.getOrder(id.toLowerCase(), signal)];
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return [];
    throw error;
  }
}

/** An order to book something for, looked for as one types or scans. */
export function OrderChoice({ value, onChange }: { value: Order | null; onChange(order: Order | null): void }) {
  const { messages } = useStockFormats();
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed === value?.model_name ? '' : typed, TYPING_MS);
  const { data = [], isFetching } = useQuery({
    queryKey: ['orders', 'find', text],
    queryFn: ({ signal }) => find(text, signal),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  const known = value && !data.some(({ id }) => id === value.id) ? [value, ...data] : data;
  return (
    <Select
      label={messages.order}
      description={messages.orderWhy}
      placeholder={messages.orderHint}
      clearable
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // the service has looked already, also in fields that are not shown
      filter={({ options }) => options}
      nothingFoundMessage={isFetching ? '…' : messages.orderNone}
      data={known.map(({ id, model_name }) => ({ value: id, label: model_name }))}
      renderOption={({ option }) => {
        const order = known.find(({ id }) => id === option.value);
        return [option.label, order?.customer_name, order?.material_name].filter(Boolean).join(' · ');
      }}
      value={value?.id ?? null}
      onChange={(id) => onChange(known.find((order) => order.id === id) ?? null)}
      onKeyDown={(event) => {
        // a scanner ends with Enter before the list is there: the one order is taken as soon as it is
        const [only] = data;
        if (event.key === 'Enter' && LABEL.test(typed) && only && text === typed) onChange(only);
      }}
    />
  );
}
