import { ENGINE } from '../../../test/kit/engine.ts';
import { eventually } from '../../../test/kit/eventually.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { createTestFolder, openTestStorage } from '../../../test/kit/storage.ts';
import { query } from './dialect.ts';
import { type PoolUse, readPools } from './pools.ts';

const folder = forTest(createTestFolder);
const storage = forTest(() => openTestStorage(folder.path('farm.sqlite3')));

/** Begins transactions that stay open until they are told to end. */
function hold(count: number) {
  let end: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    end = resolve;
  });
  const all = Array.from({ length: count }, () => storage.inTransaction(() => told));
  return {
    end() {
      end();
      return Promise.all(all);
    },
  };
}

const use = (pool: PoolUse['pool']) => readPools(storage).find((one) => one.pool === pool);

test('shows which connections are in use, and what waits for one', async () => {
  // SQLite has one writer, and PostgreSQL at most 20 connections
  const [pool, connections] = ENGINE === 'sqlite' ? (['writer', 1] as const) : (['all', 20] as const);
  expect(readPools(storage).map((one) => one.pool)).toEqual(ENGINE === 'sqlite' ? ['reader', 'writer'] : ['all']);
  const held = hold(connections + 3);
  const busy = await eventually(
    () => use(pool),
    (now) => now?.inUse === connections,
  );
  if (ENGINE === 'sqlite') {
    await query(storage.read, 'SELECT 1');
    expect(use('reader')).toEqual({ pool: 'reader', inUse: 0, idle: 1, waiting: 0 });
  }
  await held.end();
  expect(busy).toEqual({ pool, inUse: connections, idle: 0, waiting: 3 });
  expect(use(pool)).toEqual({ pool, inUse: 0, idle: connections, waiting: 0 });
});
