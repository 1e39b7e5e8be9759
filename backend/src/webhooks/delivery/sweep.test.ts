import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { createTestLogger } from '../../../../test/kit/logger.ts';
import { forTest } from '../../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions } from '../../../../test/kit/subscriptions.ts';
import { newId } from '../../shared/ids.ts';
import { recordAndClaim } from './claim-store.ts';
import { createSweep, createWorkerName } from './sweep.ts';

const START = Date.UTC(2026, 10, 21);
const CLAIM_MS = 14_000;

const storage = forTest(openTestStorage);
let now: number;
let subscriptions: ReturnType<typeof createSubscriptions>;
let subscription: string;
let self: string;
let sweep: () => Promise<string[]>;
let lines: { level: number; msg: string }[];
let deadPid: number;
let living: ChildProcess;

beforeAll(async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  deadPid = dead.pid as number;
  living = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)']);
  await once(living, 'spawn');
});

afterAll(async () => {
  const gone = once(living, 'exit');
  living.kill('SIGKILL');
  await gone;
});

beforeEach(async () => {
  now = START;
  subscriptions = createSubscriptions(storage, await insertTestAccount(storage), () => now);
  subscription = await subscriptions.create();
  self = createWorkerName();
  const log = createTestLogger();
  lines = log.lines;
  sweep = createSweep({
    storage,
    databaseClock: () => String(now),
    worker: self,
    logger: log.logger,
    publishChange: () => undefined,
  });
});

const workerOf = (pid: number | undefined, host = hostname()) => `${host}/${pid}/${newId()}`;

/** Claims everything pending in the subscription as the given worker. */
const claimAs = (worker: string, id = subscription) =>
  recordAndClaim(
    storage,
    [{ subscriptionId: id, mayClaim: () => true, finished: [] }],
    { worker, claimMs: CLAIM_MS, maxInFlight: 4, maxAgeMs: 3_600_000 },
    String(now),
  );

const states = async (id = subscription) =>
  (await subscriptions.deliveries(id)).map(({ state, error }) => (error ? `${state} ${error}` : state));

test('a worker name contains its host, its process id and a unique part per start', () => {
  expect(self.split('/').slice(0, 2)).toEqual([hostname(), String(process.pid)]);
  expect(createWorkerName()).not.toBe(self);
});

test('writes nothing if nothing was interrupted', async () => {
  const statements: string[] = [];
  storage.writer.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  expect(await sweep()).toEqual([]);
  expect(statements.filter((sql) => !/^\s*(SELECT|WITH RECURSIVE waiting)\b/i.test(sql))).toEqual([]);
  expect(lines).toEqual([]);
});

describe('attempts of another process', () => {
  beforeEach(async () => {
    await subscriptions.emit('a', 'a');
    await subscriptions.emit('b', 'b');
  });

  test('are interrupted immediately when the process is dead, and the subscription is woken', async () => {
    await claimAs(workerOf(deadPid));
    now += 10;
    expect(await sweep()).toEqual([subscription]);
    expect(await subscriptions.deliveries(subscription)).toMatchObject([
      { state: 'failed', error: 'interrupted', duration_ms: 10, response_status: null, claimed_until: null },
      { state: 'failed', error: 'interrupted' },
    ]);
    expect(lines).toHaveLength(1);
    // only once
    expect(await sweep()).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  test('are interrupted immediately when an earlier start had the same process id', async () => {
    await claimAs(workerOf(process.pid));
    expect(await sweep()).toEqual([subscription]);
    expect(await states()).toEqual(['failed interrupted', 'failed interrupted']);
  });

  test.each<[string, () => string]>([
    ['lives', () => workerOf(living.pid)],
    ['is of another host', () => workerOf(deadPid, 'another-host')],
    ['is this one', () => self],
  ])('is left alone until its claim has run out when the process %s', async (_name, worker) => {
    await claimAs(worker());
    now += CLAIM_MS;
    expect(await sweep()).toEqual([]);
    expect(await states()).toEqual(['sending', 'sending']);
    now += 1;
    expect(await sweep()).toEqual([subscription]);
    expect(await states()).toEqual(['failed interrupted', 'failed interrupted']);
  });

  test('of one worker are checked claim by claim', async () => {
    const other = await subscriptions.create();
    await subscriptions.emit('c', 'c');
    const worker = workerOf(living.pid);
    await claimAs(worker);
    now += 10_000;
    await claimAs(worker, other);
    now += 5_000;
    expect(await sweep()).toEqual([subscription]);
    expect(await states()).toEqual(['failed interrupted', 'failed interrupted', 'failed interrupted']);
    expect(await states(other)).toEqual(['sending']);
  });

  test('of dead workers are interrupted without touching those of live ones', async () => {
    const other = await subscriptions.create();
    await subscriptions.emit('c', 'c');
    await claimAs(workerOf(living.pid), other);
    await claimAs(workerOf(deadPid));
    expect(await sweep()).toEqual([subscription]);
    expect(await states(other)).toEqual(['sending']);
  });
});

test('returns subscriptions with deliveries pending for more than a second, each once', async () => {
  const other = await subscriptions.create();
  await subscriptions.emit('a', 'a');
  await subscriptions.emit('b', 'b');
  now += 1_000;
  expect(await sweep()).toEqual([]);
  now += 1;
  expect((await sweep()).toSorted()).toEqual([subscription, other].toSorted());
  await claimAs(self);
  expect(await sweep()).toEqual([other]);
});
