import { createToken, isWellFormedToken } from '../shared/crypto.ts';

/** The authenticated caller: the account and its token. */
export interface Actor {
  accountId: string;
  accountName: string;
  email: string;
  tokenId: string;
  tokenName: string;
  /** ms; null: never */
  tokenExpiresAt: number | null;
  /** ms; when the password was last entered in this session; undefined for tokens */
  passwordCheckedAt?: number;
}

/** The account of a change, and the author's name in histories and ledgers. */
export type Author = Pick<Actor, 'accountId' | 'tokenName'>;

export const createAccessToken = (): string => createToken('pat');

/** Checks format and checksum without a database query. */
export const isAccessToken = (text: string): boolean => isWellFormedToken('pat', text);
