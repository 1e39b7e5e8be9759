import { createRateLimits } from '../jobs/rate-limits.ts';
import type { RateLimit } from '../shared/rate-limit.ts';
import { createLimits } from './limits.ts';

const { signIn, ...others } = createLimits({ createRateLimit: createRateLimits() }, { rateLimitPerMinute: 1_000 });
const { failedAuth, payPages, checkouts, refusedNotifications, forms } = others;
const { failuresOfClient, signUps } = signIn;

/** A /64 of one /48, as `clientOf` names it. */
const of = (n: number) => `2001:db8:1:${n.toString(16)}::/64`;

async function count(limit: RateLimit, client: string, times: number): Promise<boolean> {
  let isOver = false;
  for (let n = 0; n < times; n++) ({ isOver } = await limit.count(client));
  return isOver;
}

const OF_ADDRESSES = { failedAuth, payPages, checkouts, refusedNotifications, forms, failuresOfClient, signUps };

test.each(Object.entries(OF_ADDRESSES))('%s: an IPv6 /48 may do as much as four addresses', async (_, limit) => {
  const { count: take, max } = limit as RateLimit;
  // one address can use up its own part only
  expect(await count(limit as RateLimit, of(1), 10 * max)).toBe(true);
  for (const n of [2, 3]) expect(await count(limit as RateLimit, of(n), max)).toBe(false);
  for (let n = 4; n < max + 4; n++) expect((await take(of(n))).isOver).toBe(false);
  expect(await take(of(9_999))).toMatchObject({ isOver: true });
  expect(await limit?.read(of(9_998))).toMatchObject({ isOver: true });
  for (const other of ['2001:db8:2:1::/64', '192.0.2.1']) expect((await take(other)).isOver).toBe(false);
});

test('what is undone counts neither for the address nor for its network', async () => {
  for (let n = 0; n < 1_000; n++) {
    await failuresOfClient.count(of(n));
    await failuresOfClient.undo(of(n));
  }
  const client = '2001:db8:3::/64';
  await count(failuresOfClient, client, failuresOfClient.max + 50);
  for (let n = 0; n < 50; n++) await failuresOfClient.undo(client);
  // what was refused was not counted for the network, and is not subtracted from it
  for (let n = 1; n < 4; n++) await count(failuresOfClient, `2001:db8:3:${n}::/64`, failuresOfClient.max);
  expect((await failuresOfClient.count('2001:db8:3:4::/64')).isOver).toBe(true);
});
