import { setTimeout as pause } from 'node:timers/promises';
import { createConcurrencyLimit } from './concurrency-limit.ts';

test('tasks run one after the other, in order; a failing one does not block the others', async () => {
  const runLimited = createConcurrencyLimit(10);
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
  const outcomes = await Promise.allSettled([1, 2, 3].map((n) => runLimited(work(n))));
  expect(seen).toEqual([1, 1, 2, 1, 3, 1]);
  expect(outcomes).toMatchObject([{ value: 1 }, { reason: { message: 'no' } }, { value: 3 }]);
});

test('the number of waiting tasks is limited; more are accepted once these have run', async () => {
  const runLimited = createConcurrencyLimit(2);
  const both = [runLimited(async () => 1), runLimited(async () => 2)];
  expect(runLimited(async () => 3)).toBeUndefined();
  expect(await Promise.all(both)).toEqual([1, 2]);
  expect(await runLimited(async () => 4)).toBe(4);
});

test('there is a pause after each task, so that other work can run', async () => {
  const runLimited = createConcurrencyLimit(2);
  const ended: number[] = [];
  const began: number[] = [];
  const work = async () => {
    began.push(performance.now());
    const until = performance.now() + 5;
    while (performance.now() < until);
    ended.push(performance.now());
  };
  await Promise.all([runLimited(work), runLimited(work)]);
  // a timer may fire a millisecond early
  expect((began[1] as number) - (ended[0] as number)).toBeGreaterThan(5);
});
