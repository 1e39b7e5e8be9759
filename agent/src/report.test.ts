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

test('an event_id has at most 200 characters, whatever number a printer gives its print', () => {
  const idOf = (key: string) =>
    toReport('moonraker:0123456789abcdef', undefined, { key, filename: 'a.gcode', at: NOW, outcome: 'finished' }, NOW)
      .event_id;
  expect(idOf('00001A:1790000000000')).toBe('moonraker:0123456789abcdef:00001A:1790000000000');
  const long = ['1', '2'].map((end) => idOf('9'.repeat(5_000) + end));
  expect(long.map(({ length }) => length <= 200)).toEqual([true, true]);
  expect(new Set(long).size).toBe(2);
});
