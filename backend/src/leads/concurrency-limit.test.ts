import { setTimeout as pause } from 'node:timers/promises';
import { createConcurrencyLimit } from './concurrency-limit.ts';

test('works are done one after the other, in order; one that fails holds up nobody', async () => {
  const inTurn = createConcurrencyLimit(10);
  let inside = 0;
  const seen: number[] = [];
  const work = (n: number) => async () => {
    inside += 1;
    seen.push(n, inside);
    await pause(2);
    inside -= 1;
    if (n === 2) throw new Error('no');
    return n;
  };
  const outcomes = await Promise.allSettled([1, 2, 3].map((n) => inTurn(work(n))));
  expect(seen).toEqual([1, 1, 2, 1, 3, 1]);
  expect(outcomes).toMatchObject([{ value: 1 }, { reason: { message: 'no' } }, { value: 3 }]);
});

test('only so many wait; there is room again once they were there', async () => {
  const inTurn = createConcurrencyLimit(2);
  const both = [inTurn(async () => 1), inTurn(async () => 2)];
  expect(inTurn(async () => 3)).toBeUndefined();
  expect(await Promise.all(both)).toEqual([1, 2]);
  expect(await inTurn(async () => 4)).toBe(4);
});

test('after each there is a rest, in which others have the process', async () => {
  const inTurn = createConcurrencyLimit(2);
  const ended: number[] = [];
  const began: number[] = [];
  const work = async () => {
    began.push(performance.now());
    const until = performance.now() + 5;
    while (performance.now() < until);
    ended.push(performance.now());
  };
  await Promise.all([inTurn(work), inTurn(work)]);
  // a timer may fire a millisecond early
  expect((began[1] as number) - (ended[0] as number)).toBeGreaterThan(5);
});
