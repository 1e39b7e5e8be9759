import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../kit/certificate.ts';
import { type Client, createClient } from '../kit/client.ts';
import { deliveriesOf } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { DEFAULT_EVENTS, type Farm, type Order, type Subscription, startFarm } from '../kit/farm.ts';
import { HOSTILE, type Hostile, startHostile } from '../kit/hostile-receivers.ts';
import { deliveryIds, type Receiver, startReceiver } from '../kit/receiver.ts';

/** At most this many requests of a subscription run at once, so their attempts end together. */
const ORDERS = 4;
const STATUSES = ['confirmed', 'assigned', 'printing', 'packing', 'delivery'];
const EVENTS = ORDERS * (1 + STATUSES.length);
/** An account has at most ten subscriptions, and one of them is healthy. */
const PER_ACCOUNT = 9;
/** What the service may need beyond its memory before the first delivery. Four bombs or endless responses are larger. */
const MAX_GROWTH_MB = 200;

/** A subscription to one of them. */
interface Trial {
  hostile: Hostile;
  subscription: string;
}

describe(`${HOSTILE.length} hostile receivers beside healthy ones`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-hostile-'));
  const certificate = makeCertificate(folder, 'localhost');
  const cleanups: (() => Promise<unknown>)[] = [];
  const trials: Trial[] = [];
  const healthy: { receiver: Receiver; subscription: string }[] = [];
  let farm: Farm;
  let before: number;

  /** The most memory that the service has ever used. */
  const peakMb = (): number => {
    const status = readFileSync(`/proc/${farm.service.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  };

  const subscribe = async (client: Client, url: string): Promise<string> =>
    (await client.post<Subscription>('/webhook-subscriptions', { url, events: DEFAULT_EVENTS })).body.id;

  /** An account with some hostile subscriptions and a healthy one. */
  async function open(some: Hostile[]): Promise<Client> {
    const client = await createClient(farm.origin, (await farm.newAccount()).token);
    for (const hostile of some) {
      const { url, stop } = await startHostile(hostile, certificate);
      cleanups.push(stop);
      trials.push({ hostile, subscription: await subscribe(client, url) });
    }
    const receiver = await startReceiver();
    cleanups.push(receiver.stop);
    healthy.push({ receiver, subscription: await subscribe(client, receiver.url) });
    return client;
  }

  async function changeOrders(client: Client): Promise<void> {
    await Promise.all(
      Array.from({ length: ORDERS }, async () => {
        const { id } = (await client.post<Order>('/print-jobs', { model_name: 'part' })).body;
        for (const workflow_status of STATUSES) await client.put(`/print-jobs/${id}`, { workflow_status });
      }),
    );
  }

  beforeAll(async () => {
    farm = await startFarm({ REDIS_URL: undefined });
    const clients = [await open(HOSTILE.slice(0, PER_ACCOUNT)), await open(HOSTILE.slice(PER_ACCOUNT))];
    before = peakMb();
    await Promise.all(clients.map(changeOrders));
  });

  afterAll(async () => {
    await farm?.remove();
    for (const cleanup of cleanups) await cleanup();
    rmSync(folder, { recursive: true });
  });

  test('take nothing from healthy receivers', async () => {
    for (const { receiver, subscription } of healthy) {
      await receiver.until((all) => all.length >= EVENTS);
      expect(new Set(deliveryIds(receiver.received)).size).toBe(EVENTS);
      expect(receiver.received).toHaveLength(EVENTS);
      const rows = await eventually(
        () => deliveriesOf(farm.inspector, subscription),
        (all) => all.every((row) => row.state !== 'sending'),
      );
      expect(rows.map((row) => row.state)).toEqual(Array(EVENTS).fill('succeeded'));
    }
  });

  test.each(HOSTILE.map((hostile) => [hostile.does, hostile] as const))(
    'one %s: its error, unless it answered 200, and a status only if there was one',
    async (_does, hostile) => {
      const subscription = trials.find((trial) => trial.hostile === hostile)?.subscription as string;
      const ended = await eventually(
        async () =>
          (await deliveriesOf(farm.inspector, subscription)).filter(
            ({ state }) => state === 'failed' || state === 'succeeded',
          ),
        (rows) => rows.length >= ORDERS,
      );
      const seen = new Set(ended.map((row) => `${row.error} ${row.response_status}`));
      expect([...seen]).toEqual([`${hostile.error} ${hostile.status}`]);
    },
  );

  test('don’t make the service grow', () => {
    const after = peakMb();
    process.stdout.write(
      `hostile-receivers.test: at most ${before.toFixed()} MB before, ${after.toFixed()} MB after\n`,
    );
    expect(after - before).toBeLessThan(MAX_GROWTH_MB);
  });
});
