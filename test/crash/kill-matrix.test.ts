import { once } from 'node:events';
import { createClient } from '../kit/client.ts';
import { type DatabaseInspector, deliveriesOf, inspectDatabase } from '../kit/database.ts';
import { ENGINE, HAS_REDIS } from '../kit/engine.ts';
import { eventually, PATIENCE_MS } from '../kit/eventually.ts';
import type { Step } from '../kit/faulty-service.ts';
import { IS_LONG } from '../kit/length.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { type OwnRedis, startOwnRedis } from '../kit/redis-server.ts';
import {
  createAccountWithToken,
  createDataFolder,
  type DataFolder,
  type Env,
  FAULTY,
  type Service,
  startService,
} from '../kit/service.ts';

/** The final state of the delivery and the number of requests its receiver got, for every step. */
const STEPS: { step: Step; ends: string; requests: 0 | 1 }[] = [
  { step: 'after commit', ends: 'succeeded', requests: 1 },
  { step: 'after wake', ends: 'succeeded', requests: 1 },
  { step: 'after claim', ends: 'succeeded', requests: 1 },
  // once the claim is committed the request may have arrived, so it is never repeated
  { step: 'after sending', ends: 'failed interrupted', requests: 0 },
  { step: 'mid-request', ends: 'failed interrupted', requests: 1 },
  { step: 'after the answer', ends: 'failed interrupted', requests: 1 },
  { step: 'before the record', ends: 'failed interrupted', requests: 1 },
];

/** What happens to Redis after the process is dead and before the next one starts. */
const MODES = [
  { mode: 'without Redis', hasRedis: false, strike: async () => undefined },
  { mode: 'Redis up', hasRedis: true, strike: async () => undefined },
  { mode: 'Redis down', hasRedis: true, strike: (redis: OwnRedis) => redis.stop() },
  { mode: 'Redis flushed', hasRedis: true, strike: (redis: OwnRedis) => redis.flush() },
];

/** Wake-ups and databases are independent, so each engine is combined with its usual modes only. */
const modes =
  ENGINE === 'postgres'
    ? MODES.filter(({ hasRedis }) => hasRedis)
    : MODES.filter(({ mode }) => mode === 'without Redis' || (HAS_REDIS && mode === 'Redis up'));

/** Where Redis changes what happens: its wake-up is not sent, is lost, or was of use before. All steps at night. */
const OF_REDIS: Step[] = ['after commit', 'after wake', 'mid-request'];
const stepsIn = (mode: string) =>
  IS_LONG || mode === 'without Redis' || (mode === 'Redis up' && ENGINE === 'postgres')
    ? STEPS
    : STEPS.filter(({ step }) => OF_REDIS.includes(step));

describe.each(modes)('a service killed at a step, $mode', ({ mode, hasRedis, strike }) => {
  let folder: DataFolder;
  let redis: OwnRedis | undefined;
  let env: Env;
  let token: string;
  let inspector: DatabaseInspector;
  let running: Service[];
  let receiver: Receiver | undefined;

  beforeAll(async () => {
    folder = createDataFolder();
    redis = hasRedis ? await startOwnRedis() : undefined;
    env = { ...folder.env, REDIS_URL: redis?.url, ROLE: 'all', WEBHOOK_ALLOWED_HOSTS: 'loopback' };
    token = (await createAccountWithToken(env)).token;
    inspector = await inspectDatabase(folder.file);
  });

  beforeEach(() => {
    running = [];
    receiver = undefined;
  });

  afterEach(async () => {
    for (const service of running) await service.kill();
    await receiver?.stop();
  });

  afterAll(async () => {
    await inspector?.close();
    await redis?.stop();
    folder.remove();
  });

  async function start(settings: Env = {}, program?: string): Promise<Service> {
    const service = await startService({ ...env, ...settings }, program);
    running.push(service);
    return service;
  }

  /** The states of the subscription's deliveries once none of them is open. */
  const settled = (subscription: string) =>
    eventually(
      async () =>
        (await deliveriesOf(inspector, subscription)).map((row) => ({
          id: row.id,
          sequence: Number(row.sequence),
          ends: row.error === null ? row.state : `${row.state} ${row.error}`,
        })),
      (rows) => rows.every(({ ends }) => ends !== 'pending' && ends !== 'sending'),
    );

  test.each(stepsIn(mode))('$step: $ends, requests seen: $requests', async ({ step, ends, requests }) => {
    const victim = await start({ FAULT_STEP: step }, FAULTY);
    const far = await startReceiver((res, { body }) => {
      // read to the last byte, but not answered
      if (step === 'mid-request' && body.data.workflow_status === 'confirmed') process.kill(victim.pid, 'SIGKILL');
      else res.writeHead(204).end();
    });
    receiver = far;
    const before = await createClient(victim.origin, token);
    // deletes the subscriptions of other steps, which would receive events as well and could trigger the fault
    const { items } = (await before.get<{ items: { id: string }[] }>('/webhook-subscriptions')).body;
    for (const { id } of items) await before.delete(`/webhook-subscriptions/${id}`);
    const order = `/print-jobs/${(await before.post('/print-jobs', { model_name: step })).body.id}`;
    const made = await before.post('/webhook-subscriptions', { url: far.url, events: ['order.status_changed'] });
    const subscription = String(made.body.id);

    const answer = before.put(order, { workflow_status: 'confirmed' }).then(
      ({ status }) => status,
      () => 'none' as const,
    );
    const late = AbortSignal.timeout(PATIENCE_MS);
    const gone = await Promise.race([victim.exited, once(late, 'abort').then(() => 'still there after 20 s')]);
    expect(gone).toEqual({ code: null, signal: 'SIGKILL' });
    if (redis) await strike(redis);

    const successor = await start();
    const after = await createClient(successor.origin, token);
    // a client whose change was committed may have got no response, but never an error
    expect([200, 'none']).toContain(await answer);
    expect((await after.get(order)).body.workflow_status).toBe('confirmed');
    const [delivery, ...others] = await settled(subscription);
    expect(delivery).toMatchObject({ ends, sequence: 1 });
    expect(others).toEqual([]);
    expect(far.received.map(({ headers }) => headers['x-svc-delivery'])).toEqual(requests === 0 ? [] : [delivery!.id]);

    // the subscription continues without repeating anything
    expect((await after.put(order, { workflow_status: 'assigned' })).status).toBe(200);
    expect(await settled(subscription)).toMatchObject([delivery!, { ends: 'succeeded', sequence: 2 }]);
    if (mode === 'Redis down') {
      await redis!.start();
      const ready = async () => (await fetch(`${successor.origin}/readyz`)).json() as Promise<{ missing?: string[] }>;
      await eventually(ready, ({ missing }) => missing === undefined);
      expect((await after.put(order, { workflow_status: 'printing' })).status).toBe(200);
      expect((await settled(subscription)).map((row) => row.ends)).toEqual([ends, 'succeeded', 'succeeded']);
    }
    const statuses = far.received.map(({ body }) => body.data.workflow_status);
    const later = mode === 'Redis down' ? ['assigned', 'printing'] : ['assigned'];
    expect(statuses).toEqual([...(requests === 0 ? [] : ['confirmed']), ...later]);
    expect(await inspector.rows("SELECT seq FROM deliveries WHERE state IN ('pending', 'sending')")).toEqual([]);
  });
});
