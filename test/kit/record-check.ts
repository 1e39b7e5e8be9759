import type { DatabaseInspector } from './database.ts';
import { ENGINE } from './engine.ts';
import { eventually } from './eventually.ts';
import type { Received } from './receiver.ts';
import { isAcknowledged, type LoadRecord, type RecordedOrder } from './recorded-load.ts';

// Holds the database against what clients and receivers know. Each function returns what is wrong, in words.

const groupBy = <T>(rows: T[], keyOf: (row: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
};

const mayExist = (attempts: { outcome: string }[]) => attempts.some(({ outcome }) => outcome !== 'refused');

/** Orders that were lost, are there twice or that no client sent. */
export async function findOrderFaults({ orders }: LoadRecord, inspector: DatabaseInspector): Promise<string[]> {
  const rows = await inspector.rows<{ id: string; model_name: string }>('SELECT id, model_name FROM orders');
  const stored = groupBy(rows, (row) => row.model_name);
  const faults: string[] = [];
  for (const { key, id, creations } of orders) {
    const ids = (stored.get(key) ?? []).map((row) => row.id);
    stored.delete(key);
    if (ids.length > 1) faults.push(`order ${key} is there ${ids.length} times`);
    if (isAcknowledged(creations) && ids[0] !== id)
      faults.push(`order ${key} was acknowledged as ${id}, not ${ids[0]}`);
    if (ids.length > 0 && !mayExist(creations)) faults.push(`order ${key} was refused and is there`);
  }
  return [...faults, ...[...stored.keys()].map((key) => `order ${key} was never sent`)];
}

interface HistoryRow {
  order_id: string;
  kind: string;
  to_status: string;
}

const statusHistory = (inspector: DatabaseInspector) =>
  inspector.rows<HistoryRow>(
    "SELECT order_id, kind, to_status FROM order_history WHERE kind IN ('created', 'status_changed') ORDER BY seq",
  );

/** Changes of status that were lost, applied twice or against their refusal, or that no client sent. */
export async function findChangeFaults({ orders }: LoadRecord, inspector: DatabaseInspector): Promise<string[]> {
  const history = groupBy(await statusHistory(inspector), (row) => row.order_id);
  const rows = await inspector.rows<{ id: string; model_name: string; workflow_status: string }>(
    'SELECT id, model_name, workflow_status FROM orders',
  );
  const stored = new Map(rows.map((row) => [row.model_name, row]));
  return orders.flatMap((order) => {
    const row = stored.get(order.key);
    return row ? changeFaultsOf(order, row.workflow_status, history.get(row.id) ?? []) : [];
  });
}

function changeFaultsOf(order: RecordedOrder, status: string, [created, ...rows]: HistoryRow[]): string[] {
  const changes = rows.map((row) => row.to_status);
  const where = `in ${changes} of ${JSON.stringify(order)}`;
  const faults = created?.kind === 'created' ? [] : [`no creation ${where}`];
  let next = 0;
  for (const sent of order.changes) {
    if (sent.outcome !== 'refused' && changes[next] === sent.status) next += 1;
    else if (sent.outcome === 'acknowledged') faults.push(`${sent.status} was acknowledged and is not ${where}`);
  }
  if (next !== changes.length) faults.push(`only ${next} were written ${where}`);
  if (status !== (changes.at(-1) ?? 'negotiation')) faults.push(`the status ${status} is not the last ${where}`);
  return faults;
}

/** Deductions that were lost or applied twice, and a sum of a filament that is not that of its ledger. */
export async function findUseFaults({ uses }: LoadRecord, inspector: DatabaseInspector): Promise<string[]> {
  const rows = await inspector.rows<{ note: string; mg: number | string }>(
    "SELECT note, -sum(grams_mg) AS mg FROM filament_ledger WHERE kind = 'consumption' GROUP BY note",
  );
  const taken = new Map(rows.map((row) => [row.note, Number(row.mg)]));
  const total = [...taken.values()].reduce((sum, mg) => sum + mg, 0);
  const faults: string[] = [];
  for (const { key, grams, attempts } of uses) {
    const mg = taken.get(key);
    taken.delete(key);
    if (mg === undefined && isAcknowledged(attempts)) faults.push(`deduction ${key} was acknowledged and is lost`);
    if (mg !== undefined && mg !== Math.round(grams * 1000))
      faults.push(`deduction ${key} of ${grams} g took ${mg} mg`);
    if (mg !== undefined && !mayExist(attempts)) faults.push(`deduction ${key} was refused and is there`);
  }
  const [filament] = await inspector.rows<{ used_mg: number }>('SELECT sum(used_mg) AS used_mg FROM filaments');
  const used = Number(filament?.used_mg);
  if (used !== total) faults.push(`the ledger has ${total} mg and the filament ${used} mg`);
  return [...faults, ...[...taken.keys()].map((key) => `deduction ${key} was never sent`)];
}

/**
 * Whether there is exactly one event for each change, in the same order; on PostgreSQL, where transactions run at the
 * same time, in the same order for each order.
 */
export async function findEventFaults(inspector: DatabaseInspector): Promise<string[]> {
  const events = await inspector.rows<{ event: string; body: string }>('SELECT event, body FROM events ORDER BY seq');
  const told = events.map(({ event, body }) => {
    const { data } = JSON.parse(body) as { data: { id: string; workflow_status: string } };
    return { order: data.id, what: `${event} ${data.id} ${data.workflow_status}` };
  });
  const changed = (await statusHistory(inspector)).map((row) => ({
    order: row.order_id,
    what: `order.${row.kind} ${row.order_id} ${row.to_status}`,
  }));
  return compareChanges(inComparableOrder(changed), inComparableOrder(told));
}

interface Told {
  order: string;
  what: string;
}

const inComparableOrder = (all: Told[]): string[] => {
  const sorted =
    ENGINE === 'sqlite' ? all : [...groupBy(all, ({ order }) => order)].sort(byKey).flatMap(([, of]) => of);
  return sorted.map(({ what }) => what);
};

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

function compareChanges(changes: string[], told: string[]): string[] {
  const differing = changes.findIndex((change, i) => change !== told[i]);
  return [
    ...(told.length === changes.length ? [] : [`${changes.length} changes have ${told.length} events`]),
    ...(differing < 0 ? [] : [`instead of ${changes[differing]} the event is ${told[differing]}`]),
  ];
}

interface FinalDelivery {
  id: string;
  event_seq: number;
  subject: string;
  state: string;
  error: string | null;
  sequence: number;
  body: string;
}

/** Waits until no delivery is pending or being sent. */
export const waitForDeliveries = (inspector: DatabaseInspector, withinMs?: number) =>
  eventually(
    async () => (await inspector.rows("SELECT 1 FROM deliveries WHERE state IN ('pending', 'sending')")).length,
    (open) => open === 0,
    withinMs,
  );

/**
 * Deliveries that are missing, not final, numbered wrongly or failed for another reason than an interruption; and what
 * its receiver got twice, out of order, with another body, or did not get although it is recorded.
 */
export async function findDeliveryFaults(
  subscription: string,
  received: Received[],
  inspector: DatabaseInspector,
): Promise<string[]> {
  const deliveries = await inspector.rows<FinalDelivery>(
    `SELECT d.id, d.event_seq, d.subject, d.state, d.error, d.sequence, e.body
     FROM deliveries d JOIN events e ON e.seq = d.event_seq WHERE d.subscription_id = ? ORDER BY d.seq`,
    [subscription],
  );
  const events = await inspector.rows('SELECT seq FROM events');
  const faults: string[] = [];
  if (deliveries.length !== events.length) faults.push(`${events.length} events, ${deliveries.length} deliveries`);
  if (new Set(deliveries.map((row) => row.event_seq)).size !== deliveries.length) faults.push('two of one event');
  for (const row of deliveries)
    if (row.state !== 'succeeded' && row.error !== 'interrupted') faults.push(`${row.id}: ${row.state} ${row.error}`);
  const numbers = deliveries.map((row) => Number(row.sequence)).sort((a, b) => a - b);
  const gap = numbers.findIndex((number, i) => number !== i + 1);
  if (gap >= 0) faults.push(`the sequence ${gap + 1} is missing`);
  const arrived = new Set(received.map(({ headers }) => String(headers['x-svc-delivery'])));
  for (const { id, state } of deliveries)
    if (state === 'succeeded' && !arrived.has(id)) faults.push(`${id} is recorded as delivered and did not arrive`);
  return [...faults, ...receivedFaults(received, new Map(deliveries.map((row) => [row.id, row])))];
}

function receivedFaults(received: Received[], deliveries: Map<string, FinalDelivery>): string[] {
  const faults: string[] = [];
  const arrived = new Set<string>();
  const lastOf = new Map<string, number>();
  for (const { headers, raw } of received) {
    const id = String(headers['x-svc-delivery']);
    const row = deliveries.get(id);
    if (arrived.has(id)) faults.push(`${id} arrived twice`);
    arrived.add(id);
    if (!row) {
      faults.push(`${id} arrived, and no row tells of it: ${raw}`);
      continue;
    }
    if (raw.toString() !== row.body) faults.push(`${id} arrived with another body: ${raw}`);
    if (Number(headers['x-svc-sequence']) !== Number(row.sequence)) faults.push(`${id} arrived with another number`);
    if (row.event_seq <= (lastOf.get(row.subject) ?? 0)) faults.push(`${id} arrived after a later one of its order`);
    lastOf.set(row.subject, row.event_seq);
  }
  return faults;
}

/** Everything that is wrong after a load. @param subscriptions each with what its receiver got */
export async function findAllFaults(
  record: LoadRecord,
  subscriptions: { id: string; received: Received[] }[],
  inspector: DatabaseInspector,
): Promise<string[]> {
  const faults = [
    await findOrderFaults(record, inspector),
    await findChangeFaults(record, inspector),
    await findUseFaults(record, inspector),
    await findEventFaults(inspector),
  ];
  for (const { id, received } of subscriptions) faults.push(await findDeliveryFaults(id, received, inspector));
  return faults.flat();
}
