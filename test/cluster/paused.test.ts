import type { ServerResponse } from 'node:http';
import { type Client, createClient } from '../kit/client.ts';
import { type DatabaseInspector, type DeliveryRow, deliveriesOf, inspectDatabase } from '../kit/database.ts';
import { ENGINE, REDIS_URL } from '../kit/engine.ts';
import { eventually } from '../kit/eventually.ts';
import { deliveryIds, type Receiver, startReceiver } from '../kit/receiver.ts';
import {
  createAccountWithToken,
  createDataFolder,
  type DataFolder,
  type Env,
  FAULTY,
  type Service,
  startService,
} from '../kit/service.ts';

/**
 * A suspended process (SIGSTOP, a suspended machine) isn't dead: its process ID exists, its connections are open and it
 * may continue later. PostgreSQL: two workers; SQLite: two processes that share
 * a file, which takes Redis.
 */
describe(`a process suspended beyond its claim, ${ENGINE}`, () => {
  let folder: DataFolder;
  let env: Env;
  let inspector: DatabaseInspector;
  let running: Service[];
  let receiver: Receiver;
  let holding: boolean;
  let held: ServerResponse | undefined;
  let token: string;
  let subscription: string;

  beforeEach(async () => {
    folder = createDataFolder();
    env = { ...folder.env, REDIS_URL, WEBHOOK_ALLOWED_HOSTS: 'loopback', LOG_LEVEL: 'debug' };
    running = [];
    holding = false;
    held = undefined;
    // the receiver withholds the response to the first request of a test that wants it held
    receiver = await startReceiver((res) => {
      if (holding && receiver.received.length === 1) held = res;
      else res.writeHead(204).end();
    });
    token = (await createAccountWithToken(env)).token;
    inspector = await inspectDatabase(folder.file);
  });

  afterEach(async () => {
    // SIGKILL also ends a suspended process
    for (const service of running) await service.kill();
    await inspector.close();
    await receiver.stop();
    folder.remove();
  });

  async function start(settings: Env, program?: string): Promise<Service> {
    const service = await startService({ ...env, ...settings }, program);
    running.push(service);
    return service;
  }

  /** A process that delivers; on SQLite it also serves the API. */
  const startWorker = (settings: Env = {}, program?: string) =>
    start({ ROLE: ENGINE === 'postgres' ? 'worker' : 'all', ...settings }, program);

  const clientOf = ({ origin }: Service): Promise<Client> => createClient(origin, token);

  async function createOrder(client: Client): Promise<string> {
    return `/print-jobs/${(await client.post('/print-jobs', { model_name: 'part' })).body.id}`;
  }

  async function createSubscription(client: Client): Promise<void> {
    const made = await client.post('/webhook-subscriptions', { url: receiver.url, events: ['order.status_changed'] });
    subscription = String(made.body.id);
  }

  async function move(client: Client, order: string, status: string): Promise<void> {
    expect((await client.put(order, { workflow_status: status })).status).toBe(200);
  }

  const rows = (): Promise<DeliveryRow[]> => deliveriesOf(inspector, subscription);
  const endOf = ({ state, error }: DeliveryRow) => (error === null ? state : `${state} ${error}`);
  const untilEnds = (ends: string[]) =>
    eventually(
      async () => (await rows()).map(endOf),
      (seen) => JSON.stringify(seen) === JSON.stringify(ends),
    );

  const holderOf = (row: DeliveryRow | undefined): number => Number(row?.claimed_by?.split('/')[1]);

  /** Waits until the late response has reached the process. */
  const untilAttempted = (service: Service, delivery: DeliveryRow) =>
    eventually(
      () =>
        service.log.filter((line) => line.includes('discarded late outcomes') && line.includes(String(delivery.id))),
      (lines) => lines.length === 1,
    );

  test('refuses the late result of its pending request, sends nothing twice and continues', async () => {
    holding = true;
    const api = ENGINE === 'postgres' ? await start({ ROLE: 'api' }) : undefined;
    const workers = [await startWorker(), await startWorker()];
    const first = await clientOf(api ?? workers[0]!);
    const order = await createOrder(first);
    const another = await createOrder(first);
    await createSubscription(first);

    await move(first, order, 'confirmed');
    await receiver.until((all) => all.length === 1);
    const [claimed] = await rows();
    const paused = workers.find(({ pid }) => pid === holderOf(claimed)) as Service;
    const awake = workers.find((worker) => worker !== paused) as Service;
    process.kill(paused.pid, 'SIGSTOP');

    // an event of another order need not wait for the claim to expire, one of the same order must
    const client = await clientOf(api ?? awake);
    await move(client, another, 'confirmed');
    await move(client, order, 'assigned');
    await untilEnds(['failed interrupted', 'succeeded', 'succeeded']);
    expect((await rows()).slice(1).map(holderOf)).toEqual([awake.pid, awake.pid]);

    held!.writeHead(200).end('late');
    process.kill(paused.pid, 'SIGCONT');
    const [late] = (await rows()) as [DeliveryRow];
    await untilAttempted(paused, late);

    await awake.kill();
    const last = await clientOf(api ?? paused);
    await move(last, order, 'printing');
    await untilEnds(['failed interrupted', 'succeeded', 'succeeded', 'succeeded']);
    expect(holderOf((await rows()).at(-1))).toBe(paused.pid);
    // as the other process recorded it
    expect((await rows())[0]).toEqual(late);
    const ids = (await rows()).map(({ id }) => id);
    expect(deliveryIds(receiver.received).sort()).toEqual(ids.sort());
  });

  test('doesn’t send after resuming what others have given up', async () => {
    const api = ENGINE === 'postgres' ? await start({ ROLE: 'api' }) : undefined;
    const paused = await startWorker({ FAULT_STEP: 'after sending', FAULT_SIGNAL: 'SIGSTOP' }, FAULTY);
    const first = await clientOf(api ?? paused);
    const order = await createOrder(first);
    await createSubscription(first);
    // on SQLite the process may stop before or after it has answered this
    const moved = first.put(order, { workflow_status: 'confirmed' });
    await untilEnds(['sending']);
    const awake = await startWorker();
    await untilEnds(['failed interrupted']);
    expect(receiver.received).toEqual([]);

    process.kill(paused.pid, 'SIGCONT');
    const [late] = (await rows()) as [DeliveryRow];
    await untilAttempted(paused, late);
    expect((await moved).status).toBe(200);
    await awake.kill();
    await move(await clientOf(api ?? paused), order, 'assigned');
    await untilEnds(['failed interrupted', 'succeeded']);
    expect((await rows())[0]).toEqual(late);
    expect(receiver.received.map(({ body }) => body.data.workflow_status)).toEqual(['assigned']);
  });
});
