import { forTest } from '../../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions } from '../../../../test/kit/subscriptions.ts';
import { forUpdate, isPostgres, query } from '../../storage/dialect.ts';
import type { AttemptError, AttemptOutcome } from './attempt.ts';
import { recordAndClaim } from './claim-store.ts';

const NOW = 1_000;
const TERMS = { claimMs: 10, maxInFlight: 4, maxAgeMs: 60_000 };
const SUCCEEDED = { status: 'succeeded', responseStatus: 204, error: null, durationMs: 1 } as const;
const WORKERS = ['a', 'b', 'c', 'd', 'e', 'f'];

const storage = forTest(openTestStorage);
let subscriptions: ReturnType<typeof createSubscriptions>;
let subscription: string;

beforeEach(async () => {
  subscriptions = createSubscriptions(storage, await insertTestAccount(storage), () => NOW);
  subscription = await subscriptions.create();
  // open all connections beforehand: otherwise the first claims would wait for them one by one
  await Promise.all(WORKERS.map(() => query(storage.read, 'SELECT 1')));
});

const claimAs = (worker: string, finished: number[] = [], claims = true) =>
  recordAndClaim(
    storage,
    [
      {
        subscriptionId: subscription,
        mayClaim: () => claims,
        finished: finished.map((seq) => ({ seq, outcome: SUCCEEDED })),
      },
    ],
    { ...TERMS, worker },
    String(NOW),
  );

test('claims that run at the same moment share the four slots, send a subject once, and leave no gap', async () => {
  let sequence = 0;
  for (let round = 0; round < 25; round++) {
    for (let i = 0; i < 3; i++)
      for (const subject of ['a', 'b', 'c']) await subscriptions.emit(`${subject}${round}`, `${i}`);
    const results = await Promise.all(WORKERS.map(async (worker) => ({ worker, ...(await claimAs(worker)) })));
    const claimed = results.flatMap((result) => result.claimed);
    const sending = (await subscriptions.deliveries(subscription)).filter(({ state }) => state === 'sending');
    expect(sending.length).toBeLessThanOrEqual(4);
    expect(sending.length).toBe(claimed.length);
    expect(new Set(sending.map(({ subject }) => subject)).size).toBe(sending.length);
    const numbers = claimed.map((row) => row.sequence).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => sequence + index + 1));
    sequence += numbers.length;
    expect(await subscriptions.lastSequence(subscription)).toBe(sequence);
    const rows = results.filter(({ claimed }) => claimed.length > 0);
    await Promise.all(
      rows.map(({ worker, claimed }) =>
        claimAs(
          worker,
          claimed.map(({ seq }) => seq),
          false,
        ),
      ),
    );
    // what was locked at that moment
    for (const { worker, claimed } of rows)
      await claimAs(
        worker,
        claimed.map(({ seq }) => seq),
        false,
      );
  }
});

test('records only what this worker has claimed, and then has capacity for more', async () => {
  for (let i = 0; i < 6; i++) await subscriptions.emit(`order ${i}`, `${i}`);
  const seqs = (await claimAs('a')).claimed.map(({ seq }) => seq);
  expect(seqs).toHaveLength(4);
  expect(await claimAs('b', seqs.slice(0, 1), false)).toMatchObject({ recorded: new Set(), claimed: [] });
  const next = await claimAs('a', seqs.slice(0, 3));
  expect(next.recorded).toEqual(new Set(seqs.slice(0, 3)));
  expect(next.claimed.map(({ sequence }) => sequence)).toEqual([5, 6]);
});

test('counts the failures since the last success of a round, and those of this worker only', async () => {
  const failed = (error: AttemptError) => ({ status: 'failed', responseStatus: null, error, durationMs: 1 }) as const;
  for (let i = 0; i < 6; i++) await subscriptions.emit(`order ${i}`, `${i}`);
  const sending = (await claimAs('a')).claimed.map(({ seq }) => seq);
  /** Records the next outcomes of what the first worker is sending. */
  const record = async (worker: string, maxInFlight: number, ...outcomes: AttemptOutcome[]) => {
    const finished = outcomes.map((outcome, i) => ({ seq: sending[i] as number, outcome }));
    const request = { subscriptionId: subscription, mayClaim: () => true, finished };
    await recordAndClaim(storage, [request], { ...TERMS, maxInFlight, worker }, String(NOW));
    const health = 'SELECT consecutive_failures, last_error, last_success_at FROM subscriptions WHERE id = ?';
    const [row] = await query<Record<string, unknown>>(storage.read, health, [subscription]);
    return Object.values(row ?? {});
  };
  // claims one more, but may not record what the first one sends
  expect(await record('another', 5, failed('tls_error'))).toEqual([0, null, null]);
  expect(await record('a', 0, failed('timeout'), SUCCEEDED, failed('tls_error'), failed('dns_error'))).toEqual([
    2,
    'dns_error',
    NOW,
  ]);
});

test('does not wait for a subscription that others have locked, and serves the other subscriptions', async () => {
  if (!isPostgres(storage.writer)) return;
  const other = await subscriptions.create();
  await subscriptions.emit('an order', 'an event');
  await storage.inTransaction(async ({ db }) => {
    await query(db, `SELECT id FROM subscriptions WHERE id = ?${forUpdate(db)}`, [subscription]);
    const requests = [subscription, other].map((subscriptionId) => ({
      subscriptionId,
      mayClaim: () => true,
      finished: [],
    }));
    const result = await recordAndClaim(storage, requests, { ...TERMS, worker: 'a' }, String(NOW));
    expect([...result.locked]).toEqual([subscription]);
    expect(result.claimed.map(({ subscription_id: id }) => id)).toEqual([other]);
  });
  expect((await claimAs('a')).claimed).toHaveLength(1);
});
