import fc from 'fast-check';
import { times } from '../../../../test/kit/length';
import { provenOrder, readDay } from './read-day';
import { provenMark, readNumber, writeNumber } from './read-number';

describe('a number', () => {
  test.each([
    ['1234', 1234],
    ['1234.5', 1234.5],
    ['1,234.50', 1234.5],
    ['1.234,50', 1234.5],
    ['22,90', 22.9],
    ['1 234,5', 1234.5],
    ['1\u00A0234,5', 1234.5],
    ['1\u202F234\u202F567', 1_234_567],
    ["1'234.5", 1234.5],
    ['1’234', 1234],
    ['1,234,567', 1_234_567],
    ['1.234.567', 1_234_567],
    ['1 234.567', 1234.567],
    ['1,234.567', 1234.567],
    ['0,123', 0.123],
    ['0.500', 0.5],
    ['1.2340', 1.234],
    ['1234,567', 1234.567],
    ['.5', 0.5],
    [' 7 ', 7],
    ['-22,90', -22.9],
    ['\u22121,234.5', -1234.5],
  ])('%s is read', (text, value) => {
    expect([readNumber(text), readNumber(text, '.'), readNumber(text, ',')]).toEqual([value, value, value]);
  });

  test.each(['1,234', '1.234', '12,500', '999.000', '-1,234'])('%s depends on the decimal mark', (text) => {
    expect(readNumber(text)).toBe('unclear');
    expect([readNumber(text, '.'), readNumber(text, ',')].sort()).toEqual(
      [text.replace(/[.,]/, ''), text.replace(/[.,]/, '.')].map(Number).sort(),
    );
  });

  test.each(['', ' ', 'two', '1,2,3.4', '1,23,456.5', '12,34,567', '1.23.456', '1,234,5', '1 23', '12e3', '1,234 567'])(
    '“%s” is refused',
    (text) => {
      expect([readNumber(text), readNumber(text, '.'), readNumber(text, ',')]).toEqual(Array(3).fill(undefined));
    },
  );

  test('proves its decimal mark only if it can be read in one way', () => {
    expect(['22,90', '1.5', '1.234.567', '0,123', '1,234.5'].map(provenMark)).toEqual([',', '.', ',', ',', '.']);
    expect(['12', '1,234', '1 234', 'x', ''].map(provenMark)).toEqual(Array(5).fill(undefined));
  });

  test('is written so that it is read without a question', () => {
    expect([writeNumber('1.234', '.'), writeNumber('1.234', ','), writeNumber('1.23', ',')]).toEqual([
      '1.2340',
      '1,2340',
      '1,23',
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), fc.constantFrom('.', ','), (thousandths, mark) => {
        expect(readNumber(writeNumber(String(thousandths / 1000), mark))).toBe(thousandths / 1000);
      }),
      { numRuns: times(1_000, 100_000) },
    );
  });
});

describe('a day', () => {
  test.each([
    ['2026-11-30', '2026-11-30'],
    ['2026/1/5', '2026-01-05'],
    ['30.11.2026', '2026-11-30'],
    ['5.1.26', '2026-01-05'],
    ['12/25/2026', '2026-12-25'],
    ['25/12/2026', '2026-12-25'],
    ['25-12-26', '2026-12-25'],
    ['05/05/2026', '2026-05-05'],
    ['2026-03-12 09:14:02 +0000', '2026-03-12'],
  ])('%s is read', (text, day) => expect(readDay(text)).toBe(day));

  test('depends on the order of day and month', () => {
    expect([readDay('05/12/2026'), readDay('05/12/2026', 'dayFirst'), readDay('05/12/2026', 'monthFirst')]).toEqual([
      'unclear',
      '2026-12-05',
      '2026-05-12',
    ]);
    expect(['25/12/2026', '12/25/2026', '05/12/2026', '2026-12-05'].map(provenOrder)).toEqual([
      'dayFirst',
      'monthFirst',
      undefined,
      undefined,
    ]);
  });

  test.each(['31.11.2026', '13/13/2026', 'tomorrow', '', '2026-02-30', '1/2'])('“%s” is refused', (text) => {
    expect(readDay(text)).toBeUndefined();
  });
});
