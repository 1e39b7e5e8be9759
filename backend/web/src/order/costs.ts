import type { HistoryEntry } from '../api';

export interface Costs {
  /** by filament, in the order they were first used */
  used: { filamentId: string | null; grams: number; roubles: number; isUnknown: boolean }[];
  grams: number;
  roubles: number;
  /** some of it has no price */
  isUnknown: boolean;
}

const MILLI = 1000;
const KOPECKS = 100;

/** What was used for an order. What was taken back counts against it. */
export function costsOf(entries: HistoryEntry[]): Costs {
  const byFilament = new Map<string | null, Costs['used'][number]>();
  for (const { filament_id, grams, cost_rub } of entries.toReversed()) {
    if (grams === null) continue;
    const known = byFilament.get(filament_id) ?? { filamentId: filament_id, grams: 0, roubles: 0, isUnknown: false };
    byFilament.set(filament_id, {
      ...known,
      // decimals are added as whole thousandths and kopecks
      grams: (Math.round(known.grams * MILLI) + Math.round(grams * MILLI)) / MILLI,
      roubles: (Math.round(known.roubles * KOPECKS) + Math.round((cost_rub ?? 0) * KOPECKS)) / KOPECKS,
      isUnknown: known.isUnknown || cost_rub === null,
    });
  }
  const used = [...byFilament.values()];
  const sum = (one: (entry: Costs['used'][number]) => number, unit: number) =>
    used.reduce((total, entry) => total + Math.round(one(entry) * unit), 0) / unit;
  return {
    used,
    grams: sum(({ grams }) => grams, MILLI),
    roubles: sum(({ roubles }) => roubles, KOPECKS),
    isUnknown: used.some(({ isUnknown }) => isUnknown),
  };
}
