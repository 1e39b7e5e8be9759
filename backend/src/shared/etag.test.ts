import fc from 'fast-check';
import { matchesETag, nextVersion, toETag } from './etag.ts';

describe('an entity tag', () => {
  test('is strong: a quoted number', () => {
    expect(toETag(7)).toBe('"7"');
  });

  test.each([
    ['"7"', true],
    ['*', true],
    ['"6", "7"', true],
    ['"6","7","8"', true],
    ['  "7"  ', true],
    ['"6" , *', true],
    ['W/"7"', true],
    ['W/"8"', false],
    ['w/"7"', false],
    ['7', false],
    ["'7'", false],
    ['"77"', false],
    ['"07"', false],
    ['"7', false],
    ['"6", W/"7"', true],
    ['""', false],
    ['', false],
    [',', false],
  ])('%j matches version 7: %p', (header, matches) => {
    expect(matchesETag(header, 7)).toBe(matches);
  });

  test('matches its own version and no other', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (version, other) => {
        expect(matchesETag(toETag(version), version)).toBe(true);
        expect(matchesETag(toETag(version), other)).toBe(version === other);
      }),
    );
  });
});

test('a change of a record is always a new version', () => {
  const stored = { updated_at: '2026-11-21T09:30:00.000Z' };
  const at = Date.parse(stored.updated_at);
  // the clock went on, stood still, or was set back
  for (const [now, version] of [
    [at + 5, at + 5],
    [at, at + 1],
    [at - 5_000, at + 1],
  ] as const)
    expect(nextVersion(stored, toETag(stored.updated_at), 'printer', now)).toBe(version);
  expect(nextVersion(stored, undefined, 'printer', at)).toBe(at + 1);
  expect(() => nextVersion(stored, toETag('2026-11-21T09:29:59.999Z'), 'printer', at)).toThrow(
    'If-Match does not name the current version of the printer; received "2026-11-21T09:29:59.999Z". Read the printer again and send its updated_at in quotes.',
  );
});
