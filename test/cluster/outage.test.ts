import { type Cluster, type Member, startCluster } from '../kit/cluster.ts';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { type OwnPostgres, startOwnPostgres } from '../kit/postgres-server.ts';
import { type Receiver, startReceiver, statusesByOrder } from '../kit/receiver.ts';

const ORDERS = 6;
const ROUND = ['confirmed', 'assigned', 'printing', 'packing', 'done'] as const;

/** PostgreSQL stops as in a crash and comes back while everything runs. */
describe('a PostgreSQL outage under load', () => {
  let postgres: OwnPostgres;
  let cluster: Cluster;
  let receiver: Receiver;
  let member: Member;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    cluster = await startCluster({ apis: 2, workers: 2, database: postgres.url });
    receiver = await startReceiver();
    member = await cluster.join(ORDERS, receiver.url);
  });

  afterAll(async () => {
    await cluster?.stop();
    await receiver?.stop();
    postgres?.remove();
  });

  test('loses nothing acknowledged, sends nothing twice and recovers', async () => {
    const refusals = new Map<string, number>();
    const acknowledged = new Map<string, string[]>(member.orders.map((id) => [id, []]));
    let loading = true;
    const load = Promise.all(
      member.orders.map(async (id) => {
        const statuses = acknowledged.get(id) as string[];
        for (let i = 0; loading; ) {
          const workflow_status = ROUND[i % ROUND.length] as string;
          const client = member.clients[i % member.clients.length] as (typeof member.clients)[number];
          const { status, body } = await client.put(`/print-jobs/${id}`, { workflow_status });
          if (status === 200) {
            statuses.push(workflow_status);
            i += 1;
          } else {
            const refusal = `${status} ${body.code}`;
            refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        }
      }),
    );
    const changes = () => [...acknowledged.values()].flat().length;
    const readiness = () =>
      Promise.all([...cluster.api, ...cluster.worker].map(async ({ origin }) => fetch(`${origin}/readyz`)));

    const rounds = 3;
    for (let round = 1; round <= rounds; round++) {
      const before = changes();
      await eventually(changes, (made) => made >= before + 30);
      postgres.stop('immediate');
      for (const answer of await readiness()) {
        expect(answer.status).toBe(503);
        expect(await answer.json()).toMatchObject({ code: 'unavailable', detail: "The database isn't responding." });
      }
      await eventually(
        () => refusals.get('503 unavailable') ?? 0,
        (refused) => refused >= round * 5,
      );
      postgres.start();
      await eventually(readiness, (answers) => answers.every(({ status }) => status === 200));
    }
    const before = changes();
    await eventually(changes, (made) => made >= before + 30);
    loading = false;
    await load;
    // refused with a documented error, never an unexpected failure
    expect([...refusals.keys()]).toEqual(['503 unavailable']);

    // the inspector's connection broke with the first stop
    const inspector: DatabaseInspector = await inspectDatabase(postgres.url);
    const open = async () =>
      (await inspector.rows("SELECT 1 FROM deliveries WHERE state IN ('pending', 'sending')")).length;
    await eventually(open, (left) => left === 0);
    const rows = await inspector.rows<{ id: string; error: string | null; state: string }>('SELECT * FROM deliveries');
    await inspector.close();
    expect(rows.filter(({ state, error }) => state !== 'succeeded' && error !== 'interrupted')).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(changes());
    const ids = receiver.received.map(({ headers }) => String(headers['x-svc-delivery']));
    expect(new Set(ids).size).toBe(ids.length);
    const arrived = new Set(ids);
    expect(rows.filter(({ id, error }) => !arrived.has(id) && error !== 'interrupted')).toEqual([]);
    for (const [id, statuses] of statusesByOrder(receiver.received)) {
      // a change whose response was lost with the database may be stored without an acknowledgement, but never twice
      expect([id, statuses.filter((status, i) => status === statuses[i - 1])]).toEqual([id, []]);
    }

    for (const { log } of [...cluster.api, ...cluster.worker]) {
      const lines = log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { msg: string });
      const told = (part: string) => lines.filter(({ msg }) => msg.includes(part)).length;
      expect([told('lost the connection to the database'), told('reconnected to the database')]).toEqual([
        rounds,
        rounds,
      ]);
    }
    const interrupted = rows.filter(({ error }) => error === 'interrupted').length;
    process.stdout.write(
      `outage: ${changes()} changes, ${rows.length} deliveries, ${interrupted} interrupted, ${[...refusals]}\n`,
    );
  });
});
