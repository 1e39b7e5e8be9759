import { readGrams, readSeconds } from './quantities.ts';

test.each([
  ['45.5', 45.5],
  ['12.3456', 12.3456],
  ['45.123', 45.123],
  ['45,5', 45.5],
  ['0,455', 0.455],
  ['1234,567', 1234.567],
  ['.5', 0.5],
  [',5', 0.5],
  ['12 g', 12],
  ['12g', 12],
  ['12 g.', 12],
  ['1,234.5', 1234.5],
  ['1.234,5', 1234.5],
  ['12,345.678', 12_345.678],
  ['1 234,5', 1234.5],
  ['1\u00a0234,5', 1234.5],
  ['1\u2009234.5', 1234.5],
  ['1\u202f234,567 г', 1234.567],
  ["1'234.5", 1234.5],
  ['45.5 grams', 45.5],
  ['45,5 гр', 45.5],
  ['45,5 гр.', 45.5],
  ['12 Gramm', 12],
  ['0.0455 kg', 45.5],
  ['1,5 кг', 1500],
  ['4500 mg', 4.5],
  ['~45', 45],
  ['≈ 45 g', 45],
  ['ca. 45', 45],
  ['45.5 g (15.2 m)', 45.5],
  ['1e-05', 0.00001],
  ['999999', 999_999],
])('reads %j as %d grams', (text, grams) => {
  expect(readGrams(text)).toEqual({ grams: expect.closeTo(grams, 9) });
});

test.each([
  '1,234',
  '12,345',
  '-,-',
  'abc',
  '45.5 m',
  '12; 4',
  '12 + 4',
  '1 23',
  '1,23,456',
  '1.2.3',
  '{x}',
  'None',
  '½',
])('does not guess the grams of %j', (text) => {
  expect(readGrams(text)).toEqual({ fault: 'unreadable_grams' });
});

test.each([
  '0x10',
  '0b11',
  '1e5',
  '1e3',
  '-5',
  '−5 g',
  '-0.5',
  'NaN',
  'Infinity',
  '1e999',
  '1000001',
  '1,234,567',
  '5000 kg',
])('takes %j for implausible grams', (text) => {
  expect(readGrams(text)).toEqual({ fault: 'implausible_grams' });
});

test.each([
  [3600, 3600],
  [61.25, 61.25],
  ['3600', 3600],
  ['3600.25', 3600.25],
  ['3600,5', 3600.5],
  ['3600 s', 3600],
  ['90 min', 5400],
  ['1.5 h', 5400],
  ['1h 20m', 4800],
  ['1h20m5.5s', 4805.5],
  ['1 hour, 20 minutes', 4800],
  ['1 ч 20 мин', 4800],
  ['01:20:30', 4830],
  ['1:20:30,5', 4830.5],
  ['1 day, 1:00:00.500000', 90_000.5],
])('reads %j as %d seconds', (text, seconds) => {
  expect(readSeconds(text)).toBeCloseTo(seconds, 9);
});

test.each([
  null,
  undefined,
  '',
  'abc',
  '20:30',
  '1,234',
  '0x10',
  '1e3',
  '-5',
  -5,
  Number.NaN,
  '5 apples',
  '200 days',
  {},
])('does not guess the seconds of %j', (value) => {
  expect(readSeconds(value)).toBeUndefined();
});
