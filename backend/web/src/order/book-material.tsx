import { Alert, Button, Group, NumberInput, Select, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { newKey, type Order, Problem } from '../api';
import { useSpeech, useWordsOf } from '../language';
import { sayProblem } from '../say-problem';
import { type Filament, orderApi } from './order-api';
import { WORDS } from './words';

interface BookProps {
  order: Order;
  bookedGrams: number;
  filaments: Filament[];
}

/** Books material for an order: as many grams as it takes and were not booked yet. */
export function BookMaterial({ order, bookedGrams, filaments }: BookProps) {
  const { words, number } = useSpeech();
  const said = useWordsOf(WORDS);
  const client = useQueryClient();
  const [filamentId, setFilamentId] = useState<string | null>(null);
  const [typed, setTyped] = useState<number | string>();
  const [key, setKey] = useState(() => newKey());
  const missing = Math.max(0, Math.round((order.material_grams - bookedGrams) * 1000) / 1000);
  const grams = Number(typed ?? (missing || order.material_grams));
  const book = useMutation({
    mutationFn: ({ id, anyway }: { id: string; anyway: boolean }) =>
      orderApi.consume(id, { grams, order_id: order.id, ...(anyway ? { allow_overdraw: true } : {}) }, key),
    onSuccess(filament) {
      notifications.show({ color: 'teal', message: said.booked(words.board.grams(number(grams)), filament.name) });
      client.invalidateQueries({ queryKey: ['history', order.id] });
      client.invalidateQueries({ queryKey: ['filaments'] });
      setTyped(undefined);
      setKey(newKey());
    },
    onError(error) {
      // refused: what is sent next is another booking. Not answered: the same one again
      if (error instanceof Problem && error.status > 0) setKey(newKey());
    },
  });
  const change = () => {
    // another booking than the one that may have arrived
    setKey(newKey());
    book.reset();
  };
  if (filaments.length === 0) return null;
  const isTooLittle = book.error instanceof Problem && book.error.code === 'insufficient_stock';
  // what is of the order's material stands first
  const isAsked = ({ type_name, name }: Filament) =>
    order.material_name !== '' && [type_name, name].includes(order.material_name);
  const sorted = filaments.toSorted((a, b) => Number(isAsked(b)) - Number(isAsked(a)) || a.name.localeCompare(b.name));
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end" wrap="wrap">
        <Select
          size="xs"
          flex="1 1 12rem"
          label={said.book}
          placeholder={said.choose}
          searchable
          allowDeselect={false}
          data={sorted.map(({ id, name, remaining_grams }) => ({
            value: id,
            label: `${name} (${said.left(words.board.grams(number(remaining_grams)))})`,
          }))}
          value={filamentId}
          onChange={(id) => {
            setFilamentId(id);
            change();
          }}
        />
        <NumberInput
          size="xs"
          w={110}
          label={said.grams}
          min={0}
          max={1_000_000}
          decimalScale={3}
          value={grams}
          onChange={(value) => {
            setTyped(value);
            change();
          }}
        />
        <Button
          size="xs"
          variant="default"
          disabled={filamentId === null || !(grams > 0)}
          loading={book.isPending}
          onClick={() => filamentId && book.mutate({ id: filamentId, anyway: false })}
        >
          {said.book}
        </Button>
      </Group>
      {book.error && (
        <Alert color={isTooLittle ? 'yellow' : 'red'} role="alert">
          <Stack gap="xs" align="flex-start">
            {isTooLittle ? said.tooLittle : sayProblem(book.error, words)}
            {isTooLittle && filamentId && (
              <Button
                size="xs"
                variant="default"
                loading={book.isPending}
                onClick={() => book.mutate({ id: filamentId, anyway: true })}
              >
                {said.anyway}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}
