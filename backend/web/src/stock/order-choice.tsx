import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../api/client';
import { type Order, ordersApi } from '../order-data/orders-api';
import { readLabel } from '../scan/read-label';
import { stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

const TYPING_MS = 200;

/** Finds orders by scanned label or search text; the newest without input. */
async function find(text: string, signal: AbortSignal): Promise<Order[]> {
  const id = readLabel(text);
  if (!id) return (await stockApi.findOrders(text, signal)).items;
  try {
    return [await ordersApi.get(id, signal)];
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return [];
    throw error;
  }
}

const findQuery = (text: string) =>
  queryOptions({
    queryKey: ['orders', 'find', text],
    queryFn: ({ signal }) => find(text, signal),
    staleTime: 0,
  });

/** Order select with search and scanner support. */
export function OrderChoice({ value, onChange }: { value: Order | null; onChange(order: Order | null): void }) {
  const { messages } = useStockFormats();
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed === value?.model_name ? '' : typed, TYPING_MS);
  const { data = [], isFetching } = useQuery({ ...findQuery(text), placeholderData: (before) => before });
  const client = useQueryClient();
  async function choose(label: string) {
    setTyped(label);
    // an error is that of the search above
    const [only] = await client.fetchQuery(findQuery(label)).catch(() => []);
    if (!only) return;
    onChange(only);
    // also where it was chosen already
    setTyped(only.model_name);
  }
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
      // already filtered by the server, also by fields that aren't displayed
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
        const isEnding = event.key === 'Enter' || event.key === 'Tab';
        if (!isEnding || !readLabel(typed)) return;
        // must not send the form
        if (event.key === 'Enter') event.preventDefault();
        void choose(typed);
      }}
    />
  );
}
