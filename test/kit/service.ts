import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { count } from './count.ts';
import { createTestDatabase, ENGINE, REDIS_URL } from './engine.ts';
import { type Content, copyTemplateFile, preparedAccounts } from './template.ts';

/** What `npx farmboard` runs. */
export const LAUNCHER = resolve(__dirname, '../../backend/bin/farmboard.js');

/** The service of `test/kit/faulty-service.ts`, which kills or stops itself at a step; built once before all suites. */
export const FAULTY = resolve(__dirname, '../../backend/dist/testing/faulty-service.js');

export type Env = Record<string, string | undefined>;

/** Settings of a process whose clock is that much ahead, or behind if negative. */
export const withShiftedClock = (ms: number): Env => ({
  NODE_OPTIONS: `--require ${resolve(__dirname, 'shifted-clock.cjs')}`,
  CLOCK_SHIFT_MS: String(ms),
});

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `farmboard …` like a user, to its end. */
export async function farmboard(args: string[], env: Env, input?: string): Promise<CommandResult> {
  count('commands');
  const child = spawn(LAUNCHER, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

export interface Service {
  /** `http://127.0.0.1:port` */
  origin: string;
  /** the API's base URL */
  baseUrl: string;
  /** The environment for commands on the same database. */
  env: Env;
  pid: number;
  /** Every line it has logged so far. */
  log: string[];
  /** Resolves when the process has exited. */
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
}

export interface DataFolder {
  env: Env;
  /** The SQLite file, or the address of the PostgreSQL database. */
  file: string;
  remove(): void;
}

/**
 * A migrated database with accounts for `createAccountWithToken`, removed by `remove`: a SQLite file in a folder, or on
 * PostgreSQL with Redis for the wake-ups.
 */
export const createDataFolder = (engine = ENGINE): DataFolder => prepareFolder(engine, 'full');

/** A migrated database without an account: its first owner is created by the setup link. */
export const createEmptyDataFolder = (engine = ENGINE): DataFolder => prepareFolder(engine, 'empty');

/** An empty database before the very first start; on SQLite not even the file exists. */
export const createNewDataFolder = (engine = ENGINE): DataFolder => prepareFolder(engine);

function prepareFolder(engine: 'sqlite' | 'postgres', content?: Content): DataFolder {
  count('databases');
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-test-'));
  const usual = { PORT: '0', LOG_LEVEL: 'info', RATE_LIMIT_PER_MINUTE: '0' };
  if (engine === 'postgres') {
    const database = createTestDatabase(content ? { copyOf: content } : {});
    return {
      file: database.url,
      env: {
        DATABASE_URL: database.url,
        REDIS_URL,
        SECRET_KEY: 'for tests only, and with enough characters',
        // suites of several processes each run in parallel on a server that allows 100 connections
        DATABASE_CONNECTIONS: '8',
        ...usual,
      },
      remove() {
        database.drop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
  const file = join(folder, 'farmboard.sqlite3');
  if (content) copyTemplateFile(file, content);
  return {
    file,
    env: { DATABASE_URL: `sqlite:${file}`, ...usual },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts the built service on a free port and resolves when it listens. Rejects with its output if it ends instead. */
export async function startService(env: Env, program?: string): Promise<Service> {
  count('services');
  const [command, args] = program === undefined ? [LAUNCHER, []] : [process.execPath, [program]];
  const child: ChildProcess = spawn(command, [...args, 'serve'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const exited = (once(child, 'exit') as Promise<[number | null, string | null]>).then(([code, signal]) => ({
    code,
    signal,
  }));
  const port = await new Promise<number>((resolvePort, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      log.push(line);
      if (!line.startsWith('{')) return;
      const entry = JSON.parse(line) as { port?: number };
      if (entry.port !== undefined) resolvePort(entry.port);
    });
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => log.push(line));
    exited.then(() => reject(new Error(`the service ended: ${log.join('\n')}`)));
  });
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    env,
    pid: child.pid as number,
    log,
    exited,
    async stop() {
      child.kill('SIGTERM');
      return (await exited).code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A database with the services that are started on it, which are killed before it is removed. */
export function createServiceFolder(folder = createEmptyDataFolder()) {
  const running: Service[] = [];
  return {
    ...folder,
    running,
    async start(more: Env = {}): Promise<Service> {
      const service = await startService({ ...folder.env, ...more });
      running.push(service);
      return service;
    },
    async close(): Promise<void> {
      for (const service of running) await service.kill();
      folder.remove();
    },
  };
}

/** Starts a service on a database without an account, which must stop cleanly after the work. */
export async function withService(
  settings: Env,
  work: (service: Service, env: Env, file: string) => Promise<void>,
): Promise<void> {
  const folder = createEmptyDataFolder();
  const env = { ...folder.env, ...settings };
  const service = await startService(env);
  try {
    await work(service, env, folder.file);
    expect(await service.stop()).toBe(0);
  } finally {
    await service.kill();
    folder.remove();
  }
}

/** How many accounts of each database are in use. */
const given = new Map<string, number>();

/** An unused account with a token: from the template while available, then created by the command line. */
export async function createAccountWithToken(env: Env): Promise<{ email: string; token: string }> {
  const database = env.DATABASE_URL as string;
  const used = given.get(database) ?? 0;
  given.set(database, used + 1);
  const prepared = preparedAccounts(database)[used];
  if (prepared) return prepared;
  const email = `another${used}.${process.pid}@test.example`;
  const made = await farmboard(
    ['account', 'create', '--email', email, '--name', 'Test farm', '--password', '-'],
    env,
    'correct horse battery',
  );
  if (made.code !== 0) throw new Error(made.stderr);
  const token = await farmboard(['token', 'create', '--email', email, '--name', 'test'], env);
  if (token.code !== 0) throw new Error(token.stderr);
  return { email, token: token.stdout.trim() };
}
