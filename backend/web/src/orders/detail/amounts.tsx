import { SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatAmount } from '../../i18n/format-money';
import { useI18n, useMessages } from '../../i18n/i18n';
import { filamentsQuery } from '../../stock/stock-api';
import { NumberField } from '../../ui/number-field';
import { LABELS } from '../messages';
import { columnOf } from '../order-columns';
import { planCost } from './costs';
import { usePricePerKilogram } from './material-input';
import { MESSAGES } from './messages';
import type { OrderForm } from './order-values';

const AMOUNTS = ['material_grams', 'print_hours'] as const;
type Amount = (typeof AMOUNTS)[number];

const round = (value: number) => Math.round(value * 1000) / 1000;

const WHOLE_ROW = { gridColumn: '1 / -1' };

/** Grams and hours are stored for the whole order. They can also be entered per piece. */
export function useAmounts(form: OrderForm) {
  const [isPerPiece, setPerPiece] = useState(false);
  // exactly what was typed per piece: after rounding, a third of a total isn't a third of it
  const [typed, setTyped] = useState<Partial<Record<Amount, number>> & { pieces: number }>({ pieces: 1 });
  const { values } = form;
  const entered = Number(values.quantity_pieces) || 0;
  // while the field is empty, the number before
  const pieces = entered > 0 ? entered : typed.pieces;

  function perPiece(name: Amount): number | string {
    const total = values[name];
    // empty, or not a number yet
    if (typeof total !== 'number') return total;
    const exact = typed[name];
    const isKept = exact !== undefined && typed.pieces === pieces && round(exact * pieces) === total;
    return isKept ? exact : round(total / pieces);
  }

  return {
    pieces,
    isPerPiece,
    setPerPiece,
    perPiece,
    changePerPiece(name: Amount, value: number | string) {
      const isNumber = typeof value === 'number';
      if (isNumber) setTyped({ ...typed, pieces, [name]: value });
      form.setFieldValue(name, isNumber ? round(value * pieces) : value);
    },
    changePieces(value: number | string) {
      form.setFieldValue('quantity_pieces', value);
      const next = Number(value);
      if (!isPerPiece || !(next > 0)) return;
      const kept = { pieces: next, material_grams: 0, print_hours: 0 };
      for (const name of AMOUNTS) {
        const each = perPiece(name);
        if (typeof each !== 'number') continue;
        kept[name] = each;
        form.setFieldValue(name, round(each * next));
      }
      setTyped(kept);
    },
  };
}

/** The fields for grams and hours with the switch between the whole order and one piece. */
export function Amounts({ form, amounts }: { form: OrderForm; amounts: ReturnType<typeof useAmounts> }) {
  const pageMessages = useMessages(MESSAGES);
  const labels = useMessages(LABELS);
  const { messages, language } = useI18n();
  const { pieces, isPerPiece, setPerPiece, perPiece, changePerPiece } = amounts;
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 3 });

  const propsOf = (name: Amount) => {
    const { max = 0, unit = 'grams' } = columnOf(name);
    const field = form.getInputProps(name);
    const other = Number(isPerPiece ? form.values[name] : perPiece(name)) || 0;
    const text = messages.board[unit](format.format(other));
    return {
      ...field,
      max,
      label: (isPerPiece ? pageMessages.perPiece : pageMessages.inTotal)(labels[name]),
      description: pieces > 1 && other > 0 && (isPerPiece ? pageMessages.makes(text) : pageMessages.each(text)),
      inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
      ...(isPerPiece && {
        value: perPiece(name),
        onChange: (value: number | string) => changePerPiece(name, value),
      }),
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
      {AMOUNTS.map((name) => (
        <NumberField key={name} {...propsOf(name)} />
      ))}
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
