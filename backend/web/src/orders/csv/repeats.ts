import type { NewOrder, Order } from '../../order-data/orders-api';
import type { Step } from './step';

/** What rarely changes after an import, with the default of a new order. */
const COMPARED = {
  model_name: '',
  quantity_pieces: 1,
  customer_name: null,
  customer_contact: null,
  price: null,
} as const satisfies Partial<Order>;

/** Compared if the file has them. */
const OPTIONAL = ['currency', 'due_date', 'material_name', 'color_hex'] as const satisfies readonly (keyof NewOrder)[];

const plain = (value: unknown) => (typeof value === 'string' ? value.trim().normalize('NFC').toLowerCase() : value);

const keyOf = (order: Partial<Order>) =>
  JSON.stringify(Object.entries(COMPARED).map(([field, initial]) => plain(order[field as keyof Order] ?? initial)));

/** Finds the rows whose order exists, as after importing a file before. Each order counts for one row. */
export function findRepeats(steps: Step[], existing: readonly Order[]): Map<Step, Order> {
  const byKey = new Map<string, Order[]>();
  for (const order of existing) byKey.set(keyOf(order), [...(byKey.get(keyOf(order)) ?? []), order]);
  const repeats = new Map<Step, Order>();
  for (const step of steps) {
    // one from a shop is known by its ID
    if (step.action !== 'create' || step.body.external_id) continue;
    const { body } = step;
    const others = byKey.get(keyOf(body as Partial<Order>)) ?? [];
    const place = others.findIndex((order) =>
      OPTIONAL.every((field) => body[field] === undefined || plain(body[field]) === plain(order[field])),
    );
    const [order] = place < 0 ? [] : others.splice(place, 1);
    if (order) repeats.set(step, order);
  }
  return repeats;
}
