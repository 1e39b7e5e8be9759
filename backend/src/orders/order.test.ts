import fc from 'fast-check';
import { CODE_POINT } from '../../../test/kit/code-point.ts';
import { times } from '../../../test/kit/length.ts';
import { toHeaderValue } from '../http/header.ts';
import { describeReceived } from './order.ts';

const anyString = fc.oneof(
  fc.string({ unit: CODE_POINT }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
  fc.array(fc.integer({ min: 0xd800, max: 0xdfff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
);

describe('a header value', () => {
  test('is printable ASCII of at most 64 characters for any string', () => {
    fc.assert(
      fc.property(anyString, (text) => /^[\x21-\x7e]{0,64}$/.test(toHeaderValue(text))),
      { numRuns: times(2_000, 20_000) },
    );
  });

  test('is the beginning of the received text when decoded', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        const told = decodeURIComponent(toHeaderValue(text));
        expect(text.toWellFormed().startsWith(told) || text.slice(0, 64).toWellFormed().startsWith(told)).toBe(true);
        // nothing is cut that would have fitted
        if (encodeURIComponent(text.toWellFormed()).length <= 64) expect(told).toBe(text.toWellFormed());
      }),
      { numRuns: times(2_000, 20_000) },
    );
  });

  test.each([
    ['готово', '%D0%B3%D0%BE%D1%82%D0%BE%D0%B2%D0%BE'],
    ['Done', 'Done'],
    [' done', '%20done'],
    ['a\r\nSet-Cookie: x=1', 'a%0D%0ASet-Cookie%3A%20x%3D1'],
    ['\0', '%00'],
    ['\ud800', '%EF%BF%BD'],
    ['x'.repeat(100), 'x'.repeat(64)],
    // 12 characters each: the sixth doesn't fit and is left out as a whole
    ['🙂'.repeat(9), '%F0%9F%99%82'.repeat(5)],
    // five of these and 5 letters are 65 characters, so the last letter is cut
    [`${'🙂'.repeat(5)}abcde`, `${'%F0%9F%99%82'.repeat(5)}abcd`],
  ])('%j', (text, value) => {
    expect(toHeaderValue(text)).toBe(value);
  });
});

test.each([
  ['Done', 'Done'],
  ['', '""'],
  [' ', ' '],
  [null, 'null'],
  [7, '7'],
  [true, 'true'],
  [['done'], '["done"]'],
  [{ done: 1 }, '{"done":1}'],
])('the received value %j is described as %j', (value, words) => {
  expect(describeReceived(value)).toBe(words);
});
