import { digitsOf, toMinor } from '../shared/currency.ts';
import { invalid } from '../shared/errors.ts';

/** What deducted: a print report by the rule of its printer, or a request or a person. */
export const DEDUCTION_SOURCES = ['report', 'request'] as const;
export type DeductionSource = (typeof DEDUCTION_SOURCES)[number];

/**
 * What a batch received (receipt), what was deducted (consumption) or corrected (adjustment), and the opposite of
 * another entry (undo). The entries of a filament's ledger add up to its remaining grams.
 */
export const LEDGER_KINDS = ['receipt', 'consumption', 'adjustment', 'undo'] as const;

/** A batch that grams can be deducted from. Amounts are in milligrams and minor units of the currency. */
export interface OpenBatch {
  seq: number;
  id: string;
  /** may be 0 or negative for a batch that is overdrawn */
  leftMg: number;
  spoolPriceMinor: number | null;
}

/** A batch with what was used of it. `leftMg` and `usedMg` add up to what it received, including its surplus. */
export interface HeldBatch extends OpenBatch {
  usedMg: number;
  /** what its spools hold by their labels */
  labelMg: number;
}

/** What a stocktake adds to a batch (positive) or deducts from it. */
export interface Correction {
  batch: HeldBatch;
  gramsMg: number;
  /** the part of it by which the batch turns out to hold more than was known */
  surplusMg: number;
}

/**
 * The most that spools hold by a stocktake: 10 % more than their labels say. Makers put up to a few per cent on a spool;
 * an empty spool that was left on the scale adds more.
 */
export const maxContentMg = (labelMg: number): number => labelMg + Math.floor(labelMg / 10);

/** What is deducted from one batch for a consumption. */
export interface Share {
  batch: OpenBatch;
  gramsMg: number;
  /** the batch is overdrawn afterwards */
  overdraw: boolean;
}

/**
 * Splits a consumption over batches, first in, first out.
 * @param batches oldest first
 * @returns one share per batch used, and the grams that no batch had (0 if there were enough)
 */
export function splitFifo(batches: readonly OpenBatch[], neededMg: number): { shares: Share[]; restMg: number } {
  const shares: Share[] = [];
  let restMg = neededMg;
  for (const batch of batches) {
    if (restMg === 0) break;
    const gramsMg = Math.min(batch.leftMg, restMg);
    if (gramsMg <= 0) continue;
    shares.push({ batch, gramsMg, overdraw: false });
    restMg -= gramsMg;
  }
  return { shares, restMg };
}

/** Overdraws the youngest batch by what no batch had, in one share with what it did have. */
export function overdrawLast(shares: readonly Share[], youngest: OpenBatch, restMg: number): Share[] {
  const own = shares.find(({ batch }) => batch.seq === youngest.seq);
  return [
    ...shares.filter((share) => share !== own),
    { batch: youngest, gramsMg: (own?.gramsMg ?? 0) + restMg, overdraw: true },
  ];
}

/**
 * Corrects batches to the counted grams. A batch can't have less than nothing, so overdrawn batches are set to 0.
 * Missing grams are deducted first in, first out; grams found are returned to the batch used last, then to those before
 * it. What all of them can't have held by their labels is added in the same order, as spools often hold a little more.
 * @param batches oldest first
 * @returns one correction per batch that changes, and the grams that no batch can hold
 */
export function correctBatches(
  batches: readonly HeldBatch[],
  countedMg: number,
): { corrections: Correction[]; restMg: number } {
  const settled = batches.map((batch) => ({ batch, leftMg: Math.max(0, batch.leftMg) }));
  let missingMg = settled.reduce((sum, { leftMg }) => sum + leftMg, 0) - countedMg;
  for (const entry of settled) {
    if (missingMg <= 0) break;
    const takenMg = Math.min(entry.leftMg, missingMg);
    entry.leftMg -= takenMg;
    missingMg -= takenMg;
  }
  for (const contentOf of [receivedMg, ({ labelMg }: HeldBatch) => maxContentMg(labelMg)]) {
    for (const entry of settled.toReversed()) {
      if (missingMg >= 0) break;
      const givenMg = Math.min(Math.max(0, contentOf(entry.batch) - entry.leftMg), -missingMg);
      entry.leftMg += givenMg;
      missingMg += givenMg;
    }
  }
  const corrections = settled
    .map(({ batch, leftMg }) => ({
      batch,
      gramsMg: leftMg - batch.leftMg,
      surplusMg: Math.max(0, leftMg - receivedMg(batch)),
    }))
    .filter(({ gramsMg }) => gramsMg !== 0);
  return { corrections, restMg: Math.max(0, -missingMg) };
}

