import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from '../kit/client.ts';
import { type DatabaseInspector, inspectDatabase } from '../kit/database.ts';
import { eventually } from '../kit/eventually.ts';
import { createFaultyDisk, createReplay, type DiskRecord, hashFiles, LOSSES, type Loss } from '../kit/faulty-disk.ts';
import { times } from '../kit/length.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { findAllFaults, waitForDeliveries } from '../kit/record-check.ts';
import {
  countAcknowledged,
  createFilament,
  createRecordedLoad,
  LOAD_EVENTS,
  type LoadRecord,
  now,
  recordAt,
} from '../kit/recorded-load.ts';
import { createAccountWithToken, createNewDataFolder, type Env, farmboard, startService } from '../kit/service.ts';

const POINTS = times(6, 200);
const ACKS_PER_START = POINTS * 2 + 60;
const STARTS = 2;
const SEED = seedFrom('POWER_SEED');

const random = createRandom(SEED);

interface Point {
  moment: number;
  loss: Loss;
}

/** What is known of the run that is recorded. */
interface Recorded {
  records: DiskRecord[];
  load: LoadRecord;
  subscriptions: { id: string; receiver: Receiver; receivedAt: number[] }[];
  /** When the subscriptions existed. */
  setupAt: number;
}

/** Half of the points are right at what a client or receiver learned, half right at a change on the disk. */
function choosePoints({ records, load, subscriptions }: Recorded): Point[] {
  const attempts = [
    ...load.orders.flatMap((one) => [...one.creations, ...one.changes]),
    ...load.uses.flatMap((one) => one.attempts),
  ];
  const learned = [
    ...attempts.filter(({ outcome }) => outcome === 'acknowledged').map((one) => one.endedAt),
    ...subscriptions.flatMap(({ receivedAt }) => receivedAt),
  ];
  const points = Array.from({ length: POINTS }, (_, i) => ({
    moment: i % 2 === 0 ? random.pick(learned) : random.pick(records).at,
    loss: LOSSES[Math.floor(i / 2) % LOSSES.length] as Loss,
  }));
  return points.sort((a, b) => a.moment - b.moment);
}

/** What an inspector sees that clients and receivers contradict, after the service has dealt with what was open. */
async function findLosses(recorded: Recorded, moment: number, inspector: DatabaseInspector, startedAt: number) {
  await waitForDeliveries(inspector);
  const isKnown = (at: number) => at <= moment || at >= startedAt;
  const subscriptions = recorded.subscriptions.map(({ id, receiver, receivedAt }) => ({
    id,
    received: receiver.received.filter((_, i) => isKnown(receivedAt[i] as number)),
  }));
  return findAllFaults(recordAt(recorded.load, moment), subscriptions, inspector);
}

/** Starts the service on what the disk has left, as an operator would. */
async function findFaultsAfter(recorded: Recorded, { moment }: Point, env: Env, file: string): Promise<string[]> {
  const startedAt = now();
  const service = await startService(env).catch((error: Error) => error);
  if (service instanceof Error) return [service.message];
  const inspector = await inspectDatabase(file);
  try {
    const faults = moment < recorded.setupAt ? [] : await findLosses(recorded, moment, inspector, startedAt);
    const { code, stdout, stderr } = await farmboard(['check'], env);
    return code === 0 ? faults : [...faults, stdout + stderr];
  } finally {
    await inspector.close();
    await service.kill();
  }
}

describe(`power loss at ${POINTS} points (POWER_SEED=${SEED})`, () => {
  const data = createNewDataFolder();
  const folder = dirname(data.file);
  const env: Env = { ...data.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' };
  const subscriptions: Recorded['subscriptions'] = [];
  let recorded: Recorded;
  let unexpected: string[];

  async function startTimedReceiver(delayMs: () => number) {
    const receivedAt: number[] = [];
    const receiver = await startReceiver((res) => {
      receivedAt.push(now());
      setTimeout(() => res.writeHead(204).end(), delayMs());
    });
    subscriptions.push({ id: '', receiver, receivedAt });
  }

  beforeAll(async () => {
    const jitter = createRandom(SEED + 1);
    await startTimedReceiver(() => 0);
    // slower than the load, so that requests are in progress at the points
    await startTimedReceiver(() => jitter.between(0, 30));
    const disk = createFaultyDisk(data.file, folder);
    const recordedEnv = { ...env, ...disk.recordingEnv };
    let service = await startService(recordedEnv);
    const { token } = await createAccountWithToken(recordedEnv);
    const client = await createClient(service.origin, token);
    for (const subscription of subscriptions) {
      const made = await client.post('/webhook-subscriptions', { url: subscription.receiver.url, events: LOAD_EVENTS });
      subscription.id = String(made.body.id);
    }
    const load = createRecordedLoad({ random, token, filamentId: await createFilament(client) });
    const setupAt = now();
    for (let run = 1; ; run++) {
      let acks = 0;
      const running = load.run([service.origin], () => {
        acks += 1;
      });
      await eventually(
        () => acks,
        (made) => made >= ACKS_PER_START,
        120_000,
      );
      await running.stop();
      await service.stop();
      if (run === STARTS) break;
      service = await startService(recordedEnv);
    }
    unexpected = load.unexpected;
    recorded = { records: disk.readRecords(), load: load.record, subscriptions, setupAt };
  });

  afterAll(async () => {
    for (const { receiver } of subscriptions) await receiver.stop();
    data.remove();
  });

  test('is replayed from everything that was written', () => {
    expect(unexpected).toEqual([]);
    const { replay, writeImage } = createReplay(random);
    for (const record of recorded.records) replay(record);
    const copy = join(folder, 'complete', 'farmboard.sqlite3');
    writeImage(copy, 'nothing');
    expect(hashFiles(copy)).toEqual(hashFiles(data.file));
  });

  test('loses nothing acknowledged, doubles nothing, and the service continues by itself', async () => {
    const { replay, writeImage } = createReplay(random);
    const left = [...recorded.records].reverse();
    const faults: string[] = [];
    for (const [i, point] of choosePoints(recorded).entries()) {
      while (left.length > 0 && (left.at(-1) as DiskRecord).at <= point.moment) replay(left.pop() as DiskRecord);
      const file = join(folder, `point-${i}`, 'farmboard.sqlite3');
      writeImage(file, point.loss);
      const found = await findFaultsAfter(recorded, point, { ...env, DATABASE_URL: `sqlite:${file}` }, file);
      faults.push(...found.map((fault) => `point ${i}, ${point.loss} unsynced lost: ${fault}`));
      rmSync(dirname(file), { recursive: true });
    }
    process.stdout.write(
      `power-loss.test: seed ${SEED}: ${POINTS} points in ${recorded.records.length} changes of the disk, ` +
        `${countAcknowledged(recorded.load)} acknowledged writes\n`,
    );
    expect(faults).toEqual([]);
  });
});
