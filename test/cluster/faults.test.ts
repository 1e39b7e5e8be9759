import { type Cluster, type Member, startCluster } from '../kit/cluster.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { type Receiver, startReceiver, statusesByOrder } from '../kit/receiver.ts';
import type { Service } from '../kit/service.ts';

/** The long form uses 10 subscriptions of each of 20 accounts. */
const CHANGES = times(400, 5_000);
const ACCOUNTS = CHANGES >= 5000 ? 20 : 4;
const SUBSCRIPTIONS = CHANGES >= 5000 ? 10 : 3;
const ORDERS = 5;
const ROUND = ['confirmed', 'assigned', 'printing', 'packing', 'done'] as const;

interface Row {
  state: string;
  error: string | null;
  id: string;
  sequence: number;
  subscription_id: string;
}

describe('2 api and 2 worker processes, woken over Redis', () => {
  let cluster: Cluster;
  let receivers: Receiver[];
  let members: Member[];

  beforeEach(async () => {
    cluster = await startCluster({ apis: 2, workers: 2 });
    receivers = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, () => startReceiver()));
    members = [];
    for (let i = 0; i < ACCOUNTS; i++) members.push(await cluster.join(ORDERS, receivers[i]?.url));
  });

  afterEach(async () => {
    await cluster?.stop();
    for (const receiver of receivers ?? []) await receiver.stop();
  });

  /** Writes all changes, those of one order one after the other and in turn over both api processes. */
  async function change(): Promise<Map<string, string[]>> {
    const written = new Map<string, string[]>();
    const perOrder = Math.ceil(CHANGES / (ACCOUNTS * ORDERS));
    await Promise.all(
      members.flatMap(({ clients, orders }) =>
        orders.map(async (id) => {
          const statuses: string[] = [];
          written.set(id, statuses);
          for (let i = 0; i < perOrder; i++) {
            const workflow_status = ROUND[i % ROUND.length] as string;
            const client = clients[i % clients.length] as (typeof clients)[number];
            expect((await client.put(`/print-jobs/${id}`, { workflow_status })).status).toBe(200);
            statuses.push(workflow_status);
          }
        }),
      ),
    );
    return written;
  }

  /** Waits until every delivery has an end state and compares what was received with what was written. */
  async function expectExactlyOnce(written: Map<string, string[]>, mayInterrupt: boolean): Promise<void> {
    await expectSoon(() => cluster.open(), 0);
    const rows = await cluster.inspector.rows<Row>('SELECT * FROM deliveries ORDER BY seq');
    const interrupted = rows.filter(({ error }) => error === 'interrupted');
    const withSubscription = members.slice(0, SUBSCRIPTIONS);
    const expected = withSubscription
      .flatMap(({ orders }) => orders)
      .reduce((sum, id) => sum + written.get(id)!.length, 0);
    expect(rows).toHaveLength(expected);
    expect(rows.filter(({ state, error }) => state !== 'succeeded' && error !== 'interrupted')).toEqual([]);
    if (!mayInterrupt) expect(interrupted).toEqual([]);

    const received = receivers.flatMap((receiver) => receiver.received);
    const ids = received.map(({ headers }) => String(headers['x-svc-delivery']));
    // nothing arrives twice, and what did not arrive is recorded as interrupted
    expect(new Set(ids).size).toBe(ids.length);
    const arrived = new Set(ids);
    expect(rows.filter(({ id }) => !arrived.has(id)).every(({ error }) => error === 'interrupted')).toBe(true);

    for (const [index, { orders, subscription }] of withSubscription.entries()) {
      const ofSubscription = rows.filter((row) => row.subscription_id === subscription);
      const numbers = ofSubscription.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      const came = statusesByOrder(receivers[index]!.received);
      const lost = ofSubscription.some(({ error }) => error === 'interrupted');
      for (const id of orders) {
        if (!lost) expect(came.get(id)).toEqual(written.get(id));
        else expect(isSubsequence(came.get(id) ?? [], written.get(id) as string[])).toBe(true);
      }
    }
    process.stdout.write(
      `cluster: ${written.size} orders, ${rows.length} deliveries, ${interrupted.length} interrupted, ${received.length} requests\n`,
    );
  }

  test('sends every event to every subscription exactly once, in order per order', async () => {
    await expectExactlyOnce(await change(), false);
  });

  test('sends nothing twice while workers are killed, and marks deliveries in progress as interrupted', async () => {
    let changing = true;
    const killing = (async () => {
      while (changing) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await (cluster.worker.shift() as Service).kill();
        cluster.worker.push(await cluster.startWorker());
      }
    })();
    const written = await change();
    changing = false;
    await killing;
    await expectExactlyOnce(written, true);
  });

  test('survives 10 seconds without Redis, which returns empty', async () => {
    const changing = change();
    await cluster.redis.stop();
    const ready = await (await fetch(`${cluster.worker[0]!.origin}/readyz`)).json();
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    await cluster.redis.start();
    await expectExactlyOnce(await changing, false);
    expect(ready).toMatchObject({ status: 'ready' });
    const missing = async () =>
      (await (await fetch(`${cluster.worker[0]!.origin}/readyz`)).json()) as { missing?: string[] };
    await eventually(missing, ({ missing }) => missing === undefined);
  });

  test('survives repeated FLUSHALL', async () => {
    let changing = true;
    const flushing = (async () => {
      while (changing) {
        await cluster.redis.flush();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    })();
    const written = await change();
    changing = false;
    await flushing;
    await expectExactlyOnce(written, false);
  });
});

/** Whether one list is the other with some entries left out. */
function isSubsequence(some: string[], all: string[]): boolean {
  let at = 0;
  for (const one of some) {
    at = all.indexOf(one, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
