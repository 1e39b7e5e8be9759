// npm run bench:growth: how the time of a request grows with the number of orders. Fills a database of each size once and
// keeps it in a cache. Options: --sizes 1000,100000,1000000, --rounds N (5), --only NAME, --fill-only.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, homedir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { OWNER, openFarmboard } from './farm.ts';
import { DUE, fill, type GrownFarm, RARE_EVENT } from './growth-fill.ts';
import { median, onServer, option, signIn, startService, stopAll, withRange } from './kit.ts';

/** Increase it when the fill changes. */
const VERSION = 4;
const REQUESTS = 10;

const ROUNDS = Number(option('rounds', '5'));
const SIZES = option('sizes', '1000,100000,1000000').split(',').map(Number);
const ONLY = option('only', '');
const POSTGRES = process.env.FARMBOARD_TEST_POSTGRES;

const cache = join(process.env.FARMBOARD_TEST_CACHE ?? join(homedir(), '.cache/farmboard'), `growth-${VERSION}`);

interface Grown {
  size: number;
  url: string;
  farm: GrownFarm;
}

/** The database of a size, filled if it isn't there yet. */
async function prepare(engine: string, size: number): Promise<Grown> {
  const name = `farmboard_growth_${VERSION}_${size}`;
  const file = join(cache, `${size}.sqlite3`);
  const url =
    engine === 'SQLite' ? `sqlite:${file}` : Object.assign(new URL(POSTGRES as string), { pathname: name }).href;
  const record = join(cache, `${engine}-${size}.json`);
  const exists = engine === 'SQLite' ? existsSync(file) : await hasDatabase(name);
  if (existsSync(record) && exists) return { size, url, farm: JSON.parse(readFileSync(record, 'utf8')) as GrownFarm };
  rmSync(record, { force: true });
  if (engine === 'SQLite') for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  else await onServer(POSTGRES as string, `DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`);
  process.env.DATABASE_URL = url;
  const farmboard = await openFarmboard();
  const began = Date.now();
  const report = (orders: number) => process.stderr.write(`\r${engine}: ${orders} of ${size} orders`);
  const farm = await fill(farmboard, size, report);
  process.stderr.write(`, ${Math.round((Date.now() - began) / 1000)} s\n`);
  await farmboard.close();
  writeFileSync(record, JSON.stringify(farm));
  return { size, url, farm };
}

async function hasDatabase(name: string): Promise<boolean> {
  const [result] = (await onServer(POSTGRES as string, `SELECT 1 FROM pg_database WHERE datname = '${name}'`)) as [
    { rows: unknown[] },
  ];
  return result.rows.length > 0;
}

interface Target extends Grown {
  pool: Pool;
  /** headers of requests to the console API */
  session: Record<string, string>;
  since: string;
}

async function serve(grown: Grown): Promise<Target> {
  const env = { DATABASE_URL: grown.url, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: 'production' };
  const { port } = await startService(env);
  const origin = `http://127.0.0.1:${port}`;
  const pool = new Pool(origin, { connections: 1, headersTimeout: 0 });
  const session = await signIn(origin, { ...OWNER, email: grown.farm.email });
  // the orders changed within the hour before the fill, at every size
  const newest = (await send(pool, '/api/v1/print-jobs?sort=-updated_at&include_closed=true&per_page=200', {
    authorization: `Bearer ${grown.farm.token}`,
  })) as { items: { updated_at: string }[] };
  return { ...grown, pool, session, since: newest.items[99]?.updated_at ?? '' };
}

