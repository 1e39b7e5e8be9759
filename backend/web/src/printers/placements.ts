import type { Schemas } from '../api/client';

export type Printer = Schemas['Printer'];

/** A group's printers (null: without a group) in their new order. */
export interface Placement {
  group_id: string | null;
  ids: string[];
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

type Placed = Pick<Printer, 'id' | 'sort_order' | 'created_at'>;

/** In the owner's order; never-sorted ones by age. */
export const byPosition = (a: Placed, b: Placed) =>
  compare(a.sort_order, b.sort_order) || compare(a.created_at, b.created_at) || compare(a.id, b.id);

export const favoritesFirst = (a: Printer, b: Printer) =>
  compare(Number(b.is_favorite), Number(a.is_favorite)) || byPosition(a, b);

/** Applies placements that are still pending on the server. */
export function applyPlacements(
  printers: readonly Printer[],
  placements: readonly Placement[],
  nameOf: (groupId: string) => string | null,
): Printer[] {
  const placed = new Map(printers.map((printer) => [printer.id, printer]));
  for (const { group_id, ids } of placements) {
    for (const [index, id] of ids.entries()) {
      const printer = placed.get(id);
      const group_name = group_id === null ? null : nameOf(group_id);
      if (printer) placed.set(id, { ...printer, group_id, group_name, sort_order: index + 1 });
    }
  }
  return [...placed.values()];
}

/** The printers of each group in order; `null` for those without a group. */
export function byGroup(printers: readonly Printer[]): Map<string | null, Printer[]> {
  const groups = new Map<string | null, Printer[]>();
  for (const printer of [...printers].sort(byPosition)) {
    groups.set(printer.group_id, [...(groups.get(printer.group_id) ?? []), printer]);
  }
  return groups;
}

/** @param before the printer that follows it; null appends */
export function insert(ids: readonly string[], id: string, before: string | null): string[] {
  const others = ids.filter((other) => other !== id);
  const at = before === null ? -1 : others.indexOf(before);
  return at < 0 ? [...others, id] : [...others.slice(0, at), id, ...others.slice(at)];
}
