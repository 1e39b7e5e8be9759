import { holdOpen, waitForLock } from '../../../../test/kit/open-transaction.ts';
import { forTest } from '../../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions } from '../../../../test/kit/subscriptions.ts';
import { lockAccount } from '../../accounts/account-store.ts';
import { forKeyShare, query } from '../../storage/dialect.ts';
import { deleteSubscription } from './subscription-store.ts';

const storage = forTest(openTestStorage);
let accountId: string;

beforeEach(async () => {
  accountId = await insertTestAccount(storage);
});

test('an event that waited for the deletion of a subscription goes to the other subscriptions', async () => {
  const subscriptions = createSubscriptions(storage, accountId, Date.now);
  const [deleted, kept] = [await subscriptions.create(), await subscriptions.create()];
  const commit = await holdOpen(storage, (db) => deleteSubscription(db, deleted));
  const emitting = subscriptions.emit('order', 'text');
  await waitForLock(storage, 'INSERT INTO deliveries').finally(commit);
  await emitting;
  const rows = await query(storage.read, 'SELECT subscription_id FROM deliveries');
  expect(rows).toEqual([{ subscription_id: kept }]);
});

test('the lock of an account waits for none of its records that are being written', async () => {
  // as a record that refers to the account
  const commit = await holdOpen(storage, (db) => query(db, `SELECT id FROM accounts${forKeyShare(db)}`));
  const locking = storage.inTransaction(async ({ db }) => {
    await query(db, "SET LOCAL lock_timeout = '1s'");
    await lockAccount(db, accountId);
  });
  await expect(locking.finally(commit)).resolves.toBeUndefined();
});
