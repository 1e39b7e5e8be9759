import { createToken, isWellFormedToken } from '../shared/crypto.ts';

/** Whoever a request speaks for: the account, and the token it came with. */
export interface Actor {
  accountId: string;
  accountName: string;
  email: string;
  tokenId: string;
  tokenName: string;
  /** milliseconds, null: never */
  tokenExpiresAt: number | null;
}

/** Whose records a change touches, and the name it stands under in histories and ledgers. */
export type Author = Pick<Actor, 'accountId' | 'tokenName'>;

export const createAccessToken = (): string => createToken('pat');

/** Offline check of form and checksum: what fails it is refused without a look-up. */
export const isAccessToken = (text: string): boolean => isWellFormedToken('pat', text);
