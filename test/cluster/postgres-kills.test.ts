import { createClient } from '../kit/client.ts';
import { type Cluster, startCluster } from '../kit/cluster.ts';
import { inspectDatabase } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { type OwnPostgres, startOwnPostgres } from '../kit/postgres-server.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { findAllFaults, waitForDeliveries } from '../kit/record-check.ts';
import { countAcknowledged, createFilament, createRecordedLoad, LOAD_EVENTS } from '../kit/recorded-load.ts';
import { createAccountWithToken, farmboard, type Service } from '../kit/service.ts';

const ROUNDS = times(4, 50);
const SEED = seedFrom('OUTAGE_SEED');

const random = createRandom(SEED);

/** PostgreSQL stops as in a crash, or is killed, and comes back while everything runs. */
describe(`${ROUNDS} PostgreSQL outages under load (OUTAGE_SEED=${SEED})`, () => {
  let postgres: OwnPostgres;
  let cluster: Cluster;
  let receiver: Receiver;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    cluster = await startCluster({ apis: 2, workers: 2, database: postgres.url });
    receiver = await startReceiver();
  });

  afterAll(async () => {
    await cluster?.stop();
    await receiver?.stop();
    postgres?.remove();
  });

  const services = () => [...cluster.api, ...cluster.worker];
  const readiness = () => Promise.all(services().map(({ origin }) => fetch(`${origin}/readyz`)));

  /** How often a process has logged that it lost the database, and that it is back. */
  function countOutages({ log }: Service): [lost: number, back: number] {
    const lines = log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { msg: string });
    const told = (part: string) => lines.filter(({ msg }) => msg.includes(part)).length;
    return [told('lost the connection to the database'), told('reconnected to the database')];
  }

  /** What a process has logged of requests that failed with a 500. */
  const unexpectedErrors = ({ log }: Service) => log.filter((line) => line.includes('failed with an unexpected error'));

  test('lose nothing acknowledged and double nothing, and the service recovers without a restart', async () => {
    const { token } = await createAccountWithToken(cluster.env);
    const client = await createClient((cluster.api[0] as Service).origin, token);
    const subscription = await client.post('/webhook-subscriptions', { url: receiver.url, events: LOAD_EVENTS });
    const refusals = new Map<string, number>();
    const load = createRecordedLoad({ random, token, filamentId: await createFilament(client), refusals });
    let acks = 0;
    const running = load.run(
      cluster.api.map(({ origin }) => origin),
      () => {
        acks += 1;
      },
    );
    const moreAcks = (before: number, more: number) =>
      eventually(
        () => acks,
        (made) => made >= before + more || load.unexpected.length > 0,
      );

    /** What each process had logged before each outage, and at the end. */
    const logged: [number, number][][] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const before = refusals.get('503 unavailable') ?? 0;
      await moreAcks(acks, random.between(5, 60));
      logged.push(services().map(countOutages));
      if (round % 2 === 0) await postgres.kill();
      else postgres.stop('immediate');
      for (const answer of await readiness()) {
        expect(answer.status).toBe(503);
        expect(await answer.json()).toMatchObject({ code: 'unavailable', detail: "The database isn't responding." });
      }
      await eventually(
        () => refusals.get('503 unavailable') ?? 0,
        (refused) => refused >= before + 5 || load.unexpected.length > 0,
      );
      expect([...load.unexpected, ...services().flatMap(unexpectedErrors)]).toEqual([]);
      postgres.start();
      await eventually(readiness, (answers) => answers.every(({ status }) => status === 200));
    }
    await moreAcks(acks, 60);
    await running.stop();
    logged.push(services().map(countOutages));

    // the inspector's connection broke with the first stop
    const inspector = await inspectDatabase(postgres.url);
    await waitForDeliveries(inspector, 300_000);
    const [deliveries] = await inspector.rows<{ n: number; interrupted: number }>(
      "SELECT count(*) AS n, count(CASE WHEN error = 'interrupted' THEN 1 END) AS interrupted FROM deliveries",
    );
    process.stdout.write(
      `postgres-kills.test: seed ${SEED}: ${ROUNDS} outages, ${countAcknowledged(load.record)} acknowledged writes, ` +
        `${deliveries?.n} deliveries, ${deliveries?.interrupted} interrupted, ${[...refusals]}\n`,
    );
    // refused with a documented error, never an unexpected failure
    expect(load.unexpected).toEqual([]);
    expect([...refusals.keys()]).toEqual(['503 unavailable']);
    const subscriptions = [{ id: String(subscription.body.id), received: receiver.received }];
    expect(await findAllFaults(load.record, subscriptions, inspector)).toEqual([]);
    await inspector.close();
    expect(await farmboard(['check'], cluster.env)).toEqual({ code: 0, stdout: 'No problems found.\n', stderr: '' });
    for (let round = 1; round <= ROUNDS; round++) {
      const lines = (logged[round] ?? []).map(([lost, back], i) => {
        const [lostBefore, backBefore] = logged[round - 1]?.[i] ?? [0, 0];
        return [lost - lostBefore, back - backBefore];
      });
      // a connection that outlives the others for a moment makes it lost and back more than once
      const expected = lines.map(([lost = 0]) => [Math.max(lost, 1), Math.max(lost, 1)]);
      expect([round, lines]).toEqual([round, expected]);
    }
  });
});
