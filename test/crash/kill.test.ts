import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../kit/client.ts';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { times } from '../kit/length.ts';
import { median } from '../kit/median.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import {
  findChangeFaults,
  findDeliveryFaults,
  findEventFaults,
  findOrderFaults,
  findUseFaults,
  waitForDeliveries,
} from '../kit/record-check.ts';
import { countAcknowledged, createFilament, createRecordedLoad, LOAD_EVENTS } from '../kit/recorded-load.ts';
import {
  createAccountWithToken,
  createNewDataFolder,
  type Env,
  farmboard,
  LAUNCHER,
  type Service,
  startService,
} from '../kit/service.ts';

const CYCLES = times(20, 2_000);
const SEED = seedFrom('CRASH_SEED');
/** This many of the cycles are killed while the database file is still being created. */
const KILLS_ON_A_NEW_FILE = 5;
/** Of the others, one in this many is killed while it starts. */
const START_KILL_EVERY = 5;
const MAX_ACKS = 60;

const random = createRandom(SEED);
const unexpected: string[] = [];
const startTimes: number[] = [];

const folder = createNewDataFolder();
const env: Env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
const receivers: Receiver[] = [];

async function killDuringStart(afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  await Promise.race([sleep(afterMs), exited]);
  child.kill('SIGKILL');
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') unexpected.push(`a start ended by itself with code ${code}`);
}

async function start(): Promise<Service> {
  const began = Date.now();
  const service = await startService(env);
  startTimes.push(Date.now() - began);
  return service;
}

type Load = ReturnType<typeof createRecordedLoad>;

async function killUnderLoad(load: Load): Promise<void> {
  const service = await start();
  const last = random.between(1, MAX_ACKS);
  // half of them right at a response, half at any moment between two responses
  const delay = random.pick([0, random.between(1, 15)]);
  let acks = 0;
  let killed: Promise<void> | undefined;
  await load.run([service.origin], () => {
    acks += 1;
    if (acks >= last) killed ??= delay === 0 ? service.kill() : sleep(delay).then(service.kill);
  }).ended;
  if (!killed) unexpected.push(`the service stopped answering before it was killed: ${service.log.slice(-5)}`);
  await (killed ?? service.kill());
}

describe(`${CYCLES} kill -9 cycles under load (CRASH_SEED=${SEED})`, () => {
  let inspector: DatabaseInspector;
  let load: Load;
  let last: Service;
  let token: string;
  let filamentId: string;
  let subscriptions: { id: string; receiver: Receiver }[];
  const counts = { start: 0, load: 0 };

  async function createFarm(): Promise<void> {
    const first = await start();
    token = (await createAccountWithToken(env)).token;
    const client = await createClient(first.origin, token);
    subscriptions = [];
    for (const receiver of receivers) {
      const made = await client.post('/webhook-subscriptions', { url: receiver.url, events: LOAD_EVENTS });
      subscriptions.push({ id: made.body.id as string, receiver });
    }
    filamentId = await createFilament(client);
    load = createRecordedLoad({ random, token, filamentId });
    await first.stop();
  }

  beforeAll(async () => {
    const began = Date.now();
    const jitter = createRandom(SEED + 1);
    receivers.push(
      await startReceiver(),
      // slower than the load, so that kills interrupt deliveries
      await startReceiver((res) => void setTimeout(() => res.writeHead(204).end(), jitter.between(0, 30))),
    );

    for (; counts.start < KILLS_ON_A_NEW_FILE; counts.start++) await killDuringStart(random.between(50, 1_000));
    await createFarm();
    while (counts.start + counts.load < CYCLES) {
      if ((counts.start + counts.load) % START_KILL_EVERY === 0) {
        await killDuringStart(random.between(0, Math.round((median(startTimes) ?? 1_000) * 1.3)));
        counts.start += 1;
      } else {
        await killUnderLoad(load);
        counts.load += 1;
      }
      if (unexpected.length + load.unexpected.length > 0) break;
    }
    const cyclesTook = Date.now() - began;

    last = await start();
    inspector = await inspectDatabase(folder.file);
    const drainBegan = Date.now();
    // the slow receiver is behind by some deliveries of each cycle
    await waitForDeliveries(inspector, 300_000 + CYCLES * 200);
    const changes = load.record.orders.flatMap((one) => one.changes);
    const [deliveries] = await inspector.rows<{ n: number; interrupted: number }>(
      "SELECT count(*) AS n, sum(error = 'interrupted') AS interrupted FROM deliveries",
    );
    process.stdout.write(
      `kill.test: seed ${SEED}: ${counts.load} kills under load, ${counts.start} during start, in ${cyclesTook} ms (start ${median(startTimes) ?? 1_000} ms); ` +
        `${countAcknowledged(load.record)} acknowledged writes, ${changes.filter((one) => one.outcome === 'unknown').length} status writes without an answer, ` +
        `${deliveries?.n} deliveries, ${deliveries?.interrupted} interrupted; drained in ${Date.now() - drainBegan} ms\n`,
    );
  });

  afterAll(async () => {
    await inspector?.close();
    await last?.kill();
    for (const receiver of receivers) await receiver.stop();
    folder.remove();
  });

  test('completes every cycle with successful responses only', () => {
    expect([...unexpected, ...load.unexpected]).toEqual([]);
    expect(counts.start + counts.load).toBe(CYCLES);
    expect(counts.start).toBeGreaterThan(KILLS_ON_A_NEW_FILE);
  });

  test('loses no acknowledged order and creates none twice', async () => {
    expect(await findOrderFaults(load.record, inspector)).toEqual([]);
  });

  test('loses no acknowledged status change', async () => {
    expect(await findChangeFaults(load.record, inspector)).toEqual([]);
  });

  test('loses no acknowledged deduction and applies none twice', async () => {
    expect(await findUseFaults(load.record, inspector)).toEqual([]);
    const [filament] = await inspector.rows<{ used_mg: number }>('SELECT used_mg FROM filaments');
    const client = await createClient(last.origin, token);
    const shown = await client.get<{ used_grams: number }>(`/filaments/${filamentId}`);
    expect(Math.round(shown.body.used_grams * 1000)).toBe(filament?.used_mg);
  });

  test('has exactly one event per change', async () => {
    expect(await findEventFaults(inspector)).toEqual([]);
  });

  test('delivers nothing twice, everything recorded as delivered, in order per order, numbered without gaps', async () => {
    for (const { id, receiver } of subscriptions)
      expect(await findDeliveryFaults(id, receiver.received, inspector)).toEqual([]);
    expect(await inspector.rows("SELECT 1 FROM deliveries WHERE error = 'interrupted' LIMIT 1")).toHaveLength(1);
  });

  test('passes farmboard check', async () => {
    expect(await farmboard(['check'], env)).toEqual({
      code: 0,
      stdout: 'No problems found.\n',
      stderr: '',
    });
  });
});
