// npm run bench:purge: what the purge of expired events costs changes meanwhile, on SQLite. Options: --rounds N (3),
// --seconds N (30), --orders N (340000; each has three events).
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { DAY_MS } from '../../common/src/clock.ts';
import { query, queryOne } from '../src/storage/dialect.ts';
import { openFarmboard } from './farm.ts';
import { fill, type GrownFarm } from './growth-fill.ts';
import { median, option, pace, quantile, startService, stop, stopAll, withRange } from './kit.ts';

const ROUNDS = Number(option('rounds', '3'));
const SECONDS = Number(option('seconds', '30'));
const ORDERS = Number(option('orders', '340000'));
const PER_SECOND = 50;

const folder = mkdtempSync(join(tmpdir(), 'farmboard-bench-'));

interface Files {
  farm: GrownFarm;
  /** no event has expired */
  kept: string;
  /** every event has expired */
  expired: string;
}

async function prepare(): Promise<Files> {
  const kept = join(folder, 'kept.sqlite3');
  const expired = join(folder, 'expired.sqlite3');
  process.env.DATABASE_URL = `sqlite:${kept}`;
  const farmboard = await openFarmboard();
  const farm = await fill(farmboard, ORDERS, (orders) => process.stderr.write(`\r${orders} of ${ORDERS} orders`));
  process.stderr.write('\n');
  await farmboard.close();
  copyFileSync(kept, expired);
  process.env.DATABASE_URL = `sqlite:${expired}`;
  const { storage, close } = await openFarmboard();
  await query(storage.writer, 'UPDATE events SET occurred_at = occurred_at - ?', [60 * DAY_MS]);
  await close();
  return { farm, kept, expired };
}

async function countEvents(file: string): Promise<number> {
  process.env.DATABASE_URL = `sqlite:${file}`;
  const { storage, close } = await openFarmboard();
  const row = await queryOne<{ n: number }>(storage.read, 'SELECT count(*) AS n FROM events');
  await close();
  return row?.n ?? 0;
}

/** The times of changes at a steady rate, in ms. The service purges what has expired from its start on. */
async function measure(file: string, { token, orderId }: GrownFarm): Promise<number[]> {
  const env = { DATABASE_URL: `sqlite:${file}`, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: 'production' };
  const { port, child } = await startService(env);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 4, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let sent = 0;
  const change = async (): Promise<number> => {
    sent += 1;
    const body = JSON.stringify({ workflow_status: sent % 2 === 0 ? 'printing' : 'assigned' });
    const began = performance.now();
    const answer = await pool.request({ path: `/api/v1/print-jobs/${orderId}`, method: 'PUT', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`PUT: ${answer.statusCode}`);
    return performance.now() - began;
  };
  await pace(PER_SECOND, 2, change);
  const times = await pace(PER_SECOND, SECONDS, change);
  await pool.close();
  await stop(child);
  return times;
}

try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; ${ROUNDS} rounds of ${SECONDS} s.`);
  const { farm, kept, expired } = await prepare();
  const before = await countEvents(expired);
  const rounds: { without: number; during: number }[] = [];
  while (rounds.length < ROUNDS) {
    const without = quantile(await measure(kept, farm), 0.99);
    rounds.push({ without, during: quantile(await measure(expired, farm), 0.99) });
  }
  const after = await countEvents(expired);
  console.log(
    `${before} expired events, ${before - after} deleted in ${ROUNDS * SECONDS} s; PUT at ${PER_SECOND} a second, p99:`,
  );
  console.log(
    `  without the purge ${median(rounds.map(({ without }) => without)).toFixed(1)} ms, during it ${median(rounds.map(({ during }) => during)).toFixed(1)} ms, ratio ${withRange(rounds.map(({ without, during }) => during / without))}`,
  );
} finally {
  stopAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
