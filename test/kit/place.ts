import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inspectDatabase } from './database.ts';
import { createTestDatabase, REDIS_URL } from './engine.ts';
import { type Env, farmboard, LAUNCHER } from './service.ts';

export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-operations-'));
  return {
    path: (name: string) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const SECRET_KEY = 'for tests only, and with enough characters';

/** Where a database can be; it is empty at first. */
export interface Place {
  url: string;
  /** The environment of a service or a command on it. */
  env: Env;
  rows<R = Record<string, unknown>>(sql: string): Promise<R[]>;
  /** The existing tables; none without a database. */
  tables(): Promise<string[]>;
  drop(): void;
}

const USUAL: Env = {
  PORT: '0',
  LOG_LEVEL: 'info',
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOWED_HOSTS: 'loopback',
  REDIS_URL: undefined,
  SECRET_KEY,
};

/** @param name a file or the address of a PostgreSQL database */
async function rows<R>(name: string, sql: string): Promise<R[]> {
  const inspector = await inspectDatabase(name);
  try {
    return await inspector.rows<R>(sql);
  } finally {
    await inspector.close();
  }
}

export const sqlitePlace = (file: string): Place => ({
  url: `sqlite:${file}`,
  env: { ...USUAL, DATABASE_URL: `sqlite:${file}` },
  rows: (sql) => rows(file, sql),
  tables: async () =>
    existsSync(file)
      ? (await rows<{ name: string }>(file, "SELECT name FROM sqlite_master WHERE type = 'table'")).map(
          ({ name }) => name,
        )
      : [],
  drop: () => undefined,
});

export function postgresPlace(): Place {
  const { url, drop } = createTestDatabase();
  return {
    url,
    env: { ...USUAL, DATABASE_URL: url, REDIS_URL },
    rows: (sql) => rows(url, sql),
    tables: async () =>
      (await rows<{ name: string }>(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")).map(
        ({ name }) => name,
      ),
    drop,
  };
}

/** @returns its standard output */
export async function succeed(args: string[], env: Env): Promise<string> {
  const { code, stdout, stderr } = await farmboard(args, env);
  if (code !== 0) throw new Error(`farmboard ${args.join(' ')} ended with ${code}: ${stderr}`);
  // progress is for terminals
  if (!args.includes('--verbose')) expect(stderr).toBe('');
  return stdout;
}

/** A refusal: status 1 and no result. @returns its last line */
export async function refused(args: string[], env: Env): Promise<string> {
  const { code, stdout, stderr } = await farmboard(args, env);
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
  // no stack trace
  expect(stderr).not.toMatch(/\n {4}at /);
  return stderr.trimEnd().split('\n').at(-1) as string;
}

/** The lines that a copy with `--verbose` prints: table, rows, checksum. */
export const tallies = (stdout: string): string[] => stdout.split('\n').filter((line) => / [0-9a-f]{64}$/.test(line));

/** Starts a command and calls `act` with its process after this much progress. @returns how it ended */
export async function interfere(
  progress: string,
  args: string[],
  env: Env,
  act: (child: ChildProcess) => unknown,
): Promise<{ code: number | null; signal: string | null }> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const told: string[] = [];
  let acted: Promise<unknown> | undefined;
  createInterface({ input: child.stderr }).on('line', (line) => {
    told.push(line);
    if (acted || !line.startsWith(progress)) return;
    acted = Promise.resolve(act(child));
    // a rejection is thrown below, after the command has ended
    acted.catch(() => undefined);
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (!acted) throw new Error(`it ended before it told of ${progress} ${told.join('\n')}`);
  await acted;
  return { code, signal };
}

/** Kills a command in the middle of its work, so that its handlers can't run. */
export async function killAt(progress: string, args: string[], env: Env): Promise<void> {
  const { signal } = await interfere(progress, [...args, '--verbose'], env, (child) => child.kill('SIGKILL'));
  if (signal !== 'SIGKILL') throw new Error(`it ended before it was killed at ${progress}`);
}
