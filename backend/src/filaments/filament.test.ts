import fc from 'fast-check';
import { times } from '../../../test/kit/length.ts';
import { becomesLow, costOf, isLowStock, type OpenBatch, overdrawLast, splitFifo, sumOfCosts } from './filament.ts';

const RUNS = times(2_000, 10_000);

type Step = { receive: number } | { take: number; overdraw: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ receive: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ take: fc.integer({ min: 1, max: 15 }), overdraw: fc.boolean() }),
);
const steps = fc.array(step, { maxLength: 12 });

const open = (left: readonly number[]): OpenBatch[] =>
  left.map((leftMg, index) => ({ seq: index + 1, id: `batch-${index + 1}`, leftMg, spoolPriceMinor: null }));

/** What the service does, on plain numbers: what each batch has left afterwards, undefined if it refuses. */
function overdraw(left: readonly number[], take: number, mayOverdraw: boolean): number[] | undefined {
  const batches = open(left);
  const remaining = left.reduce((sum, one) => sum + one, 0);
  if (take > remaining && !mayOverdraw) return undefined;
  const { shares, restMg } = splitFifo(batches, take);
  const youngest = batches.at(-1);
  if (restMg > 0 && !youngest) return undefined;
  const deducted = restMg > 0 && youngest ? overdrawLast(shares, youngest, restMg) : shares;
  expect(new Set(deducted.map(({ batch }) => batch.seq)).size).toBe(deducted.length);
  expect(deducted.every(({ gramsMg }) => gramsMg > 0)).toBe(true);
  const after = [...left];
  for (const { batch, gramsMg, overdraw } of deducted) {
    after[batch.seq - 1]! -= gramsMg;
    expect(overdraw).toBe(after[batch.seq - 1]! < 0);
  }
  return after;
}

/** The same, milligram by milligram: each comes from the oldest batch with grams left, otherwise from the youngest. */
function deductNaively(left: readonly number[], take: number, mayOverdraw: boolean): number[] | undefined {
  if (left.length === 0 || (!mayOverdraw && take > left.reduce((sum, one) => sum + one, 0))) return undefined;
  const after = [...left];
  for (let i = 0; i < take; i++) {
    const oldest = after.findIndex((one) => one > 0);
    after[oldest === -1 ? after.length - 1 : oldest]! -= 1;
  }
  return after;
}

test('a consumption is split like a model that works milligram by milligram, and no milligram is lost', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let left: number[] = [];
      let received = 0;
      let taken = 0;
      for (const one of sequence) {
        if ('receive' in one) {
          left = [...left, one.receive];
          received += one.receive;
          continue;
        }
        const after = overdraw(left, one.take, one.overdraw);
        expect(after).toEqual(deductNaively(left, one.take, one.overdraw));
        if (!after) continue;
        left = after;
        taken += one.take;
      }
      expect(left.reduce((sum, mg) => sum + mg, 0)).toBe(received - taken);
    }),
    { numRuns: RUNS },
  );
});

test('stock becomes low exactly once per fall to the threshold', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 })), fc.integer({ min: 0, max: 8 }), (changes, threshold) => {
      let stock = 0;
      let armed = stock > threshold;
      for (const change of changes) {
        const fell = becomesLow(stock, stock + change, threshold);
        stock += change;
        const expected = threshold > 0 && armed && stock <= threshold;
        if (stock <= threshold) armed = false;
        if (stock > threshold) armed = true;
        expect(fell).toBe(expected);
      }
    }),
    { numRuns: RUNS },
  );
});

test('low stock includes the threshold itself, and a threshold of 0 disables it', () => {
  expect(isLowStock(100, 100)).toBe(true);
  expect(isLowStock(101, 100)).toBe(false);
  expect(isLowStock(0, 0)).toBe(false);
  expect(isLowStock(-5, 0)).toBe(false);
});

test('a cost is rounded to the nearest kopeck, half up, whatever the size of the numbers', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000_000 }),
      fc.integer({ min: 1_000_000, max: 100_000_000 }),
      fc.integer({ min: 0, max: 10_000_000_000 }),
      (grams, weight, price) => {
        const cost = BigInt(costOf(grams, weight, price) ?? -1);
        const twice = 2n * (BigInt(grams) * BigInt(price) - cost * BigInt(weight));
        expect(twice >= -BigInt(weight) && twice < BigInt(weight)).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
  expect(costOf(500, 1000, 1)).toBe(1);
  expect(costOf(499, 1000, 1)).toBe(0);
  expect(costOf(42_500, 1_000_000, 150_000)).toBe(6375);
  expect(costOf(1, 1000, null)).toBeNull();
  expect(sumOfCosts([1, 2])).toBe(3);
  expect(sumOfCosts([1, null, 2])).toBeNull();
});
