// npm run bench:scale: the measurements of docs/reference/scaling.md, on PostgreSQL with Redis: what an event costs with many
// accounts, the sweep with a backlog, and the purge. Options: --accounts N (1000), --rates 25,50,100 (events a second),
// --seconds N (20). Needs FARMBOARD_TEST_POSTGRES and FARMBOARD_TEST_REDIS.
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { createPurge } from '../src/composition/purge.ts';
import type { Farmboard } from '../src/main.ts';
import { query, queryOne } from '../src/storage/dialect.ts';
import { listWaitingSubscriptions } from '../src/webhooks/delivery/delivery-store.ts';
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
} from './kit.ts';

const ACCOUNTS = Number(option('accounts', '1000'));
const RATES = option('rates', '25,50,100').split(',').map(Number);
const SECONDS = Number(option('seconds', '20'));
const BACKLOGS = [10_000, 100_000];
const EXPIRED = 200_000;
const POSTGRES = process.env.FARMBOARD_TEST_POSTGRES as string;
const REDIS = process.env.FARMBOARD_TEST_REDIS as string;

const name = `farmboard_scale_${process.pid}`;
const TICK_MS = 10;

/** Processor time of processes so far, in ms. */
const processorTime = (pids: number[]): number =>
  pids.reduce((sum, pid) => {
    try {
      const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
      const [user, system] = fields.split(' ').slice(11, 13).map(Number);
      return sum + ((user as number) + (system as number)) * TICK_MS;
    } catch {
      return sum;
    }
  }, 0);

/** All processes of PostgreSQL on this machine: nothing else may use it meanwhile. */
const postgresPids = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
      } catch {
        return false;
      }
    });

async function createFarms(farmboard: Farmboard, url: string): Promise<Farm[]> {
  const farms: Farm[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    farms.push(await createFarm(farmboard, [url], { email: `${i}@bench.example`, orders: 10 }));
    if (i % 100 === 99) process.stderr.write(`\r${i + 1} of ${ACCOUNTS} accounts`);
  }
  process.stderr.write('\n');
  return farms;
}

let sent = 0;

