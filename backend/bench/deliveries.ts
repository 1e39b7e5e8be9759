// npm run bench:deliveries: how many deliveries a second, how soon, and what receivers that do not answer cost others.
// Compares with floors in the same run, because absolute speed depends on the hardware. Options: --rounds N (5),
// --only throughput|latency|isolation|hostile|burst. PostgreSQL is measured if FARMBOARD_TEST_POSTGRES and
// FARMBOARD_TEST_REDIS are set, and the floor of throughput if Redis is.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool, request } from 'undici';
import { createFarm, type Farm, openFarmboard } from './farm.ts';
import {
  here,
  median,
  onServer,
  option,
  pace,
  quantile,
  start,
  startService,
  stop,
  stopAll,
  waitUntilIdle,
  withRange,
} from './kit.ts';
import type { Arrival } from './receiver.ts';

const ROUNDS = Number(option('rounds', '5'));
const ONLY = option('only', '');
const POSTGRES = process.env.FARMBOARD_TEST_POSTGRES;
const REDIS = process.env.FARMBOARD_TEST_REDIS;

/** An account has at most ten subscriptions, and at most four requests of a subscription run at once. */
const SUBSCRIPTIONS = [10, 9];
const ALL_SUBSCRIPTIONS = SUBSCRIPTIONS.reduce((sum, subscriptions) => sum + subscriptions);
const AT_ONCE = 4;
const CHANGES = 1_000;
const DELIVERIES = CHANGES * ALL_SUBSCRIPTIONS;

const folder = mkdtempSync(join(tmpdir(), 'farmboard-bench-'));
const now = () => performance.timeOrigin + performance.now();

interface Receiver {
  origin: string;
  /** the URL that returns what arrived */
  arrivals: string;
}

async function startReceiver(): Promise<Receiver> {
  const { port } = await start([join(here, 'receiver.js')], {});
  const origin = `http://127.0.0.1:${port}`;
  return { origin, arrivals: `${origin}/arrivals` };
}

/** The environment of the processes of a service, and how many there are of each role. */
interface Deployment {
  name: string;
  env: Record<string, string>;
  roles: string[];
}

const serve = (deployment: Deployment) =>
  Promise.all(
    deployment.roles.map((ROLE) =>
      startService({
        ...deployment.env,
        ROLE,
        PORT: '0',
        RATE_LIMIT_PER_MINUTE: '0',
        NODE_ENV: 'production',
      }),
    ),
  );

async function listDeployments(): Promise<Deployment[]> {
  const sqlite = { DATABASE_URL: `sqlite:${join(folder, 'farmboard.sqlite3')}` };
  const deployments = [{ name: 'SQLite, one process', env: sqlite, roles: ['all'] }];
  if (POSTGRES === undefined || REDIS === undefined) return deployments;
  const name = `farmboard_bench_${process.pid}`;
  await onServer(POSTGRES, `CREATE DATABASE ${name}`);
  const postgres = { DATABASE_URL: Object.assign(new URL(POSTGRES), { pathname: name }).href };
  const both = { ...postgres, REDIS_URL: REDIS };
  return [
    ...deployments,
    { name: 'PostgreSQL and Redis, one process', env: both, roles: ['all'] },
    { name: 'PostgreSQL and Redis, 2 + 2', env: both, roles: ['api', 'api', 'worker', 'worker'] },
  ];
}

