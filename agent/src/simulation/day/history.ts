import { createHash } from 'node:crypto';
import type { FarmClient } from './farm-client.ts';

interface Listed<T> {
  items: T[];
  total: number;
}

interface Order {
  id: string;
  model_name: string;
  workflow_status: string;
  quantity_pieces: number;
}

interface Filament {
  name: string;
  remaining_grams: number;
}

interface Event {
  event: string;
  data: Record<string, unknown>;
}

/** What a day leaves, without what differs between two days of the same seed: IDs and times. */
export interface History {
  /** in the order in which they came in, each with the statuses it had */
  orders: { name: string; pieces: number; statuses: string[] }[];
  filaments: { name: string; grams: number }[];
  /** oldest first */
  events: { event: string; data: Record<string, unknown> }[];
}

const PER_PAGE = 100;

async function readAll<T>(client: FarmClient, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page += 1) {
    const separator = path.includes('?') ? '&' : '?';
    const read = await client.call<Listed<T>>('GET', `${path}${separator}per_page=${PER_PAGE}&page=${page}`);
    items.push(...read.items);
    if (items.length >= read.total || read.items.length === 0) return items;
  }
}

const DIFFERS = /(^|_)(id|ids|at|date)$/;

const withoutTimes = (data: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => !DIFFERS.test(name))
      .map(([name, value]) => [name, typeof value === 'string' ? value.replace(/ORDER-[0-9a-f-]+/i, 'ORDER') : value]),
  );

export async function readHistory(client: FarmClient): Promise<History> {
  const orders: History['orders'] = [];
  for (const { id, model_name, quantity_pieces } of await readAll<Order>(client, '/print-jobs?sort=created_at')) {
    const { items } = await client.call<Listed<{ to_status: string | null }>>('GET', `/print-jobs/${id}/history`);
    // newest first
    const statuses = items.flatMap(({ to_status }) => to_status ?? []).reverse();
    orders.push({ name: model_name, pieces: quantity_pieces, statuses });
  }
  const filaments = await readAll<Filament>(client, '/filaments?sort=created_at');
  const events = await readAll<Event>(client, '/events?sort=occurred_at');
  return {
    orders,
    filaments: filaments.map(({ name, remaining_grams }) => ({ name, grams: remaining_grams })),
    events: events.map(({ event, data }) => ({ event, data: withoutTimes(data) })),
  };
}

/** A short name of a history: the same for the same statuses, grams and events. */
const digestOf = (history: History): string =>
  createHash('sha256').update(JSON.stringify(history)).digest('hex').slice(0, 12);

/** What a history amounts to, one line each. */
export function describeHistory(history: History): string[] {
  const count = (names: string[]) =>
    [...new Set(names)].map((name) => `${names.filter((one) => one === name).length} ${name}`).join(', ');
  return [
    `orders: ${count(history.orders.map(({ statuses }) => statuses.at(-1) ?? ''))}`,
    `stock: ${history.filaments.map(({ name, grams }) => `${name} ${grams} g`).join(', ')}`,
    `events: ${count(history.events.map(({ event }) => event))}`,
    `history ${digestOf(history)}`,
  ];
}
