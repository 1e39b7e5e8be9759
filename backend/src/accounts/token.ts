import { createToken, isWellFormedToken } from '../../../common/src/crypto.ts';
import type { Caller } from '../shared/recent-password.ts';

/** The authenticated caller of a request: the account and its token. */
export interface Actor extends Caller {
  accountId: string;
  accountName: string;
  email: string;
  tokenId: string;
  tokenName: string;
  /** ms; null: never */
  tokenExpiresAt: number | null;
  /** whether the token can only read; undefined for sessions and agents */
  isReadOnly?: boolean;
  /** the trace of the request, as `parseTraceparent` returns it; events are stored with it */
  traceparent?: string;
}

/** The account of a change, the author's name in histories and ledgers, and the trace that its events continue. */
export type Author = Pick<Actor, 'accountId' | 'tokenName' | 'traceparent'>;

export const createAccessToken = (): string => createToken('pat');

/** Checks format and checksum without a database query. */
export const isAccessToken = (text: string): boolean => isWellFormedToken('pat', text);