/** @param change the method and body of a request that is not a GET */
async function send(pool: Pool, path: string, headers: Record<string, string>, change?: Change): Promise<unknown> {
  const { statusCode, body } = await pool.request({ ...(change ?? { method: 'GET' }), path, headers });
  const answer = await body.json();
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${JSON.stringify(answer)}`);
  return answer;
}

interface Change {
  method: 'PUT' | 'POST';
  body: string;
}

interface Operation {
  name: string;
  /** the target for growth from the smallest to the largest size */
  bar: number;
  path(target: Target): string;
  /** a request with which it is compared at the largest size instead */
  comparedWith?: string;
  /** what the i-th request changes */
  change?(i: number): Change;
  isSmall?: boolean;
}

const orders = (name: string, query: string, bar = 1.3): Operation => ({
  name,
  bar,
  path: () => `/api/v1/print-jobs?${query}`,
});
const deepPage = (name: string, page: (size: number) => number): Operation => ({
  name,
  bar: 3,
  path: ({ size }) => `/api/v1/print-jobs?include_closed=true&page=${page(size)}`,
  comparedWith: '/api/v1/print-jobs?include_closed=true',
});
const OPERATIONS: Operation[] = [
  { name: 'GET one', bar: 1.3, path: ({ farm }) => `/api/v1/print-jobs/${farm.orderId}` },
  {
    name: 'PUT status',
    bar: 1.3,
    path: ({ farm }) => `/api/v1/print-jobs/${farm.orderId}`,
    change: (i) => ({
      method: 'PUT',
      body: JSON.stringify({ workflow_status: i % 2 === 0 ? 'printing' : 'assigned' }),
    }),
  },
  {
    name: 'consume',
    bar: 1.3,
    path: ({ farm }) => `/api/v1/filaments/${farm.filamentId}/consume`,
    change: () => ({ method: 'POST', body: '{"grams":0.001}' }),
  },
  { name: 'history', bar: 1.3, path: ({ farm }) => `/api/v1/print-jobs/${farm.orderId}/history` },
  orders('board: 300 open', 'workflow_status=assigned&workflow_status=printing&workflow_status=packing&per_page=200'),
  orders('board: none open', 'workflow_status=negotiation&workflow_status=confirmed&per_page=200'),
  orders('list, page 1', ''),
  orders('list, page 1, closed too', 'include_closed=true'),
  orders('list by status', 'workflow_status=packing'),
  orders('list by status: closed', 'workflow_status=closed'),
  { name: 'list by printer', bar: 1.3, path: ({ farm }) => `/api/v1/print-jobs?printer_id=${farm.printerId}` },
  orders('list, due in a week', `due_after=${DUE.after}&due_before=${DUE.before}`),
  orders('list, sort=due_date', 'sort=due_date'),
  {
    name: 'list, updated_since',
    bar: 1.3,
    path: ({ since }) => `/api/v1/print-jobs?include_closed=true&updated_since=${since}`,
  },
  { name: 'event feed', bar: 1.3, path: () => '/api/v1/events' },
  { name: 'events of one kind', bar: 1.3, path: () => `/api/v1/events?event=${RARE_EVENT}` },
  {
    name: 'deliveries',
    bar: 1.3,
    path: ({ farm }) => `/api/v1/webhook-subscriptions/${farm.subscriptionId}/deliveries`,
  },
  { name: 'ledger', bar: 1.3, path: ({ farm }) => `/api/v1/filaments/${farm.filamentId}/ledger` },
  { name: 'summary', bar: 1.3, path: () => '/api/v1/summary' },
  deepPage('page 1,000', (size) => Math.min(1_000, size / 50)),
  deepPage('last page', (size) => size / 50),
  orders('search', 'include_closed=true&q=quokka', 3),
  { name: 'overview, 30 days', bar: 3, path: () => '/console/api/stats?time_zone=UTC&days=30' },
  { name: 'overview, 90 days', bar: 3, path: () => '/console/api/stats?time_zone=UTC&days=90' },
  { name: 'filament usage', bar: 3, path: ({ farm }) => `/console/api/filaments/usage?filament_id=${farm.filamentId}` },
  { name: 'small account: list', bar: 1.2, isSmall: true, path: () => '/api/v1/print-jobs?include_closed=true' },
  {
    name: 'small account: GET one',
    bar: 1.2,
    isSmall: true,
    path: ({ farm }) => `/api/v1/print-jobs/${farm.smallOrderId}`,
  },
];

/** The median time of one operation, in ms. */
async function measure(target: Target, { path, change, isSmall }: Operation): Promise<number> {
  const url = path(target);
  const { farm, session } = target;
  const token = isSmall ? farm.smallToken : farm.token;
  const headers = url.startsWith('/console')
    ? session
    : { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const times: number[] = [];
  const began = performance.now();
  for (let i = 0; i < REQUESTS && performance.now() - began < 2_000; i++) {
    const before = performance.now();
    await send(target.pool, url, headers, change?.(i));
    times.push(performance.now() - before);
  }
  return median(times);
}

interface Round {
  /** of each size, in ms */
  times: number[];
  /** what the time of the largest size is compared with */
  base: number;
}

async function measureRound(targets: Target[], operation: Operation): Promise<Round> {
  const times: number[] = [];
  for (const target of targets) times.push(await measure(target, operation));
  const { comparedWith } = operation;
  if (comparedWith === undefined) return { times, base: times[0] as number };
  return { times, base: await measure(targets.at(-1) as Target, { ...operation, path: () => comparedWith }) };
}

async function compare(engine: string): Promise<void> {
  const grown: Grown[] = [];
  for (const size of SIZES) grown.push(await prepare(engine, size));
  if (process.argv.includes('--fill-only')) return;
  const targets = await Promise.all(grown.map(serve));
  console.log(
    `\n### ${engine}\n\n| Request | ${SIZES.map((size) => `${size.toLocaleString('en')} orders, ms`).join(' | ')} | growth | target |`,
  );
  console.log(`|---|${'---|'.repeat(SIZES.length + 2)}`);
  for (const operation of OPERATIONS.filter(({ name }) => name.includes(ONLY))) {
    for (const target of targets) await measure(target, operation);
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) rounds.push(await measureRound(targets, operation));
    const medians = targets.map((_, index) => median(rounds.map(({ times }) => times[index] as number)));
    const growth = rounds.map(({ times, base }) => (times.at(-1) as number) / base);
    const met = median(growth) <= operation.bar ? '' : ' **over**';
    console.log(
      `| ${operation.name} | ${medians.map((ms) => ms.toFixed(1)).join(' | ')} | ${withRange(growth)} | ≤ ${operation.bar}${met} |`,
    );
  }
  for (const { pool } of targets) await pool.destroy();
  stopAll();
}

try {
  mkdirSync(cache, { recursive: true });
  process.env.SECRET_KEY ??= 'a bench needs no secret, but a long one';
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; medians of ${ROUNDS} rounds of ${REQUESTS} requests, min–max.`,
  );
  await compare('SQLite');
  if (POSTGRES) await compare('PostgreSQL');
} finally {
  stopAll();
}
process.exit();
