import { Redis } from 'ioredis';
import { createMemoryCounts } from './memory-counts.ts';
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

test.each<[string, (counts: ReturnType<typeof createMemoryCounts>) => void, string[]]>([
  ['beyond its number, the first is forgotten', () => undefined, ['b', 'c', 'd']],
  ['one that was undone takes no place', (counts) => counts.undo('b'), ['a', 'c', 'd']],
  ['one that was reset takes no place', (counts) => counts.reset('c'), ['a', 'b', 'd']],
])('a process counts a limited number of keys: %s', (_what, change, left) => {
  const counts = createMemoryCounts(60_000, 3);
  for (const key of ['a', 'b', 'c']) counts.add(key);
  change(counts);
  counts.add('d');
  expect(counts.size()).toBe(3);
  expect(['a', 'b', 'c', 'd'].filter((key) => counts.read(key).used > 0)).toEqual(left);
});

test('a process keeps no key whose time is over', () => {
  let now = Date.UTC(2026, 10, 23);
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const counts = createMemoryCounts(60_000);
  for (const key of ['a', 'b']) counts.add(key);
  now += 60_000;
  counts.add('b');
  expect([counts.size(), counts.read('b')]).toEqual([1, { used: 1, leftMs: 60_000 }]);
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
