import { createLogger } from '../../../common/src/logger.ts';
import { createTestDatabase, runOnPostgres, type TestDatabase } from '../../../test/kit/engine.ts';
import { createTestLogger } from '../../../test/kit/logger.ts';
import { isUnavailable, query, queryOne } from './dialect.ts';
import { openStorage, type Storage } from './open.ts';

let database: TestDatabase;
let storage: Storage;
let log: ReturnType<typeof createTestLogger>;

beforeEach(async () => {
  database = createTestDatabase();
  log = createTestLogger('info');
  storage = await openStorage({ engine: 'postgres', url: database.url }, log.logger);
  await query(storage.writer, 'CREATE TABLE counters (n BIGINT NOT NULL)');
  await query(storage.writer, 'INSERT INTO counters VALUES (0)');
});

afterEach(async () => {
  await storage.close();
  database.drop();
});

/** retried, because the first query may get an idle connection that has ended unnoticed */
const count = async () => {
  const ask = () => queryOne<{ n: number }>(storage.read, 'SELECT n FROM counters');
  return (await ask().catch(ask))?.n;
};

/** Ends every other connection, as an operator or a failing server would. */
const endConnections = () =>
  runOnPostgres(
    database.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );

test('an error is logged with its statement, but without the values bound to it', async () => {
  await query(storage.writer, 'CREATE TABLE customers (email TEXT PRIMARY KEY)');
  const insert = () => query(storage.writer, 'INSERT INTO customers VALUES (?)', ['customer@farm.example']);
  await insert();
  const lines: string[] = [];
  createLogger('info', (line) => lines.push(line)).error({ err: await insert().catch((error: unknown) => error) });
  expect(lines.join('')).toMatch(/INSERT INTO customers VALUES .*"constraint":"customers_pkey"/);
  expect(lines.join('')).not.toContain('customer@farm');
});

test('a connection lost in a transaction: reports the reason, changes nothing, and the next one works', async () => {
  const lost = storage.inTransaction(async ({ db }) => {
    await query(db, 'UPDATE counters SET n = n + 1');
    endConnections();
    await query(db, 'UPDATE counters SET n = n + 1');
  });
  expect(isUnavailable(await lost.catch((error: unknown) => error))).toBe(true);
  expect(await count()).toBe(0);
  await storage.inTransaction(({ db }) => query(db, 'UPDATE counters SET n = n + 1'));
  expect(await count()).toBe(1);
});

test('a connection lost during the commit: reports that the outcome is unknown', async () => {
  let committed = false;
  const lost = storage.inTransaction(async ({ db, afterCommit }) => {
    afterCommit(() => {
      committed = true;
    });
    await query(db, 'UPDATE counters SET n = n + 1');
    endConnections();
  });
  await expect(lost).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('may or may not have been made'),
  });
  expect(committed).toBe(false);
  expect(await count()).toBe(0);
});

test('logs an outage in one line and its end in another', async () => {
  const told = (part: string) => log.lines.filter(({ msg }) => msg.includes(part)).length;
  for (let outage = 1; outage <= 2; outage++) {
    const lost = storage.inTransaction(async ({ db }) => {
      endConnections();
      for (;;) await query(db, 'SELECT 1');
    });
    expect(isUnavailable(await lost.catch((error: unknown) => error))).toBe(true);
    expect(told('lost the connection')).toBe(outage);
    expect(await count()).toBe(0);
    expect(told('reconnected to the database')).toBe(outage);
  }
});