/** Changes an order of the next account. @returns how long it took, in ms */
async function change(pool: Pool, farms: Farm[]): Promise<number> {
  const farm = farms[sent % farms.length] as Farm;
  const turn = Math.floor(sent / farms.length);
  sent += 1;
  const body = JSON.stringify({
    workflow_status: Math.floor(turn / farm.orderIds.length) % 2 === 0 ? 'printing' : 'assigned',
  });
  const path = `/api/v1/print-jobs/${farm.orderIds[turn % farm.orderIds.length]}`;
  const headers = { authorization: `Bearer ${farm.token}`, 'content-type': 'application/json' };
  const began = performance.now();
  const answer = await pool.request({ path, method: 'PUT', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`PUT: ${answer.statusCode}`);
  return performance.now() - began;
}

const sizeOf = async ({ storage }: Farmboard): Promise<{ bytes: number; wal: number }> => {
  const row = await queryOne<{ bytes: number; wal: number }>(
    storage.read,
    "SELECT pg_database_size(current_database())::float8 AS bytes, (pg_current_wal_lsn() - '0/0')::float8 AS wal",
  );
  return row as { bytes: number; wal: number };
};

/** What events at a steady rate cost, with one delivery each. */
async function measureRate(
  farmboard: Farmboard,
  farms: Farm[],
  child: ChildProcess,
  origin: string,
  arrivals: string,
  rate: number,
) {
  const pool = new Pool(origin, { connections: 16, pipelining: 1 });
  await pace(rate, 2, () => change(pool, farms));
  await waitUntilIdle(arrivals);
  const size = await sizeOf(farmboard);
  const pids = postgresPids();
  const [node, postgres] = [processorTime([child.pid as number]), processorTime(pids)];
  const times = await pace(rate, SECONDS, () => change(pool, farms));
  const arrived = (await waitUntilIdle(arrivals)).length;
  const events = times.length;
  if (arrived !== events) throw new Error(`${arrived} of ${events} deliveries arrived`);
  const after = await sizeOf(farmboard);
  await pool.close();
  const per = (total: number, digits: number) => (total / events).toFixed(digits);
  console.log(
    `| ${rate} | ${per(processorTime([child.pid as number]) - node, 2)} | ${per(processorTime(pids) - postgres, 2)} | ${per((after.wal - size.wal) / 1024, 1)} | ${per((after.bytes - size.bytes) / 1024, 1)} | ${median(times).toFixed(1)} | ${quantile(times, 0.99).toFixed(1)} |`,
  );
}

/** How long the sweep's search for waiting subscriptions takes with a backlog, in ms. */
async function measureSweep({ storage }: Farmboard, backlog: number): Promise<number> {
  await query(
    storage.writer,
    `INSERT INTO deliveries (id, subscription_id, event_seq, subject, state, committed_at)
     SELECT gen_random_uuid()::text, s.id, e.seq, e.subject, 'pending', 0
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM subscriptions) s
     JOIN generate_series(1, ?::int) i ON i % ${ACCOUNTS} = s.n - 1
     CROSS JOIN (SELECT seq, subject FROM events ORDER BY seq LIMIT 1) e`,
    [backlog],
  );
  await storage.writer.raw('ANALYZE deliveries');
  const times: number[] = [];
  for (let i = 0; i < 10; i++) {
    const began = performance.now();
    await listWaitingSubscriptions(storage.read, 1_000);
    times.push(performance.now() - began);
  }
  await query(storage.writer, "DELETE FROM deliveries WHERE state = 'pending'");
  return median(times);
}

/** Events, with one delivery each, that the purge deletes in a second. */
async function measurePurge({ storage }: Farmboard): Promise<number> {
  await query(
    storage.writer,
    `WITH made AS (
       INSERT INTO events (id, account_id, event, subject, occurred_at, body)
       SELECT gen_random_uuid()::text, account_id, event, subject, 0, body
       FROM generate_series(1, ?::int) CROSS JOIN (SELECT * FROM events ORDER BY seq LIMIT 1) e
       RETURNING seq, subject)
     INSERT INTO deliveries (id, subscription_id, event_seq, subject, state, committed_at)
     SELECT gen_random_uuid()::text, (SELECT min(id) FROM subscriptions), seq, subject, 'succeeded', 0 FROM made`,
    [EXPIRED],
  );
  await storage.writer.raw('ANALYZE events, deliveries');
  const count = async () =>
    (await queryOne<{ n: number }>(storage.read, 'SELECT count(*)::int AS n FROM events WHERE occurred_at = 0'))
      ?.n as number;
  const began = performance.now();
  const isOver = () => performance.now() - began > SECONDS * 1_000;
  await createPurge({ storage, clock: () => Date.now() })(isOver);
  const seconds = (performance.now() - began) / 1_000;
  return (EXPIRED - (await count())) / seconds;
}

async function main(): Promise<void> {
  const receiver = await start([join(here, 'receiver.js')], {});
  const url = `http://127.0.0.1:${receiver.port}/hook`;
  process.env.DATABASE_URL = Object.assign(new URL(POSTGRES), { pathname: name }).href;
  process.env.SECRET_KEY ??= 'a bench needs no secret, but a long one';
  process.env.WEBHOOK_ALLOWED_HOSTS = 'loopback';
  const farmboard = await openFarmboard();
  const farms = await createFarms(farmboard, url);
  const env = { REDIS_URL: REDIS, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: 'production' };
  const { port, child } = await startService(env);
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${ACCOUNTS} accounts, ${SECONDS} s each.\n`,
  );
  console.log('| events/s | Node, ms an event | PostgreSQL, ms | WAL, KB | stored, KB | PUT p50, ms | p99, ms |');
  console.log('|---|---|---|---|---|---|---|');
  for (const rate of RATES) await measureRate(farmboard, farms, child, `http://127.0.0.1:${port}`, url, rate);
  await stop(child);
  console.log('');
  for (const backlog of BACKLOGS)
    console.log(
      `search for waiting subscriptions, ${backlog} pending: ${(await measureSweep(farmboard, backlog)).toFixed(1)} ms`,
    );
  console.log(`purge: ${(await measurePurge(farmboard)).toFixed(0)} events a second`);
  await farmboard.close();
}

try {
  await onServer(POSTGRES, `CREATE DATABASE ${name}`);
  await main();
} finally {
  stopAll();
  await onServer(POSTGRES, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
process.exit();
