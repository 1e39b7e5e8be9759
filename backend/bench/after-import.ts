// npm run bench:import: reads of an account right after many orders came in over the API, beside a small account of the
// same database. Nothing waits for statistics or a vacuum. Options: --orders N (30000), --rounds N (25), --only NAME.
// On PostgreSQL with FARMBOARD_TEST_POSTGRES, otherwise on SQLite.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openFarmboard } from './farm.ts';
import { median, onServer, option, startService, stopAll, withRange } from './kit.ts';

const ORDERS = Number(option('orders', '30000'));
const ROUNDS = Number(option('rounds', '25'));
const ONLY = option('only', '');
const POSTGRES = process.env.FARMBOARD_TEST_POSTGRES;
const SMALL = 300;
const CONNECTIONS = 16;
/** what both accounts have alike, of their newest orders */
const [OPEN, DUE, RARE] = [100, 50, 10];

interface Account {
  headers: Record<string, string>;
  orderId: string;
  since: string;
}

const request = async (pool: Pool, headers: Record<string, string>, path: string, body?: object) => {
  const answer = await pool.request({
    method: body ? 'POST' : 'GET',
    path: `/api/v1${path}`,
    headers,
    body: body ? JSON.stringify(body) : null,
  });
  const content = (await answer.body.json()) as { id: string; updated_at: string };
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${JSON.stringify(content)}`);
  return content;
};

async function create(pool: Pool, token: string, size: number): Promise<Account> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let left = size;
  let last = { id: '', updated_at: '' };
  let since = '';
  const createNext = async () => {
    while (left > 0) {
      const n = --left;
      last = await request(pool, headers, '/print-jobs', {
        model_name: `Part ${n}${n < RARE ? ' quokka' : ''}`,
        customer_name: `Customer ${n % 100}`,
        due_date: n < DUE ? '2030-06-10' : '2031-01-01',
        workflow_status: n < OPEN ? 'assigned' : 'closed',
      });
      if (n === OPEN) since = last.updated_at;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, createNext));
  return { headers, orderId: last.id, since };
}

const READS: { name: string; bar: number; path(account: Account): string }[] = [
  { name: 'GET one', bar: 1.5, path: ({ orderId }) => `/print-jobs/${orderId}` },
  { name: 'history', bar: 1.5, path: ({ orderId }) => `/print-jobs/${orderId}/history` },
  { name: 'list, page 1', bar: 1.5, path: () => '/print-jobs' },
  { name: 'list, page 1, closed too', bar: 1.5, path: () => '/print-jobs?include_closed=true' },
  { name: 'list by status', bar: 1.5, path: () => '/print-jobs?workflow_status=assigned' },
  { name: 'list, due in a week', bar: 1.5, path: () => '/print-jobs?due_after=2030-06-06&due_before=2030-06-14' },
  { name: 'list, sort=due_date', bar: 1.5, path: () => '/print-jobs?sort=due_date' },
  {
    name: 'list, updated_since',
    bar: 1.5,
    path: ({ since }) => `/print-jobs?include_closed=true&updated_since=${since}`,
  },
  { name: 'event feed', bar: 1.5, path: () => '/events' },
  { name: 'summary', bar: 1.5, path: () => '/summary' },
  { name: 'search', bar: 3, path: () => '/print-jobs?include_closed=true&q=quokka' },
];

async function compare(pool: Pool, small: Account, large: Account): Promise<void> {
  const times = new Map(READS.map(({ name }) => [name, { small: [] as number[], large: [] as number[] }]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, path } of READS.filter((read) => read.name.includes(ONLY))) {
      for (const [size, account] of [['small', small] as const, ['large', large] as const]) {
        const before = performance.now();
        await request(pool, account.headers, path(account));
        times.get(name)?.[size].push(performance.now() - before);
      }
    }
  }
  console.log(`\n| Request | ${SMALL} orders, ms | ${ORDERS.toLocaleString('en')} orders, ms | growth | target |`);
  console.log('|---|---|---|---|---|');
  for (const { name, bar } of READS.filter((read) => read.name.includes(ONLY))) {
    const { small: few, large: many } = times.get(name) as { small: number[]; large: number[] };
    const growth = median(many) / median(few);
    const over = growth <= bar ? '' : ' **over**';
    console.log(`| ${name} | ${withRange(few, 1)} | ${withRange(many, 1)} | ${growth.toFixed(2)} | ≤ ${bar}${over} |`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'farmboard-import-'));
const name = `farmboard_import_${process.pid}`;
try {
  if (POSTGRES) await onServer(POSTGRES, `CREATE DATABASE ${name}`);
  const url = POSTGRES
    ? Object.assign(new URL(POSTGRES), { pathname: name }).href
    : `sqlite:${join(folder, 'farm.sqlite3')}`;
  Object.assign(process.env, { DATABASE_URL: url, SECRET_KEY: 'a bench needs no secret, but a long one' });
  const farmboard = await openFarmboard();
  const tokens: string[] = [];
  for (const email of ['small@bench.example', 'large@bench.example']) {
    await farmboard.accounts.createAccount({ email, password: 'a bench needs no secret', name: 'Bench' });
    tokens.push(await farmboard.accounts.createToken({ email, passwordCheckedAt: null }, { name: 'bench' }));
  }
  await farmboard.close();
  const { port } = await startService({ PORT: '0', RATE_LIMIT_PER_MINUTE: '0', NODE_ENV: 'production' });
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  const [smallToken, largeToken] = tokens as [string, string];
  const small = await create(pool, smallToken, SMALL);
  const began = Date.now();
  const large = await create(pool, largeToken, ORDERS);
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${POSTGRES ? 'PostgreSQL' : 'SQLite'}; ` +
      `${ORDERS} orders in ${Math.round((Date.now() - began) / 1000)} s, then medians of ${ROUNDS} rounds, min–max.`,
  );
  await compare(pool, small, large);
  await pool.destroy();
} finally {
  stopAll();
  rmSync(folder, { recursive: true });
  if (POSTGRES) await onServer(POSTGRES, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
process.exit();
