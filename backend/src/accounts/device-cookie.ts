import { type Clock, DAY_MS } from '../../../common/src/clock.ts';
import { randomBase62, type Sign, sameText } from '../../../common/src/crypto.ts';

const ID_LENGTH = 22;

/** How long a browser is recognized without signing in again. */
export const DEVICE_LIFETIME_MS = 400 * DAY_MS;

export type Devices = ReturnType<typeof createDevices>;

/**
 * Recognizes browsers that have signed in to an account before, by a signed cookie, so that wrong passwords from
 * elsewhere don't slow down the owner. The signature covers the hash of the password, so a new password ends all
 * cookies. Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export function createDevices({ sign, clock }: { sign: Sign; clock: Clock }) {
  const signatureOf = (id: string, issuedAt: string, { accountId, hash }: DeviceOwner) =>
    sign([id, issuedAt, accountId, hash].join(' '));
  return {
    /** Creates the cookie's value for a browser that signed in to this account. */
    issue(owner: DeviceOwner): string {
      const id = randomBase62(ID_LENGTH);
      const issuedAt = clock().toString(36);
      return `${id}.${issuedAt}.${signatureOf(id, issuedAt, owner)}`;
    },

    /** @returns the id of the browser if it has signed in to this account with its current password */
    recognize(cookie: string | undefined, owner: DeviceOwner): string | undefined {
      const [id = '', issuedAt = '', signature = ''] = cookie?.split('.') ?? [];
      const isGenuine = id.length === ID_LENGTH && sameText(signature, signatureOf(id, issuedAt, owner));
      return isGenuine && Number.parseInt(issuedAt, 36) > clock() - DEVICE_LIFETIME_MS ? id : undefined;
    },
  };
}

interface DeviceOwner {
  accountId: string;
  /** of the account's current password */
  hash: string;
}
