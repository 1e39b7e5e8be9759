import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { insertEvent } from '../events/event-store.ts';
import { newId } from '../shared/ids.ts';
import { query } from './dialect.ts';
import type { Storage } from './open.ts';
import { type ExpiredRows, purgeRows } from './purge.ts';

const OLD: ExpiredRows = { table: 'events', key: ['seq'], where: 't.occurred_at < ?', values: [100] };
const NEVER = () => false;
const COUNT = 300;

const storage = forTest(openTestStorage);

beforeEach(async () => {
  const accountId = await insertTestAccount(storage);
  await storage.inTransaction(async ({ db }) => {
    for (let i = 0; i < COUNT; i++)
      await insertEvent(db, {
        id: newId(),
        accountId,
        event: 'order.created',
        subject: 'order:1',
        body: '{}',
        occurredAt: i < COUNT - 1 ? 99 : 100,
      });
  });
});

const countEvents = async (db = storage.read) =>
  Number((await query<{ n: number }>(db, 'SELECT count(*) AS n FROM events'))[0]?.n);

/** The storage, running `between` after the statements of its first transaction and before its commit. */
const withHook = (between: () => void): Storage => {
  let first = true;
  return {
    ...storage,
    inTransaction: (work) =>
      storage.inTransaction(async (tx) => {
        const result = await work(tx);
        if (first) between();
        first = false;
        return result;
      }),
  };
};

test('deletes every expired row and no other', async () => {
  await purgeRows(storage, OLD, NEVER);
  expect(await query(storage.read, 'SELECT occurred_at FROM events')).toEqual([{ occurred_at: 100 }]);
});

test('lets a write that is waiting through after its first batch', async () => {
  let left: Promise<number> | undefined;
  const hooked = withHook(() => {
    left = storage.inTransaction(({ db }) => countEvents(db));
  });
  await purgeRows(hooked, OLD, NEVER);
  expect(await left).toBeGreaterThan(1);
  expect(await left).toBeLessThan(COUNT);
  expect(await countEvents()).toBe(1);
});

test('leaves the rest when stopping', async () => {
  let stopping = false;
  await purgeRows(
    withHook(() => {
      stopping = true;
    }),
    OLD,
    () => stopping,
  );
  expect(await countEvents()).toBeGreaterThan(1);
  expect(await countEvents()).toBeLessThan(COUNT);
});

test('deletes a single row at a time where each takes long', async () => {
  let left: number | undefined;
  const hooked = withHook(() => {
    left = COUNT - 1;
  });
  await purgeRows(hooked, { ...OLD, maxBatchRows: 1 }, () => left !== undefined);
  expect(await countEvents()).toBe(left);
});

test('keeps a row that was renewed before its batch is deleted', async () => {
  const other: Storage = {
    ...storage,
    async inTransaction(work) {
      await storage.inTransaction(({ db }) => query(db, 'UPDATE events SET occurred_at = 100'));
      return storage.inTransaction(work);
    },
  };
  await purgeRows(other, OLD, NEVER);
  expect(await countEvents()).toBe(COUNT);
});
