import { plansOf } from '../../../../test/kit/plans.ts';
import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions } from '../../../../test/kit/subscriptions.ts';
import { recordAndClaim } from './claim-store.ts';
import { interrupt, listClaims, listWaitingSubscriptions, measureOutbox } from './delivery-store.ts';
import { cancelPending } from './transitions.ts';

test('no statement of a drain, the sweep or the metrics reads finished deliveries, so a long history costs nothing', async () => {
  const storage = await openTestStorage(':memory:');
  const subscriptions = createSubscriptions(storage, await insertTestAccount(storage), () => 1);
  const id = await subscriptions.create();
  for (let i = 0; i < 3; i++) await subscriptions.emit(`order ${i}`, `text ${i}`);
  const plans = await plansOf(storage, async () => {
    const terms = { worker: 'w', claimMs: 10, maxInFlight: 1, maxAgeMs: 1_000 };
    const request = { subscriptionId: id, mayClaim: () => true };
    const first = await recordAndClaim(storage, [{ ...request, finished: [] }], terms, '10');
    const outcome = { status: 'succeeded', responseStatus: 204, error: null, durationMs: 1 } as const;
    const finished = [{ seq: first.claimed[0]?.seq as number, outcome }];
    await recordAndClaim(storage, [{ ...request, finished }], terms, '10');
    await storage.inTransaction(({ db }) => cancelPending(db, id, 'w'));
    await listClaims(storage.read);
    await listWaitingSubscriptions(storage.read, 100);
    await interrupt(storage.writer, 'w', 'expired');
    await measureOutbox(storage.read);
  });
  const onDeliveries = plans.filter((detail) => /\bdeliveries\b/.test(detail));
  expect(onDeliveries.length).toBeGreaterThan(8);
  for (const detail of onDeliveries)
    expect(detail).toMatch(/USING (COVERING )?INDEX deliveries_open|USING INTEGER PRIMARY KEY/);
  await storage.close();
});
