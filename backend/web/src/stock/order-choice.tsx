import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Order, Problem } from '../api/api';
import { stockApi } from './stock-api';
import { useStockFormats } from './use-stock-formats';

const TYPING_MS = 200;
const LABEL = /(?:ORDER-)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/i;

/** Finds orders by scanned label or search text; the newest without input. */
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

/** Order select with search and scanner support. */
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
        // a scanner presses Enter before the results arrive: select the order once it is found
        const [only] = data;
        if (event.key === 'Enter' && LABEL.test(typed) && only && text === typed) onChange(only);
      }}
    />
  );
}
