import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { createClient } from './client.ts';
import { openBrowser } from './console-client.ts';
import { readRows, write } from './database.ts';
import { createTestDatabase, ENGINE, runOnPostgres } from './engine.ts';
import { type Env, type Service, withShiftedClock } from './service.ts';

/** A folder for each release: what it left behind, made by `npm run release`. */
export const FIXTURES = resolve(__dirname, '../fixtures/releases');

export const releases = (): string[] => readdirSync(FIXTURES);

/** Where the subscriptions of a fixture send to: no other test listens there, so that an attempt is refused at once. */
export const WEBHOOKS = 'http://127.99.0.1:18431';

/** What the maker knows of the database. */
export interface Fixture {
  /** when the release was read last, ms */
  readAt: number;
  /** SECRET_KEY */
  key: string;
  settings: Env;
  /** rows of each table */
  counts: Record<string, number>;
  farm: {
    account: { email: string; password: string };
    tokens: { valid: string; readOnly: string; revoked: string };
    /** of a session */
    cookie: string;
    subscriptions: { signed: { id: string; secret: string; previous: string }; slack: { id: string } };
    printers: string[];
    group: string;
    orders: Record<string, string>;
    filaments: Record<string, string>;
    slug: string;
    lead: string;
    invoices: Record<string, string>;
    issuedNumber: string;
    payPath: string;
    provider: { id: string; secret: string };
    agent: { id: string; token: string };
    /** the token of a deleted agent */
    former: string;
    /** the first report of the agent */
    report: { event_id: string; filename: string };
    labelled: string;
    /** a write with an Idempotency-Key */
    repeated: { key: string; body: object; id: string };
  };
  /** its first delivery was under way and its second one waited when the service was killed */
  waiting: { token: string; subscription: string };
  /** the agent's configuration */
  agent: Record<string, unknown>;
}

type Api = 'automation' | 'console' | 'agent';

/** One answer of the release. */
interface Read {
  api: Api;
  path: string;
  body: unknown;
}

const EVENTS_READ = ['filament.low_stock', 'lead.created', 'invoice.paid', 'printer.print_failed'];

/** What is read of a farm. */
export const PATHS = ({
  orders,
  filaments,
  subscriptions,
  invoices,
  lead,
  printers,
  group,
  labelled,
}: Fixture['farm']) => ({
  automation: [
    '/me',
    '/print-jobs?include_closed=true&per_page=200',
    '/print-jobs?q=%D0%B2%D0%B5%D1%80%D0%B0&sort=due_date&per_page=2',
    ...[orders.done, orders.print_error, orders.reset, labelled].map((id) => `/print-jobs/${id}/history`),
    '/printers?sort=created_at',
    `/printers?group_id=${group}`,
    '/printer-groups',
    '/filaments',
    ...Object.values(filaments).flatMap((id) => [`/filaments/${id}/batches`, `/filaments/${id}/ledger`]),
    '/webhook-subscriptions',
    ...[subscriptions.signed, subscriptions.slack].map(({ id }) => `/webhook-subscriptions/${id}/deliveries`),
    `/webhook-subscriptions/${subscriptions.signed.id}/events?after=5&per_page=3`,
    ...EVENTS_READ.map((event) => `/events?event=${event}`),
    '/leads',
    `/leads/${lead}`,
    '/invoices',
    ...Object.values(invoices).map((id) => `/invoices/${id}`),
    '/summary',
  ],
  console: [
    '/session',
    '/sessions',
    '/tokens',
    '/agents',
    '/print-reports',
    `/printers/${printers[0]}/reports`,
    `/printers/${printers[0]}/rules`,
    '/refused-reports',
    '/event-log?per_page=5',
    '/lead-counts',
    '/profile',
    '/invoice-payments',
    '/invoice-seller',
    '/payment-providers',
    '/filaments/usage',
    '/stats',
    '/stats/printers',
    '/sample-data',
  ],
  agent: ['/me'],
});

