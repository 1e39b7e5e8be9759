import { timingSafeEqual } from 'node:crypto';
import { signTimed } from '../../../common/src/crypto.ts';

/**
 * How far a signature's time may differ from the server's clock. It limits how long an intercepted report can be
 * replayed.
 */
const TOLERANCE_S = 300;

const FORM = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/** What is wrong with a signature, as an error message; undefined if it is valid. */
export type SignatureFault = string | undefined;

/**
 * Verifies `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>` against a body. The key is the whole token; the signed text
 * is the time as sent, a dot and the bytes of the body.
 * @param now milliseconds
 */
export function findSignatureFault(header: string, token: string, body: Buffer, now: number): SignatureFault {
  const [, time, sent] = FORM.exec(header) ?? [];
  if (time === undefined || sent === undefined) {
    return 'X-Agent-Signature must be t=<unix seconds>,v1=<64 hexadecimal digits in lower case>.';
  }
  if (!timingSafeEqual(signTimed(token, time, body), Buffer.from(sent, 'hex'))) {
    return 'X-Agent-Signature doesn\'t match the body: sign "<t>." followed by the exact bytes sent, with the whole token as the key.';
  }
  const ahead = Number(time) - now / 1000;
  if (Math.abs(ahead) > TOLERANCE_S) {
    return `The time in X-Agent-Signature is ${Math.round(Math.abs(ahead))} s ${ahead > 0 ? 'ahead of' : 'behind'} this service's clock; at most ${TOLERANCE_S} s are allowed. Set one of the two clocks.`;
  }
  return undefined;
}