const receivedMg = ({ leftMg, usedMg }: HeldBatch): number => leftMg + usedMg;

/** The cost of some grams of a spool in minor units, rounded half up; null if the spool's price is unknown. */
export function costOf(gramsMg: number, spoolWeightMg: number, spoolPriceMinor: number | null): number | null {
  if (spoolPriceMinor === null) return null;
  // with large amounts the product exceeds 2^53, and a float would already be rounded
  const weight = BigInt(spoolWeightMg);
  return Number((2n * BigInt(gramsMg) * BigInt(spoolPriceMinor) + weight) / (2n * weight));
}

/** A price as a client sends it: in the account's currency, or in roubles in the specification's own field. */
export interface SpoolPrice {
  spool_price?: number | null | undefined;
  spool_price_currency?: string | undefined;
  spool_price_rub?: number | null | undefined;
}

export const hasPrice = ({ spool_price, spool_price_currency, spool_price_rub }: SpoolPrice): boolean =>
  (spool_price ?? spool_price_rub ?? null) !== null || spool_price_currency !== undefined;

/**
 * The price of a spool in minor units of the account's currency; null: unknown.
 * @throws DomainError validation_error if it is in another currency, given twice, or more precise than the currency
 */
export function toPriceMinor(price: SpoolPrice, currency: string): number | null {
  const { spool_price, spool_price_currency, spool_price_rub } = price;
  if (spool_price_currency !== undefined && spool_price_currency !== currency) {
    throw invalid('/spool_price_currency', `Prices of this account are in ${currency}.`);
  }
  if (typeof spool_price_rub === 'number') {
    if (currency !== 'RUB') {
      const reason = `Prices of this account are in ${currency}, not in roubles: send spool_price instead.`;
      throw invalid('/spool_price_rub', reason);
    }
    if (typeof spool_price === 'number' && toMinor(spool_price, currency) !== toMinor(spool_price_rub, currency)) {
      throw invalid('/spool_price_rub', 'differs from spool_price: send one of the two.');
    }
  }
  const major = spool_price ?? spool_price_rub ?? null;
  if (major === null) return null;
  const minor = toMinor(major, currency);
  if (minor === undefined) {
    const field = typeof spool_price === 'number' ? 'spool_price' : 'spool_price_rub';
    throw invalid(`/${field}`, `must have at most ${digitsOf(currency)} decimal places in ${currency}`);
  }
  return minor;
}

/** The sum of costs; null if any is unknown, because a partial sum would be misleading. */
export const sumOfCosts = (costs: readonly (number | null)[]): number | null =>
  costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);

/** The rule for low stock, which the record, the badge and the event share; `IS_LOW` in the store is its SQL form. */
export const isLowStock = (remainingMg: number, thresholdMg: number): boolean =>
  thresholdMg > 0 && remainingMg <= thresholdMg;

/** Whether a change makes the stock low: once per fall, and again only after it rose above the threshold. */
export const becomesLow = (
  beforeMg: number,
  afterMg: number,
  thresholdMg: number,
  thresholdBeforeMg = thresholdMg,
): boolean => !isLowStock(beforeMg, thresholdBeforeMg) && isLowStock(afterMg, thresholdMg);

/** The fields that are checked for misleading characters. */
export const FILAMENT_NAMES = ['name', 'brand', 'type_name'] as const;

export const FILAMENT_SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const;
export type FilamentSort = (typeof FILAMENT_SORTS)[number];
