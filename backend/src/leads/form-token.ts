import { randomBytes } from 'node:crypto';
import { type Clock, DAY_MS } from '../../../common/src/clock.ts';
import { type Sign, sameText } from '../../../common/src/crypto.ts';

/** A form sent back faster than this was filled in by a program. */
const MIN_MS = 3_000;
/** A form that was open for longer is shown again with a new token. */
const MAX_MS = DAY_MS;
/** How much the clocks of two servers may differ. */
const SKEW_MS = 60_000;

export type TokenStatus = 'good' | 'too_fast' | 'expired' | 'forged';

export type FormTokens = ReturnType<typeof createFormTokens>;

/**
 * Signed tokens in the public form, with the time of issue and the profile. Any process can tell how long a form was
 * open without storing anything.
 */
export function createFormTokens({ sign, clock }: { sign: Sign; clock: Clock }) {
  const signatureOf = (accountId: string, issued: string, nonce: string) =>
    sign(`form\n${accountId}\n${issued}\n${nonce}`);

  return {
    issue(accountId: string): string {
      const issued = clock().toString(36);
      const nonce = randomBytes(9).toString('base64url');
      return `${issued}.${nonce}.${signatureOf(accountId, issued, nonce)}`;
    },

    check(accountId: string, token: string): TokenStatus {
      const [issued = '', nonce = '', signature = '', ...more] = token.split('.');
      if (more.length > 0 || !/^[0-9a-z]{1,12}$/.test(issued) || !/^[\w-]{12}$/.test(nonce)) return 'forged';
      if (!sameText(signature, signatureOf(accountId, issued, nonce))) return 'forged';
      const age = clock() - Number.parseInt(issued, 36);
      if (age < -SKEW_MS) return 'forged';
      if (age < MIN_MS) return 'too_fast';
      return age > MAX_MS ? 'expired' : 'good';
    },
  };
}