export async function readAll(
  service: Service,
  { tokens, cookie, agent }: Fixture['farm'],
  paths: Record<Api, string[]>,
): Promise<Read[]> {
  const owner = await openBrowser(service);
  owner.setCookie(cookie);
  const readers = {
    automation: await createClient(service.origin, tokens.valid),
    console: owner,
    agent: await createClient(service.origin, agent.token, '/agent/v1'),
  };
  const reads: Read[] = [];
  for (const api of ['automation', 'console', 'agent'] as const)
    for (const path of paths[api]) {
      const { status, body } = await readers[api].get(path);
      if (status !== 200) throw new Error(`${api} ${path}: ${status}`);
      reads.push({ api, path, body });
    }
  return reads;
}

/** @returns the number of rows of each table of the schema */
export async function tablesOf(database: string): Promise<Record<string, number>> {
  const names = database.startsWith('postgres:')
    ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE 'order!_search%' ESCAPE '!' ORDER BY 1";
  const counts: Record<string, number> = {};
  for (const { name } of await readRows<{ name: string }>(database, names)) {
    const [row] = await readRows<{ n: number }>(database, `SELECT count(*) AS n FROM ${name}`);
    counts[name] = Number(row?.n);
  }
  return counts;
}

export type OpenFixture = Awaited<ReturnType<typeof openFixture>>;

/**
 * A copy of a fixture for the programs of today. Their clock goes on from the minute after it was made, or what it holds
 * would have run out; so does `Date.now` of this test.
 */
export async function openFixture(release: string) {
  const stored = (name: string) => readFileSync(join(FIXTURES, release, name));
  const unpack = (name: string) => brotliDecompressSync(stored(`${name}.br`));
  const fixture = JSON.parse(stored('farm.json').toString()) as Fixture;
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-upgrade-'));
  const offset = fixture.readAt - Date.now();
  const now = Date.now;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + offset);
  let database = join(folder, 'farm.sqlite3');
  let drop: (() => void) | undefined;
  if (ENGINE === 'sqlite') {
    writeFileSync(database, unpack('farm.sqlite3'));
    writeFileSync(`${database}.key`, fixture.key);
  } else {
    ({ url: database, drop } = createTestDatabase({ options: "ENCODING 'UTF8'" }));
    runOnPostgres(database, unpack('farm.sql').toString());
  }
  // the age of deliveries is judged by the database's time, which doesn't follow these clocks
  await write(
    database,
    `UPDATE deliveries SET committed_at = committed_at - (${offset}), claimed_until = claimed_until - (${offset}) WHERE state IN ('pending', 'sending')`,
  );
  const env: Env = {
    ...fixture.settings,
    PORT: '0',
    // every copy has the name of one deployment: over one Redis they would wake each other
    REDIS_URL: undefined,
    DATABASE_URL: ENGINE === 'sqlite' ? `sqlite:${database}` : database,
    SECRET_KEY: ENGINE === 'sqlite' ? undefined : fixture.key,
    ...withShiftedClock(offset),
  };
  return {
    ...fixture,
    reads: JSON.parse(unpack(`reads.${ENGINE}.json`).toString()) as Read[],
    folder,
    /** what `write` and `readRows` of test/kit/database.ts take */
    database,
    env,

    /** The state that the agent left, and its configuration for another server. @returns the configuration's file */
    placeAgent(server: string): string {
      const state = join(folder, 'state');
      cpSync(join(FIXTURES, release, 'agent'), state, { recursive: true });
      // an agent on another machine without recent reports
      utimesSync(join(state, 'lock'), 0, 0);
      const file = join(folder, 'agent.json');
      writeFileSync(file, JSON.stringify({ ...fixture.agent, server, state }));
      return file;
    },

    remove() {
      clock.mockRestore();
      drop?.();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * What the new answer lacks of the old one. What it has beside is no difference.
 * @param changing names of fields that are not compared
 */
export function differencesOf(was: unknown, is: unknown, changing: ReadonlySet<string>, at = ''): string[] {
  if (typeof was !== 'object' || was === null || typeof is !== 'object' || is === null)
    return was === is ? [] : [`${at}: was ${JSON.stringify(was)}, is ${JSON.stringify(is)?.slice(0, 200)}`];
  if (Array.isArray(was) && Array.isArray(is) && was.length !== is.length)
    return [`${at}: was ${was.length} long, is ${is.length}`];
  return Object.entries(was)
    .filter(([name]) => !changing.has(name))
    .flatMap(([name, value]) => differencesOf(value, (is as Record<string, unknown>)[name], changing, `${at}/${name}`));
}