/** Runs work with the services of a deployment that serves nobody meanwhile. */
async function inProcess<T>(
  { env }: Deployment,
  work: (farmboard: Awaited<ReturnType<typeof openFarmboard>>) => Promise<T>,
) {
  Object.assign(process.env, env);
  const farmboard = await openFarmboard();
  try {
    return await work(farmboard);
  } finally {
    await farmboard.close();
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

/** Accounts with the given numbers of subscriptions. */
const createFarms = (deployment: Deployment, { origin }: Receiver, subscriptions: readonly number[]) =>
  inProcess(deployment, async (farmboard) => {
    const farms: Farm[] = [];
    for (const [i, count] of subscriptions.entries()) {
      const urls = Array.from({ length: count }, (_, n) => `${origin}/${i}/${n}`);
      const email = `${deployment.roles.length}-${i}-${Date.now()}@bench.example`;
      farms.push(await createFarm(farmboard, urls, { email, orders: 200 }));
    }
    return farms;
  });

const changed = new Map<Farm, number>();

/** The next change of a farm: all orders in turn get a status that they do not have. */
function nextChange(farm: Farm): { id: string; workflow_status: string } {
  const n = changed.get(farm) ?? 0;
  changed.set(farm, n + 1);
  const { orderIds } = farm;
  const turn = Math.floor(n / orderIds.length);
  return { id: orderIds[n % orderIds.length] as string, workflow_status: turn % 2 === 0 ? 'printing' : 'assigned' };
}

/** Changes orders before anybody sends, so that every delivery waits. */
const queueDeliveries = (deployment: Deployment, farms: Farm[]) =>
  inProcess(deployment, async (farmboard) => {
    const options = { strict: false, ifMatch: undefined };
    for (const farm of farms) {
      for (let i = 0; i < CHANGES; i++) {
        const { id, workflow_status } = nextChange(farm);
        await farmboard.orders.update(farm.actor, id, { workflow_status }, options);
      }
    }
  });

/** Waits for all deliveries. @returns how many a second, from the first arrival to the last */
async function measureArrivals({ arrivals }: Receiver): Promise<number> {
  const times: number[] = [];
  while (times.length < DELIVERIES) {
    const { body } = await request(`${arrivals}?next`, { headersTimeout: 30_000 });
    times.push(...((await body.json()) as { arrivals: Arrival[] }).arrivals.map(({ at }) => at));
    await wait(100);
  }
  return (1_000 * (times.length - 1)) / ((times.at(-1) as number) - (times[0] as number));
}

async function measureService(deployment: Deployment, farms: Farm[], receiver: Receiver): Promise<number> {
  await queueDeliveries(deployment, farms);
  const measuring = measureArrivals(receiver);
  const processes = await serve(deployment);
  const rate = await measuring;
  for (const { child } of processes) await stop(child);
  return rate;
}

async function measureFloor(receiver: Receiver): Promise<number> {
  const measuring = measureArrivals(receiver);
  const { child } = await start([join(here, 'bare-worker.js')], {
    REDIS_URL: REDIS as string,
    RECEIVER_URL: `${receiver.origin}/bare`,
    JOBS: String(DELIVERIES),
    AT_ONCE: String(AT_ONCE * ALL_SUBSCRIPTIONS),
  });
  const rate = await measuring;
  await stop(child);
  return rate;
}

/** Compares how fast a backlog of many subscriptions is sent with BullMQ and undici that record nothing. */
async function compareThroughput(deployments: Deployment[], receiver: Receiver): Promise<void> {
  const farms = new Map<Deployment, Farm[]>();
  for (const deployment of deployments) farms.set(deployment, await createFarms(deployment, receiver, SUBSCRIPTIONS));
  const rounds: { floor: number; ours: number[] }[] = [];
  while (rounds.length <= ROUNDS) {
    const floor = REDIS === undefined ? Number.NaN : await measureFloor(receiver);
    const ours: number[] = [];
    for (const [deployment, itsFarms] of farms) {
      // subscriptions of the other deployments of a database have nothing to send
      ours.push(await measureService(deployment, itsFarms, receiver));
    }
    rounds.push({ floor, ours });
  }
  // the first round warms up
  rounds.shift();
  console.log(
    `\nDeliveries a second from a backlog of ${DELIVERIES}, ${SUBSCRIPTIONS.join(' + ')} subscriptions of two accounts:`,
  );
  for (const [i, { name }] of deployments.entries()) {
    const rate = median(rounds.map(({ ours }) => ours[i] as number));
    const ratios = rounds.map(({ floor, ours }) => (ours[i] as number) / floor);
    console.log(`  ${name.padEnd(36)} ${rate.toFixed(0).padStart(6)}/s   of the floor: ${withRange(ratios)}`);
  }
  console.log(
    `  ${'floor: BullMQ and undici'.padEnd(36)} ${median(rounds.map(({ floor }) => floor))
      .toFixed(0)
      .padStart(6)}/s`,
  );
}

/** An account of a running service. */
interface Account {
  farm: Farm;
  service: Pool;
  headers: Record<string, string>;
}

interface Running {
  origin: string;
  child: ChildProcess;
  service: Pool;
  accounts: Account[];
}

/** Starts a service with accounts that have the given numbers of subscriptions. */
async function startAccounts(receiver: Receiver, subscriptions: number[]): Promise<Running> {
  const file = join(mkdtempSync(join(folder, 'run-')), 'farmboard.sqlite3');
  const deployment = { name: '', env: { DATABASE_URL: `sqlite:${file}` }, roles: ['all'] };
  const farms = await createFarms(deployment, receiver, subscriptions);
  const [{ port, child }] = (await serve(deployment)) as [{ port: number; child: ChildProcess }];
  const origin = `http://127.0.0.1:${port}`;
  const service = new Pool(origin, { connections: 16, pipelining: 1 });
  const accounts = farms.map((farm) => {
    const headers = { authorization: `Bearer ${farm.token}`, 'content-type': 'application/json' };
    return { farm, service, headers };
  });
  return { origin, child, service, accounts };
}

async function startWithAccount(receiver: Receiver, subscriptions: number): Promise<Running & Account> {
  const running = await startAccounts(receiver, [subscriptions]);
  return { ...running, ...(running.accounts[0] as Account) };
}

async function change({ farm, service, headers }: Account): Promise<{ id: string; at: number }> {
  const { id, workflow_status } = nextChange(farm);
  const body = JSON.stringify({ workflow_status });
  const answer = await service.request({ path: `/api/v1/print-jobs/${id}`, method: 'PUT', headers, body });
  if (answer.statusCode !== 200) throw new Error(`PUT: ${answer.statusCode} ${await answer.body.text()}`);
  await answer.body.dump();
  // the response is written right after the commit, so its arrival approximates the commit
  return { id, at: now() };
}

/** Milliseconds from the commit of each change to its arrival at each subscription. */
function delaysOf(committed: { id: string; at: number }[], arrivals: Arrival[]): number[] {
  const commits = new Map<string, number[]>();
  for (const { id, at } of committed) commits.set(id, [...(commits.get(id) ?? []), at]);
  // the changes of one order arrive in order at each subscription
  const seen = new Map<string, number>();
  return arrivals.map(({ at, path, subject }) => {
    const nth = seen.get(path + subject) ?? 0;
    seen.set(path + subject, nth + 1);
    return at - (commits.get(subject)?.[nth] ?? Number.NaN);
  });
}

const SECONDS = 5;

/** How soon an event leaves at 200 events a second, beside requests sent directly at the same rate. */
async function compareLatency(receiver: Receiver): Promise<void> {
  const running = await startWithAccount(receiver, 1);
  const direct = new Pool(receiver.origin, { connections: 4, pipelining: 1 });
  const post = async (): Promise<void> => {
    const body = '{"data":{"id":"direct"}}';
    const answer = await direct.request({ path: '/direct', method: 'POST', headers: running.headers, body });
    await answer.body.dump();
  };
  const rounds: { ours: number[]; directly: number[] }[] = [];
  while (rounds.length <= ROUNDS) {
    const committed = await pace(200, SECONDS, () => change(running));
    const ours = delaysOf(committed, await waitUntilIdle(receiver.arrivals));
    const sent: number[] = [];
    await pace(200, SECONDS, () => {
      sent.push(now());
      return post();
    });
    const directly = (await waitUntilIdle(receiver.arrivals)).map(({ at }, i) => at - (sent[i] as number));
    rounds.push({ ours, directly });
  }
  rounds.shift();
  await direct.close();
  await running.service.close();
  await stop(running.child);
  console.log('\nHow soon an event leaves at 200 events a second, ms, pooled over all rounds:');
  const show = (name: string, values: number[]) =>
    console.log(
      `  ${name.padEnd(36)} p50 ${quantile(values, 0.5).toFixed(2).padStart(6)}   p99 ${quantile(values, 0.99).toFixed(2).padStart(6)}`,
    );
  show(
    'commit → first byte',
    rounds.flatMap(({ ours }) => ours),
  );
  show(
    'direct POST → first byte',
    rounds.flatMap(({ directly }) => directly),
  );
}

const HEALTHY = 8;

/** A receiver that never answers and one that refuses connections. */
const compareIsolation = (receiver: Receiver): Promise<void> =>
  compareBeside(receiver, {
    healthy: [HEALTHY],
    name: 'a receiver that never answers and one that refuses connections',
    others: [[`${receiver.origin}/hang`, 'http://127.0.0.1:9/']],
  });

/** The hostile receivers of the tests; two accounts, because one has at most ten subscriptions. */
async function compareHostile(receiver: Receiver): Promise<void> {
  const { urls, child } = await start<{ port: number; urls: string[] }>([join(here, 'hostile.js')], {});
  await compareBeside(receiver, {
    healthy: [4, 4],
    name: `${urls.length} hostile receivers`,
    others: [urls.slice(0, 6), urls.slice(6)],
  });
  await stop(child);
}

/** The p99 of healthy subscriptions with and without others in the same accounts. */
async function compareBeside(
  receiver: Receiver,
  { healthy, name, others }: { healthy: number[]; name: string; others: string[][] },
): Promise<void> {
  const { service, accounts, child } = await startAccounts(receiver, healthy);
  const path = '/api/v1/webhook-subscriptions';
  const measure = async (): Promise<number[]> => {
    const committed = await Promise.all(
      accounts.map((account) => pace(20 / accounts.length, SECONDS, () => change(account))),
    );
    return delaysOf(committed.flat(), await waitUntilIdle(receiver.arrivals));
  };
  const add = async ({ headers }: Account, url: string): Promise<string> => {
    const body = JSON.stringify({ url, events: ['order.status_changed'] });
    const answer = await service.request({ path, method: 'POST', headers, body });
    return ((await answer.body.json()) as { id: string }).id;
  };
  const measureBeside = async (): Promise<number[]> => {
    const added = accounts.flatMap((account, i) => (others[i] ?? []).map((url) => ({ account, url })));
    const subscriptions = [];
    for (const { account, url } of added) subscriptions.push({ account, id: await add(account, url) });
    const delays = await measure();
    for (const { account, id } of subscriptions)
      await (await service.request({ path: `${path}/${id}`, method: 'DELETE', headers: account.headers })).body.dump();
    return delays;
  };
  const alone: number[][] = [];
  const again: number[][] = [];
  const beside: number[][] = [];
  await measure();
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await measure());
    beside.push(await measureBeside());
    again.push(await measure());
  }
  await service.close();
  await stop(child);
  const p99 = (rounds: number[][]) => quantile(rounds.flat(), 0.99);
  const subscriptions = healthy.reduce((sum, count) => sum + count, 0);
  console.log(
    `\nCommit → first byte of ${subscriptions} healthy subscriptions at 20 events a second, p99 of all rounds:`,
  );
  console.log(
    `  alone ${p99(alone).toFixed(1)} ms, alone again ${p99(again).toFixed(1)} ms (${(p99(again) / p99(alone)).toFixed(2)})`,
  );
  const ratio = p99(beside) / ((p99(alone) + p99(again)) / 2);
  console.log(`  beside ${name} ${p99(beside).toFixed(1)} ms (${ratio.toFixed(2)})`);
}

