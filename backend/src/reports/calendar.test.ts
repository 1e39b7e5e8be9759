import { isTimeZone, lastDays } from './calendar.ts';

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const show = (...args: Parameters<typeof lastDays>) =>
  lastDays(...args).map(({ day, since, until }) => `${day} ${iso(since)} ${iso(until)}`);

test('in UTC every day has 24 hours', () => {
  expect(show('UTC', 2, Date.parse('2026-11-21T23:59:59.999Z'))).toEqual([
    '2026-11-20 2026-11-20T00:00 2026-11-21T00:00',
    '2026-11-21 2026-11-21T00:00 2026-11-22T00:00',
  ]);
});

test('today is the local date in the time zone', () => {
  expect(show('Asia/Tokyo', 1, Date.parse('2026-11-21T15:00:00Z'))).toEqual([
    '2026-11-22 2026-11-21T15:00 2026-11-22T15:00',
  ]);
  expect(show('America/New_York', 1, Date.parse('2026-11-21T04:59:59Z'))).toEqual([
    '2026-11-20 2026-11-20T05:00 2026-11-21T05:00',
  ]);
});

test('days with a daylight saving change are shorter or longer', () => {
  expect(show('Europe/Berlin', 2, Date.parse('2026-10-25T12:00:00Z'))).toEqual([
    '2026-10-24 2026-10-23T22:00 2026-10-24T22:00',
    '2026-10-25 2026-10-24T22:00 2026-10-25T23:00',
  ]);
  expect(show('Europe/Berlin', 1, Date.parse('2026-03-29T12:00:00Z'))).toEqual([
    '2026-03-29 2026-03-28T23:00 2026-03-29T22:00',
  ]);
});

test('a day starts when its midnight is skipped, or at the first of two midnights', () => {
  expect(show('America/Sao_Paulo', 1, Date.parse('2018-11-04T12:00:00Z'))).toEqual([
    '2018-11-04 2018-11-04T03:00 2018-11-05T02:00',
  ]);
  expect(show('America/Havana', 1, Date.parse('2026-11-01T12:00:00Z'))).toEqual([
    '2026-11-01 2026-11-01T04:00 2026-11-02T05:00',
  ]);
});

test.each(['UTC', 'Europe/Moscow', 'Asia/Kathmandu', 'Pacific/Chatham', 'America/St_Johns', 'Africa/Cairo'])(
  'a year of days has no hole and no overlap: %s',
  (zone) => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    const days = lastDays(zone, 366, now);
    for (const [index, { since, until }] of days.entries()) {
      expect(until - since).toBeGreaterThanOrEqual(23 * 3_600_000);
      expect(until - since).toBeLessThanOrEqual(25 * 3_600_000);
      if (index > 0) expect(since).toBe(days[index - 1]?.until);
    }
    expect(days.at(-1)?.since).toBeLessThanOrEqual(now);
    expect(days.at(-1)?.until).toBeGreaterThan(now);
  },
);

test('only known time zone names are accepted', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', '', 'a b'].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
