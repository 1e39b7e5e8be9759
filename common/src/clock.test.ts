import { startStopwatch } from './clock.ts';

test.each([
  ['both clocks run', 3_000, 3_000, 3_000],
  ['the wall clock is set back', -3_600_000, 3_000, 3_000],
  ['the machine is suspended, so its monotonic clock stands still', 3_600_000, 10, 3_600_000],
])('a stopwatch shows the time that has passed when %s', (_name, wall, monotonic, expected) => {
  let elapsed = false;
  const stopwatch = startStopwatch(
    () => 1_000_000 + (elapsed ? wall : 0),
    () => 500 + (elapsed ? monotonic : 0),
  );
  expect(stopwatch()).toBe(0);
  elapsed = true;
  expect(stopwatch()).toBe(expected);
});
