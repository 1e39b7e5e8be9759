import { createToken, isWellFormedToken } from '../../../common/src/crypto.ts';

export const createAgentToken = (): string => createToken('agt');

/** Checks form and checksum, so that a malformed token is refused without a query. */
export const isAgentToken = (text: string): boolean => isWellFormedToken('agt', text);
