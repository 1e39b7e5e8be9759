import { randomBase62, type Sign, sameText } from '../shared/crypto.ts';

const ID_LENGTH = 22;

export type Devices = ReturnType<typeof createDevices>;

/**
 * Recognizes browsers that have signed in to an account before, by a signed cookie, so that wrong passwords from
 * elsewhere don't slow down the owner. Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
export function createDevices(sign: Sign) {
  const signatureOf = (id: string, email: string) => sign(`${id} ${email}`);
  return {
    /** Creates the cookie's value for a browser that signed in to this account. */
    issue(email: string): string {
      const id = randomBase62(ID_LENGTH);
      return `${id}.${signatureOf(id, email)}`;
    },

    /** @returns the id of the browser if it has signed in to this account before */
    recognize(cookie: string | undefined, email: string): string | undefined {
      const [id = '', signature = ''] = cookie?.split('.') ?? [];
      return id.length === ID_LENGTH && sameText(signature, signatureOf(id, email)) ? id : undefined;
    },
  };
}