/** Resident memory of a process in MB: now, and the peak since the last reset. */
function memoryOf({ pid }: ChildProcess): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** Memory, and reads by others, while 1,000 changes are sent to ten subscriptions at once. */
async function measureBurst(receiver: Receiver): Promise<void> {
  const rounds: { idle: number; growth: number; p99: number; idleP99: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const running = await startWithAccount(receiver, 10);
    const reads = new Pool(running.origin, { connections: 1 });
    const get = async (): Promise<number> => {
      const began = performance.now();
      const path = `/api/v1/print-jobs/${running.farm.orderIds[0]}`;
      await (await reads.request({ path, method: 'GET', headers: running.headers })).body.dump();
      return performance.now() - began;
    };
    await pace(50, 1, get);
    const idle = quantile(await pace(50, 3, get), 0.99);
    // the peak counts from here
    writeFileSync(`/proc/${running.child.pid}/clear_refs`, '5');
    const before = memoryOf(running.child).now;
    let isSending = true;
    const readTimes: number[] = [];
    const reading = (async () => {
      while (isSending) readTimes.push(...(await pace(50, 1, get)));
    })();
    await Promise.all(Array.from({ length: CHANGES }, () => change(running)));
    await waitUntilIdle(receiver.arrivals);
    isSending = false;
    await reading;
    rounds.push({
      idle: before,
      growth: memoryOf(running.child).peak - before,
      p99: quantile(readTimes, 0.99),
      idleP99: idle,
    });
    await Promise.all([reads.close(), running.service.close()]);
    await stop(running.child);
  }
  console.log(`\n${CHANGES} changes at once to ten subscriptions:`);
  console.log(
    `  idle memory ${withRange(
      rounds.map(({ idle }) => idle),
      0,
    )} MB, growth ${withRange(
      rounds.map(({ growth }) => growth),
      0,
    )} MB`,
  );
  console.log(
    `  GET of an order, p99: idle ${withRange(
      rounds.map(({ idleP99 }) => idleP99),
      1,
    )} ms, meanwhile ${withRange(
      rounds.map(({ p99 }) => p99),
      1,
    )} ms, ratio ${withRange(rounds.map(({ p99, idleP99 }) => p99 / idleP99))}`,
  );
}

async function main(): Promise<void> {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${ROUNDS} rounds, medians (min–max).`);
  process.env.WEBHOOK_ALLOWED_HOSTS = 'loopback';
  process.env.SECRET_KEY ??= 'a bench needs no secret, but a long one';
  const receiver = await startReceiver();
  const isWanted = (name: string) => ONLY === '' || ONLY === name;
  if (isWanted('latency')) await compareLatency(receiver);
  if (isWanted('isolation')) await compareIsolation(receiver);
  if (isWanted('hostile')) await compareHostile(receiver);
  if (isWanted('burst')) await measureBurst(receiver);
  if (!isWanted('throughput')) return;
  const deployments = await listDeployments();
  try {
    await compareThroughput(deployments, receiver);
  } finally {
    stopAll();
    if (deployments.length > 1) await onServer(POSTGRES as string, `DROP DATABASE farmboard_bench_${process.pid}`);
  }
}

try {
  await main();
} finally {
  stopAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
