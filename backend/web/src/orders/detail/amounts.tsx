import { NumberInput, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatAmount } from '../../i18n/format-money';
import { useI18n, useMessages } from '../../i18n/i18n';
import { filamentsQuery } from '../../stock/stock-api';
import { planCost } from './costs';
import { usePricePerKilogram } from './material-input';
import { MESSAGES } from './messages';
import type { OrderForm } from './order-fields';

type Amount = 'material_grams' | 'print_hours';
type Typed = Partial<Record<Amount, number>>;

const round = (value: number) => Math.round(value * 1000) / 1000;

const WHOLE_ROW = { gridColumn: '1 / -1' };

/** Grams and hours, stored for the whole order and shown for it or for one piece. */
export function Amounts({ form }: { form: OrderForm }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages, language } = useI18n();
  const [isPerPiece, setPerPiece] = useState(false);
  // exactly what was typed: a third of a total is not a third of it after rounding
  const [typed, setTyped] = useState<Typed>({});
  const pieces = Math.max(1, Number(form.values.quantity_pieces) || 1);
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });

  function perPiece(name: Amount): number | string {
    const total = form.values[name];
    const exact = typed[name];
    if (total === '') return '';
    return exact !== undefined && round(exact * pieces) === Number(total) ? exact : round(Number(total) / pieces);
  }

  const propsOf = (name: Amount, label: string, unit: (text: string) => string) => {
    const field = form.getInputProps(name);
    const other = isPerPiece ? form.values[name] : perPiece(name);
    const text = unit(format.format(Number(other)));
    return {
      ...field,
      label: isPerPiece ? pageMessages.perPiece(label) : pageMessages.inTotal(label),
      description: pieces > 1 && Number(other) > 0 && (isPerPiece ? pageMessages.makes(text) : pageMessages.each(text)),
      inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
      min: 0,
      decimalScale: 3,
      value: isPerPiece ? perPiece(name) : field.value,
      onChange: (value: number | string) => {
        setTyped({ ...typed, [name]: isPerPiece && value !== '' ? Number(value) : undefined });
        field.onChange(isPerPiece && value !== '' ? round(Number(value) * pieces) : value);
      },
    };
  };

  return (
    <>
      <SegmentedControl
        style={{ ...WHOLE_ROW, justifySelf: 'start' }}
        size="xs"
        mt={4}
        aria-label={pageMessages.basis}
        value={isPerPiece ? 'piece' : 'total'}
        onChange={(value) => setPerPiece(value === 'piece')}
        data={[
          { value: 'total', label: pageMessages.basisTotal },
          { value: 'piece', label: pageMessages.basisPiece },
        ]}
      />
      <NumberInput max={1_000_000} {...propsOf('material_grams', messages.order.grams, messages.board.grams)} />
      <NumberInput max={100_000} {...propsOf('print_hours', messages.order.hours, messages.board.hours)} />
    </>
  );
}

/** What the material will cost, if it is in stock with a price. */
export function PlannedCost({ form: { values } }: { form: OrderForm }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages, formatNumber, language } = useI18n();
  const { data: filaments = [] } = useQuery(filamentsQuery);
  const grams = Number(values.material_grams);
  const planned = planCost({ ...values, material_grams: grams }, filaments);
  const price = usePricePerKilogram(planned?.filament);
  if (!planned || !price) return null;
  const { filament, cost } = planned;
  const amount = formatAmount(cost, filament.spool_price_currency, language);
  const left = pageMessages.onlyLeft(messages.board.grams(formatNumber(filament.remaining_grams)));
  return (
    <Text size="xs" c="dimmed" style={WHOLE_ROW} data-planned>
      {pageMessages.plannedCost(amount, filament.name, price)}
      {filament.remaining_grams < grams && ` ${left}`}
    </Text>
  );
}
