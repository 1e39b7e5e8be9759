import { createFakeServer } from '../../../../test/kit/fake-sender.ts';
import { createTestLogger } from '../../../../test/kit/logger.ts';
import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions, secretBox } from '../../../../test/kit/subscriptions.ts';
import type { DrainControl } from '../../shared/drain-control.ts';
import { isPostgres } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import { trackWrites } from '../../storage/track-writes.ts';
import { createDrain } from './drain.ts';

const never: DrainControl = { stopping: () => false, nextWake: () => new Promise(() => undefined) };

let storage: Storage;
let subscriptions: ReturnType<typeof createSubscriptions>;
let far: ReturnType<typeof createFakeServer>;
let drain: ReturnType<typeof createDrain>;

beforeEach(async () => {
  // as the service uses it
  storage = trackWrites(await openTestStorage()).storage;
  subscriptions = createSubscriptions(storage, await insertTestAccount(storage), () => Date.now());
  far = createFakeServer();
  far.answerAll();
  drain = createDrain({
    storage,
    sender: far.sender,
    secretBox,
    worker: 'this worker',
    logger: createTestLogger().logger,
    publishChange: () => undefined,
  });
});

afterEach(() => storage.close());

/** How many statements the work sends to the database, with those that begin and commit transactions. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  let statements = 0;
  const note = () => {
    statements += 1;
  };
  const handles = new Set([storage.writer, storage.read]);
  for (const handle of handles) handle.on('query', note);
  await work();
  for (const handle of handles) handle.off('query', note);
  return statements;
}

/**
 * From the wake-up to the recorded outcome: one statement claims and one records and looks for more. On SQLite,
 * transactions begin and end with statements of their own, and every UPDATE is one: four to claim, five to record.
 */
const lone = () => (isPostgres(storage.writer) ? 2 : 9);

test('a lone delivery takes two statements on PostgreSQL and nine on SQLite', async () => {
  const id = await subscriptions.create();
  await subscriptions.emit('an order', 'an event');
  expect(await countStatements(() => drain(id, never))).toBe(lone());
  expect(far.sent).toHaveLength(1);
});

test('ten subscriptions that are woken together take as many statements as one', async () => {
  const ids: string[] = [];
  while (ids.length < 10) ids.push(await subscriptions.create());
  await subscriptions.emit('an order', 'an event');
  expect(await countStatements(() => Promise.all(ids.map((id) => drain(id, never))))).toBe(lone());
  expect(far.sent).toHaveLength(10);
});

test('a busy subscription takes one statement for each four deliveries, and one more', async () => {
  const id = await subscriptions.create();
  for (let i = 0; i < 12; i++) await subscriptions.emit(`order ${i}`, 'an event');
  // a SQLite transaction takes five: of those that change the subscription, each has both reasons, but the first and
  // last
  expect(await countStatements(() => drain(id, never))).toBe(isPostgres(storage.writer) ? 4 : 19);
  expect(far.sent).toHaveLength(12);
});
