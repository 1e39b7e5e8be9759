import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions } from '../../../../test/kit/subscriptions.ts';
import { query } from '../../storage/dialect.ts';
import { measureOutbox } from './delivery-store.ts';

test('counts the open deliveries of the ten accounts that have the most, over all their subscriptions', async () => {
  const storage = await openTestStorage();
  const accounts: string[] = [];
  for (let events = 1; events <= 12; events++) {
    const account = await insertTestAccount(storage);
    accounts.push(account);
    const subscriptions = createSubscriptions(storage, account, () => 1);
    await subscriptions.create();
    await subscriptions.create();
    for (let i = 0; i < events; i++) await subscriptions.emit(`order ${i}`, `text ${i}`);
  }
  const largest = async () => (await measureOutbox(storage.read)).largest;
  const backlogs = accounts.map((accountId, index) => ({ accountId, deliveries: 2 * (index + 1) }));
  expect(await largest()).toEqual(backlogs.slice(2).reverse());

  const ended = (state: string, account: string) =>
    query(
      storage.writer,
      'UPDATE deliveries SET state = ? WHERE subscription_id IN (SELECT id FROM subscriptions WHERE account_id = ?)',
      [state, account],
    );
  await ended('succeeded', accounts[11] as string);
  await ended('sending', accounts[10] as string);
  expect(await largest()).toEqual(backlogs.slice(1, 11).reverse());
  await storage.close();
});
