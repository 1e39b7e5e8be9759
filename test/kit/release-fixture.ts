import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { write } from './database.ts';
import { createTestDatabase, ENGINE } from './engine.ts';
import type { Env } from './service.ts';

const FIXTURES = resolve(__dirname, '../fixtures/upgrade');

/** The releases that there is a fixture of. */
export const RELEASES = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Subscription {
  id: string;
  url: string;
  secret?: string;
}

interface Agent {
  id: string;
  token: string;
}

/** What the maker of the fixture knows of its database. */
export interface Fixture {
  /** the time at which the old release was read, milliseconds since 1970 */
  readAt: number;
  secretKey?: string;
  publicUrl: string;
  /** rows of each table */
  counts: Record<string, number>;
  farm: {
    account: { email: string; password: string };
    tokens: { valid: string; expiring: string; revoked: string };
    /** of a session, `name=value` */
    cookie: string;
    subscriptions: { signed: Subscription; slack: Subscription; disabled: Subscription };
    printers: string[];
    orders: Record<string, string>;
    filaments: Record<string, string>;
    slug: string;
    leads: Record<string, string>;
    invoices: Record<string, string>;
    issuedNumber: string;
    payUrl: string;
    provider: { id: string; secret: string };
    agents: { one: Agent; former: Agent };
    /** the first report of the agent `one` */
    report: { event_id: string; filename: string };
    /** writes with an Idempotency-Key */
    repeated: { path: string; key: string; body: object; id: string }[];
  };
  sample: {
    email: string;
    password: string;
    token: string;
    orders: number;
    filaments: { name: string; remaining_grams: number }[];
  };
  /** its first delivery was under way when the old release was killed */
  waiting: { token: string; order: string; subscription: { id: string; secret: string } };
  /** the agent's configuration */
  agent: Record<string, unknown>;
}

/** One answer of the old release. */
interface Read {
  api: 'automation' | 'console' | 'agent';
  path: string;
  body: unknown;
}

const unpack = (...path: string[]): Buffer => brotliDecompressSync(readFileSync(join(FIXTURES, ...path)));
const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(FIXTURES, ...path), 'utf8')) as T;

/** The workflow as n8n stored it, and what each of its nodes gave. */
export const readWorkflow = (release: string) => ({
  workflow: readJson<{
    id: string;
    name: string;
    nodes: { id: string; name: string; type: string; webhookId?: string; parameters: Record<string, unknown> }[];
    staticData: Record<string, Record<string, string>>;
  }>(release, 'n8n/workflow.json'),
  outputs: readJson<Record<string, Record<string, unknown>[]>>(release, 'n8n/outputs.json'),
});

export type OpenFixture = Awaited<ReturnType<typeof openFixture>>;

/** How long other suites may have a fixture open, one after another. */
const TURN_WITHIN_MS = 1_700_000;

async function listen(server: Server, port: number): Promise<void> {
  for (const deadline = performance.now() + TURN_WITHIN_MS; ; ) {
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/**
 * Waits until no other suite has a fixture of this engine open: all copies send to the same port, so one would receive
 * what another sends. @returns what ends the turn
 */
async function takeTurn(url: string): Promise<() => void> {
  const lock = createServer();
  await listen(lock, Number(new URL(url).port) + 10);
  return () => lock.close();
}

/**
 * A copy of a fixture's database for the programs of today. Their clock goes on from the minute after it was made, or what
 * it holds would have run out; so does `Date.now` of this test.
 */
export async function openFixture(release: string) {
  const fixture = readJson<Fixture>(release, ENGINE, 'farm.json');
  const reads = JSON.parse(unpack(release, ENGINE, 'reads.json.br').toString('utf8')) as Read[];
  const endTurn = await takeTurn(fixture.farm.subscriptions.signed.url);
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-upgrade-'));
  const offset = fixture.readAt - Date.now();
  const now = Date.now;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + offset);
  const clockEnv = {
    NODE_OPTIONS: `--require ${JSON.stringify(join(FIXTURES, 'clock.cjs'))}`,
    CLOCK_OFFSET_MS: String(offset),
  };
  const env: Env = {
    PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_ALLOWED_HOSTS: 'loopback',
    PUBLIC_URL: fixture.publicUrl,
    // every copy has the name of one deployment: over one Redis they would wake each other
    REDIS_URL: undefined,
    SECRET_KEY: fixture.secretKey,
    ...clockEnv,
  };
  let name = join(folder, 'farm.sqlite3');
  let drop: (() => void) | undefined;
  if (ENGINE === 'sqlite') {
    writeFileSync(name, unpack(release, ENGINE, 'farm.sqlite3.br'));
    cpSync(join(FIXTURES, release, ENGINE, 'farm.sqlite3.key'), `${name}.key`);
    env.DATABASE_URL = `sqlite:${name}`;
  } else {
    ({ url: name, drop } = createTestDatabase({ options: "ENCODING 'UTF8'" }));
    env.DATABASE_URL = name;
    const client = new pg.Client(name);
    await client.connect();
    await client.query(unpack(release, ENGINE, 'farm.sql.br').toString('utf8')).finally(() => client.end());
  }
  // the age of deliveries is judged by the database's time, which doesn't follow these clocks
  await write(
    name,
    `UPDATE deliveries SET committed_at = committed_at - (${offset}), claimed_until = claimed_until - (${offset}) WHERE state IN ('pending', 'sending')`,
  );
  return {
    ...fixture,
    reads,
    folder,
    /** what `write` and `inspectDatabase` of test/kit/database.ts take */
    database: name,
    env,
    clockEnv,

    /** The state that the agent left, and its configuration for another server. @returns the configuration's file */
    placeAgent(server: string): string {
      const state = join(folder, 'state');
      cpSync(join(FIXTURES, release, ENGINE, 'agent'), state, { recursive: true });
      // an agent on another machine without recent reports
      utimesSync(join(state, 'lock'), 0, 0);
      const file = join(folder, 'agent.json');
      writeFileSync(file, JSON.stringify({ ...fixture.agent, server, state }));
      return file;
    },

    remove() {
      endTurn();
      clock.mockRestore();
      drop?.();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  body: { event: string; occurred_at: string; data: Record<string, unknown> };
}

/** Receives what goes to the addresses that are encrypted in the fixture: their port cannot be chosen. */
export async function receiveAt(url: string) {
  const requests: Request[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    requests.push({ path: String(req.url), headers: req.headers, raw, body: JSON.parse(raw.toString('utf8')) });
    res.writeHead(204).end();
  });
  await listen(server, Number(new URL(url).port));
  return {
    requests,
    /** what came to a path, in the order in which it came */
    to: (path: string) => requests.filter((one) => one.path === path),
    async stop(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
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
