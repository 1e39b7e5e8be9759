import { Alert, Button, Group, NumberInput, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Order, Problem } from '../../api/api';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { sayProblem } from '../../api/format-error';
import { useBooking } from '../../stock/dialog';
import { type Filament, findBooked, stockApi } from '../../stock/stock-api';
import { offerUndo } from '../../stock/undo';
import { useStock } from '../../stock/use-stock-formats';
import { isAskedFor } from './costs';
import { WORDS } from './messages';

interface BookProps {
  order: Order;
  bookedGrams: number;
  filaments: Filament[];
}

/** Books material for an order: as many grams as it takes and were not booked yet. */
export function BookMaterial({ order, bookedGrams, filaments }: BookProps) {
  const { words, number } = useSpeech();
  const said = useWordsOf(WORDS);
  const stock = useStock();
  const client = useQueryClient();
  const [filamentId, setFilamentId] = useState<string | null>(null);
  const [typed, setTyped] = useState<number | string>();
  const missing = Math.max(0, Math.round((order.material_grams - bookedGrams) * 1000) / 1000);
  const grams = Number(typed ?? (missing || order.material_grams));
  const book = useBooking<{ id: string; anyway: boolean }, Filament>({
    send: ({ id, anyway }, key) =>
      stockApi.consume(id, { grams, order_id: order.id, ...(anyway ? { allow_overdraw: true } : {}) }, key),
    async done(filament) {
      const amount = words.board.grams(number(grams));
      setTyped(undefined);
      client.invalidateQueries({ queryKey: ['history', order.id] });
      const entry = await findBooked(filament, 'consumption').catch(() => undefined);
      offerUndo(filament.id, entry, said.booked(amount, filament.name), stock.words.undoDone(stock.grams(grams)));
    },
  });
  if (filaments.length === 0) return null;
  const isTooLittle = book.error instanceof Problem && book.error.code === 'insufficient_stock';
  // what is of the order's material stands first
  const isAsked = (filament: Filament) => Number(isAskedFor(order, filament));
  const sorted = filaments.toSorted((a, b) => isAsked(b) - isAsked(a) || a.name.localeCompare(b.name));
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
            book.reset();
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
            book.reset();
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
