import { digitsOf, toMinor } from '../shared/currency.ts';
import { invalid } from '../shared/errors.ts';

/** A filament as it is read and answered. Grams are decimals of at most three places. */
export interface Filament {
  id: string;
  name: string;
  brand: string;
  type_name: string;
  colors: string[];
  is_gradient: boolean;
  spool_weight_grams: number;
  /** over the unarchived batches, as is `spool_count` */
  used_grams: number;
  spool_count: number;
  /** 0: never low */
  low_stock_threshold_grams: number;
  /** of the batch now in use; null: not known */
  spool_price: number | null;
  /** the account's */
  spool_price_currency: string;
  /** `spool_price` where the account counts in roubles, else null */
  spool_price_rub: number | null;
  /** spool_weight_grams × spool_count − used_grams; negative when overdrawn */
  remaining_grams: number;
  is_low_stock: boolean;
  /** an unarchived batch is overdrawn */
  needs_review: boolean;
  created_at: string;
  updated_at: string;
}

/** Spools that were received together, at one price. */
export interface Batch {
  id: string;
  received_at: string;
  spool_count: number;
  used_grams: number;
  remaining_grams: number;
  spool_price: number | null;
  spool_price_currency: string;
  spool_price_rub: number | null;
  needs_review: boolean;
  archived_at: string | null;
  created_at: string;
}

export const LEDGER_KINDS = ['receipt', 'consumption', 'adjustment', 'undo'] as const;

/**
 * One line of a filament's ledger: what one batch gained (receipt), lost (consumption), or was found to have more or less of
 * (adjustment); an undo is the opposite of another line. The lines of a filament add up to what remains.
 */
export interface LedgerEntry {
  id: string;
  kind: (typeof LEDGER_KINDS)[number];
  batch_id: string;
  /** lines that were booked by one request and are undone together; null: a line of its own */
  booking_id: string | null;
  /** undo: the line it takes back */
  undoes_id: string | null;
  /** the line that took this one back */
  undone_by_id: string | null;
  /** what the batch gained is positive, what it lost negative */
  grams: number;
  /** what it lost is worth so much; negative where it gained it back */
  cost: number | null;
  cost_currency: string;
  /** `cost` where the account counts in roubles, else null */
  cost_rub: number | null;
  order_id: string | null;
  printer_id: string | null;
  note: string | null;
  /** more was taken than the batch had */
  overdraw: boolean;
  actor: string;
  at: string;
}

/** A batch that consumption can be booked on; all amounts in milligrams and minor units of the currency. */
export interface OpenBatch {
  seq: number;
  id: string;
  /** may be 0 or negative for the batch an overdraw is booked on */
  leftMg: number;
  spoolPriceMinor: number | null;
}

/** A batch with what was used of it: together with `leftMg` all that it held. */
export interface HeldBatch extends OpenBatch {
  usedMg: number;
}

/** What a stock-take gives to a batch (positive) or takes from it. */
export interface Correction {
  batch: HeldBatch;
  gramsMg: number;
}

/** What one batch gives to a consumption. */
export interface Share {
  batch: OpenBatch;
  gramsMg: number;
  /** the batch is in the red afterwards */
  overdraw: boolean;
}

/**
 * Splits a consumption over batches, first in first out.
 * @param batches oldest first
 * @returns one share per batch touched, and what no batch had (0 when there was enough)
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

/** Books what no batch had on the youngest one, in one share with what it did have. */
export function overdrawLast(shares: readonly Share[], youngest: OpenBatch, restMg: number): Share[] {
  const own = shares.find(({ batch }) => batch.seq === youngest.seq);
  return [
    ...shares.filter((share) => share !== own),
    { batch: youngest, gramsMg: (own?.gramsMg ?? 0) + restMg, overdraw: true },
  ];
}

/**
 * Makes the books say what was counted. Nothing can be less than empty, so batches in the red come to 0; what is missing then
 * is taken first in, first out, and what is too much goes back to the batch that was used last, then to those before it.
 * @param batches oldest first
 * @returns one correction per batch that changes, and what no batch has room for (0 when they held that much)
 */
export function settle(
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
  for (const entry of settled.toReversed()) {
    if (missingMg >= 0) break;
    const roomMg = entry.batch.leftMg + entry.batch.usedMg - entry.leftMg;
    const givenMg = Math.min(roomMg, -missingMg);
    entry.leftMg += givenMg;
    missingMg += givenMg;
  }
  const corrections = settled
    .map(({ batch, leftMg }) => ({ batch, gramsMg: leftMg - batch.leftMg }))
    .filter(({ gramsMg }) => gramsMg !== 0);
  return { corrections, restMg: -missingMg };
}

/** The price of some grams of a spool in minor units, half a unit rounded up; null when the spool's price is not known. */
export function costOf(gramsMg: number, spoolWeightMg: number, spoolPriceMinor: number | null): number | null {
  if (spoolPriceMinor === null) return null;
  // the product outgrows 2^53 with large amounts, and a float would round it before we do
  const weight = BigInt(spoolWeightMg);
  return Number((2n * BigInt(gramsMg) * BigInt(spoolPriceMinor) + weight) / (2n * weight));
}

/** A price as a client writes it: in the account's currency, or in roubles by the contract's own field. */
export interface SpoolPrice {
  spool_price?: number | null | undefined;
  spool_price_currency?: string | undefined;
  spool_price_rub?: number | null | undefined;
}

export const hasPrice = ({ spool_price, spool_price_currency, spool_price_rub }: SpoolPrice): boolean =>
  (spool_price ?? spool_price_rub ?? null) !== null || spool_price_currency !== undefined;

/**
 * The price of a spool in minor units of the account's currency; null: not known.
 * @throws DomainError validation_error when it is in another currency, said twice, or finer than the currency
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
    if (typeof spool_price === 'number' && spool_price !== spool_price_rub) {
      throw invalid('/spool_price_rub', 'differs from spool_price: send one of the two.');
    }
  }
  const major = spool_price ?? spool_price_rub ?? null;
  if (major === null) return null;
  const minor = toMinor(major, currency);
  if (minor === undefined) {
    throw invalid('/spool_price', `must have at most ${digitsOf(currency)} decimal places in ${currency}`);
  }
  return minor;
}

/** The sum of costs; null as soon as one is not known, because a part of a cost would be taken for the whole. */
export const sumOfCosts = (costs: readonly (number | null)[]): number | null =>
  costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);

/** The one rule of low stock, for the record, the badge and the event; `IS_LOW` of the store says it in SQL. */
export const isLowStock = (remainingMg: number, thresholdMg: number): boolean =>
  thresholdMg > 0 && remainingMg <= thresholdMg;

/** Whether a change makes stock low that was not: once per fall, again only after it rose above the threshold. */
export const becomesLow = (
  beforeMg: number,
  afterMg: number,
  thresholdMg: number,
  thresholdBeforeMg = thresholdMg,
): boolean => !isLowStock(beforeMg, thresholdBeforeMg) && isLowStock(afterMg, thresholdMg);

/** The fields that name a filament. */
export const FILAMENT_NAMES = ['name', 'brand', 'type_name'] as const;

export const FILAMENT_SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const;
export type FilamentSort = (typeof FILAMENT_SORTS)[number];
