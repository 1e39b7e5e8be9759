import { decimalsOf } from '../../i18n/currency';
import type { HistoryEntry, Order } from '../../order-data/orders-api';
import type { Filament } from '../../stock/stock-api';

export interface Costs {
  /** by filament, in order of first use */
  used: { filamentId: string | null; grams: number; cost: number; isUnknown: boolean }[];
  grams: number;
  cost: number;
  /** the price of some of it is unknown */
  isUnknown: boolean;
}

const MILLI = 1000;

/** Material used for an order, in the account's currency. Undone entries are subtracted. */
export function costsOf(entries: HistoryEntry[], currency: string): Costs {
  const unit = 10 ** decimalsOf(currency);
  const byFilament = new Map<string | null, Costs['used'][number]>();
  for (const { filament_id, grams, cost } of entries.toReversed()) {
    if (grams === null) continue;
    const known = byFilament.get(filament_id) ?? { filamentId: filament_id, grams: 0, cost: 0, isUnknown: false };
    byFilament.set(filament_id, {
      ...known,
      // summed as whole thousandths and minor units to avoid rounding errors
      grams: (Math.round(known.grams * MILLI) + Math.round(grams * MILLI)) / MILLI,
      cost: (Math.round(known.cost * unit) + Math.round((cost ?? 0) * unit)) / unit,
      isUnknown: known.isUnknown || cost === null,
    });
  }
  const used = [...byFilament.values()];
  const sum = (one: (entry: Costs['used'][number]) => number, parts: number) =>
    used.reduce((total, entry) => total + Math.round(one(entry) * parts), 0) / parts;
  return {
    used,
    grams: sum(({ grams }) => grams, MILLI),
    cost: sum(({ cost }) => cost, unit),
    isUnknown: used.some(({ isUnknown }) => isUnknown),
  };
}

/** Whether the order's material is this filament, by type or name. */
export const matchesOrder = (
  { material_name }: Pick<Order, 'material_name'>,
  { type_name, name }: Filament,
): boolean => {
  const asked = material_name.trim().toLowerCase();
  return asked !== '' && [type_name, name].some((one) => one.trim().toLowerCase() === asked);
};

export interface Planned {
  filament: Filament;
  cost: number;
}

/** Estimated material cost of an order, preferring a filament of its color. Undefined if unknown. */
export function planCost(
  order: Pick<Order, 'material_name' | 'color_hex' | 'material_grams'>,
  filaments: readonly Filament[],
): Planned | undefined {
  const fitting = filaments.filter((one) => one.spool_price !== null && matchesOrder(order, one));
  const ofColor = ({ colors }: Filament) =>
    colors.some((color) => color.toLowerCase() === order.color_hex.toLowerCase());
  const filament = fitting.find(ofColor) ?? fitting[0];
  if (!filament || filament.spool_price === null || order.material_grams === 0) return undefined;
  const unit = 10 ** decimalsOf(filament.spool_price_currency);
  const exact = (order.material_grams * filament.spool_price * unit) / filament.spool_weight_grams;
  return { filament, cost: Math.round(exact) / unit };
}
