import { createSendClock } from './send-clock.ts';
import { createServerClock } from './server-clock.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 28, 12);
const httpDate = (ms: number) => new Date(ms).toUTCString();

let now: number;
let warnings: string[];
const create = () =>
  createServerClock(
    () => now,
    (text) => warnings.push(text),
  );

beforeEach(() => {
  now = NOW;
  warnings = [];
});

test('takes the server’s time when it makes a difference, and this machine’s again once that is right', () => {
  const clock = create();
  expect(clock.adopt(httpDate(NOW + HOUR_MS))).toBe(true);
  expect(clock.now()).toBe(NOW + HOUR_MS);
  // signed with the same time, the answer would be the same
  expect(clock.adopt(httpDate(NOW + HOUR_MS))).toBe(false);
  now += HOUR_MS;
  expect(clock.adopt(httpDate(NOW + HOUR_MS))).toBe(true);
  expect(clock.now()).toBe(now);
});

test.each([null, '', 'yesterday', 'Thu, 99 Foo 2026'])('keeps its time if the Date is %j', (date) => {
  const clock = create();
  clock.observe(date);
  expect([clock.adopt(date), clock.now(), warnings]).toEqual([false, NOW, []]);
});

test('warns once until the clock has been right', () => {
  const clock = create();
  for (const behind of [59_000, HOUR_MS, HOUR_MS, 0, HOUR_MS]) clock.observe(httpDate(NOW - behind));
  expect(warnings).toEqual(Array(2).fill("This machine's clock is 3600 s ahead of the server's. Set it."));
});

test('a report is sent by the clock that it was written by, until it is settled', () => {
  let uptime = 1_000;
  const clock = createSendClock(
    () => now,
    () => uptime,
  );
  clock.recorded(['a'], clock.now());
  [now, uptime] = [NOW + 1000 * HOUR_MS, 1_000 + HOUR_MS];
  expect(clock.sentAt('a')).toBe(NOW + HOUR_MS);
  clock.settled('a');
  expect([clock.sentAt('a'), clock.sentAt('of an earlier run')]).toEqual([now, now]);
});
