import type { Filament } from './stock-api';
import type { Sort } from './stock-url';

/** Total grams of all received spools. */
export const heldGrams = (filament: Filament): number => filament.spool_weight_grams * filament.spool_count;

/**
 * The most that spools can be weighed with, by the grams on their labels: makers put up to a few per cent more on them.
 * An empty spool on the scale adds more than that.
 */
export const maxWeighedGrams = (labelGrams: number): number => Math.floor(labelGrams * 1100) / 1000;

/** Remaining share from 0 to 1; 0 without spools. */
export function shareLeft(filament: Filament): number {
  const held = heldGrams(filament);
  return held > 0 ? Math.min(1, Math.max(0, filament.remaining_grams / held)) : 0;
}

/** Position of the low-stock threshold on the bar, from 0 to 1; undefined without one. */
export function thresholdShare(filament: Filament): number | undefined {
  const held = heldGrams(filament);
  const threshold = filament.low_stock_threshold_grams;
  return threshold > 0 && held > 0 ? Math.min(1, threshold / held) : undefined;
}

const byName = (a: Filament, b: Filament) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1);

const ORDERS: Record<Sort, (a: Filament, b: Filament) => number> = {
  name: byName,
  left: (a, b) => a.remaining_grams - b.remaining_grams || byName(a, b),
  new: (a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : byName(a, b)),
};

export function arrange(
  filaments: readonly Filament[],
  { showsLow, sort }: { showsLow: boolean; sort: Sort },
): Filament[] {
  return filaments.filter((filament) => !showsLow || filament.is_low_stock).sort(ORDERS[sort]);
}
