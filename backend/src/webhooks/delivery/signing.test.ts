import { createHmac, timingSafeEqual } from 'node:crypto';
import fc from 'fast-check';
import { CODE_POINT } from '../../../../test/kit/code-point.ts';
import { sign } from '../formats/signed.ts';
import { createSecret } from '../subscriptions/subscription.ts';

describe('sign', () => {
  test("matches GitHub's published test vector", () => {
    expect(sign("It's a Secret to Everybody", 'Hello, World!')).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  test('signs the UTF-8 bytes of any Unicode text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: CODE_POINT, maxLength: 300 }),
        fc.string({ unit: CODE_POINT, minLength: 1 }),
        (body, secret) => {
          const bytes = Buffer.from(body, 'utf8');
          const theirs = Buffer.from(
            `sha256=${createHmac('sha256', Buffer.from(secret, 'utf8')).update(bytes).digest('hex')}`,
          );
          expect(timingSafeEqual(theirs, Buffer.from(sign(secret, body)))).toBe(true);
          expect(sign(secret, bytes)).toBe(sign(secret, body));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('a different byte or secret gives a different signature', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', minLength: 1 }), (body, more) => {
        expect(sign('secret', body + more)).not.toBe(sign('secret', body));
        expect(sign(`secret${more}`, body)).not.toBe(sign('secret', body));
      }),
    );
  });
});

test('a secret has a prefix, 256 bits, and is never repeated', () => {
  const secrets = new Set(Array.from({ length: 1_000 }, createSecret));
  expect(secrets.size).toBe(1_000);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [, encoded = ''] = secret.split('_');
    expect(Buffer.from(encoded, 'base64')).toHaveLength(32);
    expect(Buffer.from(encoded, 'base64').toString('base64')).toBe(encoded);
  }
});
