import { Redis } from 'ioredis';
import { createRateLimits } from './rate-limits.ts';

const OPTIONS = { max: 3, withinMs: 60_000 };

afterEach(() => void jest.restoreAllMocks());

test('counts per key and per limit, and starts again after the period', async () => {
  let now = Date.UTC(2026, 10, 23);
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const createRateLimit = createRateLimits();
  const limit = createRateLimit('a', OPTIONS);
  for (const used of [1, 2, 3]) {
    expect(await limit.count('x')).toEqual({ used, isOver: false, remaining: 3 - used, retryAfter: 60 });
    now += 10_000;
    if (used < 3) now -= 10_000;
  }
  expect(await limit.count('x')).toEqual({ used: 4, isOver: true, remaining: 0, retryAfter: 50 });
  expect(await limit.read('y')).toMatchObject({ used: 0, isOver: false });
  expect(await createRateLimit('b', OPTIONS).read('x')).toMatchObject({ used: 0 });
  await limit.undo('x');
  expect(await limit.read('x')).toMatchObject({ used: 3, isOver: false });
  now += 50_000;
  expect(await limit.count('x')).toMatchObject({ used: 1, retryAfter: 60 });
  await limit.reset('x');
  expect(await limit.read('x')).toMatchObject({ used: 0 });
});

test('counts concurrent uses', async () => {
  const limit = createRateLimits()('a', OPTIONS);
  const all = await Promise.all(Array.from({ length: 20 }, () => limit.count('x')));
  expect(all.filter(({ isOver }) => !isOver)).toHaveLength(3);
});

test('counts by itself while Redis does not respond, without waiting for it each time', async () => {
  // nothing listens there
  const client = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: () => null });
  client.on('error', () => undefined);
  const limit = createRateLimits({ client, prefix: 'test:' })('a', OPTIONS);
  const calls = jest.spyOn(client, 'sendCommand');
  const all = await Promise.all(Array.from({ length: 20 }, () => limit.count('x')));
  expect(all.filter(({ isOver }) => !isOver)).toHaveLength(3);
  expect(calls).not.toHaveBeenCalled();
  client.disconnect();
});
