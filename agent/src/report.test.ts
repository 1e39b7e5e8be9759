import { toReport } from './report.ts';

const NOW = Date.UTC(2026, 10, 28, 12);
const endOf = (at: number) =>
  toReport('p', undefined, { key: 'k', filename: 'a.gcode', at, outcome: 'finished' }, NOW).at;

test.each([NOW + 600_000, 8.64e15, Number.POSITIVE_INFINITY, Number.NaN, 0, -1e15])(
  'a print that ended at %d by its printer’s clock ended when it was seen to',
  (at) => expect(endOf(at)).toBe('2026-11-28T12:00:00.000Z'),
);

test('a print that ended earlier did so when its printer says', () =>
  expect(endOf(NOW - 1_000.4)).toBe('2026-11-28T11:59:59.000Z'));
