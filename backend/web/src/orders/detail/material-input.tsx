import { Autocomplete, ColorSwatch, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatAmount } from '../../i18n/format-money';
import { useI18n, useMessages } from '../../i18n/i18n';
import { type Filament, filamentsQuery } from '../../stock/stock-api';
import { columnOf } from '../order-columns';
import { MESSAGES } from './messages';
import type { OrderForm } from './order-values';

/** What an order says about a filament. */
const materialOf = ({ type_name, name }: Filament): string => type_name || name;

const GRAMS_PER_KILOGRAM = 1000;
const LIMIT = 50;

/** The order's material: any text, or a filament in stock, which also sets the color. */
export function MaterialInput({ form, label }: { form: OrderForm; label: string }) {
  const { data: filaments = [] } = useQuery(filamentsQuery);
  const byId = new Map(filaments.map((filament) => [filament.id, filament]));
  return (
    <Autocomplete
      label={label}
      maxLength={columnOf('material_name').max}
      limit={LIMIT}
      data={filaments.map((filament) => ({ value: filament.id, label: materialOf(filament) }))}
      filter={({ options, search, limit }) => {
        const text = search.trim().toLowerCase();
        return options
          .filter((option) => {
            const filament = 'value' in option ? byId.get(option.value) : undefined;
            return filament && textOf(filament).includes(text);
          })
          .slice(0, limit);
      }}
      renderOption={({ option }) => {
        const filament = byId.get(option.value);
        return filament && <FilamentOption filament={filament} />;
      }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      {...form.getInputProps('material_name')}
      onOptionSubmit={(id) => {
        const [color] = byId.get(id)?.colors ?? [];
        if (color) form.setFieldValue('color_hex', color);
      }}
    />
  );
}

const textOf = ({ type_name, name, brand }: Filament) => `${type_name} ${name} ${brand}`.toLowerCase();

/** A filament with its price per kilogram and what is left of it. */
function FilamentOption({ filament }: { filament: Filament }) {
  const { messages, formatNumber } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const { name, type_name, colors, remaining_grams } = filament;
  return (
    <Group gap="xs" wrap="nowrap" maw="80vw">
      <ColorSwatch color={colors[0] ?? 'transparent'} size={16} aria-hidden style={{ flex: 'none' }} />
      <div style={{ minWidth: 0 }}>
        <Text size="sm" truncate>
          {[name, type_name !== name && type_name].filter(Boolean).join(' · ')}
        </Text>
        <Text size="xs" c="dimmed">
          {[usePricePerKilogram(filament), pageMessages.left(messages.board.grams(formatNumber(remaining_grams)))]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </div>
    </Group>
  );
}

/** Undefined if the spool has no price. */
export function usePricePerKilogram(filament: Filament | undefined): string | undefined {
  const { language } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  if (!filament || filament.spool_price === null) return undefined;
  const price = (filament.spool_price / filament.spool_weight_grams) * GRAMS_PER_KILOGRAM;
  return pageMessages.perKilogram(formatAmount(price, filament.spool_price_currency, language));
}
