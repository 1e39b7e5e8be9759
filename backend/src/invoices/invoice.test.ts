import fc from 'fast-check';
import { times } from '../../../test/kit/length.ts';
import { digitsOf, toMajor } from '../shared/currency.ts';
import {
  amountOf,
  assessMovement,
  dueOf,
  lineOf,
  type Movement,
  type PaymentState,
  statusOf,
  toNumber,
  totalOf,
} from './invoice.ts';
import { sayAmount } from './money.ts';

const amounts = fc.constantFrom(1, 400, 500, 600, 1000, 1500);

type Step = { act: 'move'; movement: Movement } | { act: 'void' };

const steps = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<Step>({ act: 'void' }) },
    {
      weight: 9,
      arbitrary: fc
        .record({
          kind: fc.constantFrom('payment' as const, 'payment' as const, 'refund' as const),
          source: fc.constantFrom('stripe' as const, 'notification' as const, 'manual' as const),
          amount: amounts,
          currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
          at: fc.integer({ min: 1, max: 1000 }),
        })
        .map((movement): Step => ({ act: 'move', movement })),
    },
  ),
  { maxLength: 10 },
);

/** The rules once more, literally and from the whole history each time, without intermediate state. */
function model(total: number, history: Step[]): { received: number; reviews: boolean[]; isPaid: boolean } {
  const sumOf = (some: Step[]) =>
    some.reduce((sum, step) => {
      if (step.act !== 'move' || step.movement.currency !== 'EUR') return sum;
      return sum + (step.movement.kind === 'payment' ? 1 : -1) * step.movement.amount;
    }, 0);
  const voidedAt = history.findIndex(({ act }) => act === 'void');
  const isVoidAt = (index: number) => voidedAt >= 0 && voidedAt < index;
  // paid: the first payment after which nothing was due, while the invoice was not void
  const paidAt = history.findIndex(
    (step, index) =>
      step.act === 'move' &&
      step.movement.kind === 'payment' &&
      !isVoidAt(index) &&
      sumOf(history.slice(0, index + 1)) >= total,
  );
  const reviews = history.flatMap((step, index) => {
    if (step.act !== 'move') return [];
    const { kind, amount, currency, source } = step.movement;
    const before = sumOf(history.slice(0, index));
    if (currency !== 'EUR') return [true];
    if (kind === 'refund') return [amount > before];
    const wasPaid = paidAt >= 0 && paidAt < index;
    if (isVoidAt(index) || wasPaid) return [true];
    const due = total - before;
    return [source === 'manual' ? amount > due : amount !== due];
  });
  return { received: sumOf(history), reviews, isPaid: paidAt >= 0 };
}

test('10,000 random sequences of payments agree with the model on needs_review and on the sum received', () => {
  fc.assert(
    fc.property(steps, (history) => {
      let paymentState: PaymentState = { state: 'issued', currency: 'EUR', total: 1000, received: 0, paidAt: null };
      const reviews: boolean[] = [];
      for (const step of history) {
        if (step.act === 'void') paymentState = { ...paymentState, state: 'void' };
        else {
          const { reason, after } = assessMovement(paymentState, step.movement);
          reviews.push(reason !== null);
          paymentState = after;
        }
      }
      const expected = model(1000, history);
      expect({ received: paymentState.received, reviews, isPaid: paymentState.paidAt !== null }).toEqual(expected);
      expect(dueOf(paymentState)).toBe(
        paymentState.state === 'void' || expected.isPaid ? 0 : Math.max(0, 1000 - expected.received),
      );
    }),
    { numRuns: times(2_000, 10_000) },
  );
});

test('nothing is due on a paid invoice, even after a refund', () => {
  const paid: PaymentState = { state: 'issued', currency: 'EUR', total: 1000, received: 1000, paidAt: 5 };
  const movement = { kind: 'refund', source: 'manual', amount: 1000, currency: 'EUR', at: 9 } as const;
  const { after, reason } = assessMovement(paid, movement);
  expect([reason, after.received, dueOf(after), statusOf(after)]).toEqual([null, 0, 0, 'paid']);
  // what follows is a second payment, even of the same amount
  expect(assessMovement(after, { ...movement, kind: 'payment', source: 'stripe' }).reason).toBe('already_paid');
});

test('a rounded amount never counts as the amount due', () => {
  const due: PaymentState = { state: 'issued', currency: 'EUR', total: 1000, received: 0, paidAt: null };
  const movement = { kind: 'payment', source: 'stripe', amount: 1000, currency: 'EUR', at: 1 } as const;
  expect(assessMovement(due, movement).reason).toBeNull();
  expect(assessMovement(due, { ...movement, isInexact: true }).reason).toBe('amount_differs');
});

describe('the line of an order', () => {
  const order = { id: 'o', model_name: 'Gear' };
  test.each([
    [
      { quantity_pieces: 2, price: 4990 },
      { description: 'Gear', quantity: 2, unit_price: 2495 },
    ],
    [
      { quantity_pieces: 3, price: 1000 },
      { description: 'Gear × 3', quantity: 1, unit_price: 1000 },
    ],
    [
      { quantity_pieces: 1, price: 1000 },
      { description: 'Gear', quantity: 1, unit_price: 1000 },
    ],
    [
      { quantity_pieces: 0, price: 1000 },
      { description: 'Gear × 0', quantity: 1, unit_price: 1000 },
    ],
    [
      { quantity_pieces: 4, price: null },
      { description: 'Gear', quantity: 4, unit_price: 0 },
    ],
  ])('%j', (fields, line) => {
    expect(lineOf({ ...order, ...fields })).toEqual({ order_id: 'o', ...line });
  });

  test('adds up to exactly the price of the order', () => {
    const numbers = { pieces: fc.integer({ min: 0, max: 1_000_000 }), price: fc.integer({ min: 0, max: 1e12 }) };
    fc.assert(
      fc.property(numbers.pieces, numbers.price, (quantity_pieces, price) => {
        expect(amountOf(lineOf({ ...order, quantity_pieces, price }))).toBe(price);
      }),
    );
  });
});

test('sums are exact', () => {
  const line = (quantity: number, unit_price: number) => ({ order_id: null, description: 'x', quantity, unit_price });
  expect(totalOf([line(3, 10), line(1, 20), line(1, -5)])).toBe(45);
  expect(toMajor(totalOf([line(1, 10), line(1, 20)]), 'EUR')).toBe(0.3);
  expect(toNumber(2026, 1)).toBe('2026-0001');
  expect(toNumber(2026, 12_345)).toBe('2026-12345');
});

test.each([
  ['EUR', 123_450, 2, '1,234.50\u00a0EUR', '1\u00a0234,50\u00a0EUR', 1234.5],
  ['JPY', 123_450, 0, '123,450\u00a0JPY', '123\u00a0450\u00a0JPY', 123_450],
  ['KWD', 1_234_005, 3, '1,234.005\u00a0KWD', '1\u00a0234,005\u00a0KWD', 1234.005],
  ['EUR', 5, 2, '0.05\u00a0EUR', '0,05\u00a0EUR', 0.05],
  ['EUR', -100_000_000, 2, '−1,000,000.00\u00a0EUR', '−1\u00a0000\u00a0000,00\u00a0EUR', -1_000_000],
])('%s %i is formatted with %i decimals', (currency, minor, digits, en, ru, major) => {
  expect(digitsOf(currency)).toBe(digits);
  expect(sayAmount(minor, currency, 'en')).toBe(en);
  expect(sayAmount(minor, currency, 'ru')).toBe(ru);
  expect(toMajor(minor, currency)).toBe(major);
});
