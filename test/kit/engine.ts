import { randomBytes, randomUUID } from 'node:crypto';
import { type Content, noteCopy, templatePostgres } from './template.ts';

/** The engine of the run: `jest.config.cjs` runs the suites once for each. */
export const ENGINE: 'sqlite' | 'postgres' =
  (globalThis as { FARMBOARD_ENGINE?: 'sqlite' | 'postgres' }).FARMBOARD_ENGINE ?? 'sqlite';

/** Whether a Redis is available: always with PostgreSQL, with SQLite if one answers. */
export const HAS_REDIS = (globalThis as { FARMBOARD_REDIS?: boolean }).FARMBOARD_REDIS ?? false;

/** The PostgreSQL for test databases and their Redis. */
export const POSTGRES_URL = process.env.FARMBOARD_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/postgres';
export const REDIS_URL = process.env.FARMBOARD_TEST_REDIS ?? 'redis://127.0.0.1:6379';

export interface TestDatabase {
  url: string;
  drop(): void;
}

declare global {
  // provided by the environment (`environment.cjs`)
  var RUN_ON_POSTGRES: (url: string, ...statements: string[]) => void;
}

const { runAsync } = require('./run-on-postgres.cjs') as {
  runAsync(url: string, ...statements: string[]): Promise<void>;
};

/** Runs statements, each by itself, and waits for them. */
export const runOnPostgres = (url: string, ...statements: string[]): void => RUN_ON_POSTGRES(url, ...statements);

const newName = () => `farmboard_test_${randomBytes(8).toString('hex')}`;

function urlOf(name: string): string {
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return url.href;
}

const dropping = (name: string) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;

/**
 * A PostgreSQL database of its own.
 * @param copyOf the template; an empty database by default
 * @param options of its CREATE DATABASE
 */
export function createTestDatabase({
  copyOf,
  options = '',
}: {
  copyOf?: Content;
  options?: string;
} = {}): TestDatabase {
  const name = newName();
  const url = urlOf(name);
  const template = copyOf ? templatePostgres(copyOf) : 'template0';
  runOnPostgres(POSTGRES_URL, `CREATE DATABASE ${name} TEMPLATE ${template} ${options}`);
  if (copyOf) {
    runOnPostgres(url, `UPDATE deployment SET id = '${randomUUID()}'`);
    noteCopy(url, 'postgres', copyOf);
  }
  return { url, drop: () => runOnPostgres(POSTGRES_URL, dropping(name)) };
}

/** The same, asynchronously, for suites that need a database for each test. */
export async function copyMigratedDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = newName();
  await runAsync(POSTGRES_URL, `CREATE DATABASE ${name} TEMPLATE ${templatePostgres('empty')}`);
  return { url: urlOf(name), drop: () => runAsync(POSTGRES_URL, dropping(name)) };
}
