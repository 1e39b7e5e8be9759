import { holdOpen, waitForLock } from '../../../test/kit/open-transaction.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { deleteCounts, foldCounters } from './counters.ts';
import { query } from './dialect.ts';
import type { Tx } from './transaction.ts';

const storage = forTest(openTestStorage);

test('an account that is deleted while its counters are being folded leaves none', async () => {
  const accountId = await insertTestAccount(storage);
  const ofAccount = (sql: string) => query(storage.writer, sql, [accountId]);
  for (let i = 0; i < 2; i++)
    await ofAccount("INSERT INTO order_counts (account_id, workflow_status, printer_id, n) VALUES (?, 'done', '', 1)");
  const commit = await holdOpen(storage, (db) =>
    foldCounters({ read: storage.read, inTransaction: (work) => work({ db } as Tx) }),
  );
  const deleting = storage.inTransaction(({ db }) => deleteCounts(db, accountId));
  await waitForLock(storage).finally(commit);
  await deleting;
  expect(await ofAccount('SELECT n FROM order_counts WHERE account_id = ?')).toEqual([]);
});
