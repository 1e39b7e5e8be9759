import { built } from '../../kit/n8n/rig.ts';
import { createRandom, seedFrom } from '../../kit/random.ts';

interface Zoned {
  toISO(): string | null;
  toMillis(): number;
  toFormat(format: string): string;
  isValid: boolean;
}
// n8n's own luxon, whose dates expressions return
const { DateTime } = require(require.resolve('luxon', { paths: [require.resolve('n8n-workflow')] })) as {
  DateTime: {
    fromISO(text: string, options?: { zone: string }): Zoned;
    fromMillis(ms: number, options?: { zone: string }): Zoned;
  };
};

const { toDay, toTimestamp } = built<{
  toDay(value: unknown): string | undefined;
  toTimestamp(value: unknown, timeZone: string): string | undefined;
}>('nodes/Farmboard/shared/time');

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';
const KOLKATA = 'Asia/Kolkata';

/** What the clocks of a zone show at a time. */
const shownIn = (zone: string, timestamp: string | undefined): string =>
  DateTime.fromMillis(Date.parse(timestamp as string), { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ss");

describe('toTimestamp', () => {
  test.each([
    ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:00.123456Z', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21T09:30:00+01:00', '2026-11-21T08:30:00.000Z'],
    ['2026-11-21T23:30:00-05:30', '2026-11-22T05:00:00.000Z'],
    ['  2026-11-21T09:30:00Z\n', '2026-11-21T09:30:00.000Z'],
  ])('keeps a time with a zone: %p', (given, expected) => {
    for (const zone of ['UTC', BERLIN, KOLKATA, NEW_YORK]) expect(toTimestamp(given, zone)).toBe(expected);
  });

  test.each([
    ['UTC', '2026-11-21T09:30:00', '2026-11-21T09:30:00.000Z'],
    [BERLIN, '2026-11-21T09:30:00', '2026-11-21T08:30:00.000Z'],
    [BERLIN, '2026-07-21T09:30:00', '2026-07-21T07:30:00.000Z'],
    [KOLKATA, '2026-11-21T09:30:00', '2026-11-21T04:00:00.000Z'],
    [KOLKATA, '2026-11-21T03:30', '2026-11-20T22:00:00.000Z'],
    [NEW_YORK, '2026-07-21T21:30:00.5', '2026-07-22T01:30:00.500Z'],
    [BERLIN, '2026-11-21 09:30:15', '2026-11-21T08:30:15.000Z'],
    [BERLIN, '2026-11-21', '2026-11-20T23:00:00.000Z'],
    [KOLKATA, '2026-11-21', '2026-11-20T18:30:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-21', '2026-11-20T10:00:00.000Z'],
    ['America/St_Johns', '2026-01-01T00:00', '2026-01-01T03:30:00.000Z'],
  ])('reads a time without a zone in the workflow’s zone: %s %s', (zone, given, expected) => {
    expect(toTimestamp(given, zone)).toBe(expected);
  });

  test.each([
    ['the last moment of winter', BERLIN, '2026-03-29T01:59:59', '2026-03-29T00:59:59.000Z'],
    ['the first of summer', BERLIN, '2026-03-29T03:00:00', '2026-03-29T01:00:00.000Z'],
    ['the last that summer has alone', BERLIN, '2026-10-25T01:59:59', '2026-10-24T23:59:59.000Z'],
    ['the first that winter has alone', BERLIN, '2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z'],
    ['the last moment of winter', NEW_YORK, '2026-03-08T01:59:59', '2026-03-08T06:59:59.000Z'],
    ['the first of summer', NEW_YORK, '2026-03-08T03:00:00', '2026-03-08T07:00:00.000Z'],
    ['the last that summer has alone', NEW_YORK, '2026-11-01T00:59:59', '2026-11-01T04:59:59.000Z'],
    ['the first that winter has alone', NEW_YORK, '2026-11-01T02:00:00', '2026-11-01T07:00:00.000Z'],
  ])('handles times near a clock change: %s, %s %s', (_what, zone, given, expected) => {
    expect(toTimestamp(given, zone)).toBe(expected);
    expect(shownIn(zone, expected)).toBe(given);
  });

  test.each([
    [BERLIN, '2026-10-25T02:30:00'],
    [NEW_YORK, '2026-11-01T01:30:00'],
  ])('picks one of a repeated hour: %s %s', (zone, given) => {
    expect(shownIn(zone, toTimestamp(given, zone))).toBe(given);
  });

  test.each([
    [BERLIN, '2026-03-29T02:30:00', '2026-03-29T03:30:00'],
    [NEW_YORK, '2026-03-08T02:30:00', '2026-03-08T03:30:00'],
  ])('moves a skipped hour to the next one: %s %s', (zone, given, shown) => {
    expect(shownIn(zone, toTimestamp(given, zone))).toBe(shown);
  });

  test('round-trips times of any zone', () => {
    const seed = seedFrom('TIME_SEED');
    const random = createRandom(seed);
    const zones = Intl.supportedValuesOf('timeZone');
    const first = Date.UTC(1990, 0, 1);
    const last = Date.UTC(2037, 0, 1);
    const wrong: string[] = [];
    for (let i = 0; i < 1500; i++) {
      const zone = random.pick(zones);
      const moment = Math.round((first + random.next() * (last - first)) / 1000) * 1000;
      const given = shownIn(zone, new Date(moment).toISOString());
      const shown = shownIn(zone, toTimestamp(given, zone));
      if (shown !== given) wrong.push(`TIME_SEED=${seed}: ${given} in ${zone} became ${shown}`);
    }
    expect(wrong).toEqual([]);
  });

  test('accepts dates of n8n and JavaScript', () => {
    const moment = Date.UTC(2026, 10, 21, 9, 30);
    const expected = '2026-11-21T09:30:00.000Z';
    expect(toTimestamp(moment, BERLIN)).toBe(expected);
    expect(toTimestamp(new Date(moment), BERLIN)).toBe(expected);
    expect(toTimestamp(DateTime.fromMillis(moment, { zone: KOLKATA }), BERLIN)).toBe(expected);
  });

  test.each([
    [''],
    ['  '],
    ['tomorrow'],
    ['2026-13-01T00:00:00Z'],
    ['2026-11-21T25:00'],
    ['2026-11-21T09:30:00 Europe/Berlin'],
    // day and month are ambiguous
    ['11/12/2026'],
    ['5'],
    [undefined],
    [null],
    [true],
    [{}],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1e20],
    [new Date(Number.NaN)],
    [DateTime.fromISO('no time')],
  ])('refuses %p', (value) => {
    expect(toTimestamp(value, BERLIN)).toBeUndefined();
  });
});

describe('toDay', () => {
  test.each([
    ['2026-12-01', '2026-12-01'],
    [' 2026-12-01 ', '2026-12-01'],
    ['2026-12-01T00:00:00', '2026-12-01'],
    ['2026-12-01 17:00', '2026-12-01'],
    // as written, in the author's time zone
    ['2026-12-01T23:59:59-11:00', '2026-12-01'],
    ['2026-12-01T00:30:00+05:30', '2026-12-01'],
    [new Date('2026-12-01T12:00:00Z'), '2026-12-01'],
    [DateTime.fromISO('2026-12-01T00:30:00', { zone: KOLKATA }), '2026-12-01'],
  ])('reads the day of %p', (given, expected) => {
    expect(toDay(given)).toBe(expected);
  });

  test.each([
    [''],
    ['01.12.2026'],
    ['2026-12'],
    ['2026-12-011'],
    ['20261201'],
    [undefined],
    [null],
    [1_795_000_000_000],
  ])('refuses %p', (value) => {
    expect(toDay(value)).toBeUndefined();
  });

  test.each([[new Date(Number.NaN)], [DateTime.fromISO('no time')]])('refuses %p', (value) => {
    expect(toDay(value)).toBeUndefined();
  });
});
