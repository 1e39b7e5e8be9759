import { createToken, isWellFormedToken } from '../shared/crypto.ts';

/** A program beside the printers that reports the prints of one printer or of all printers of a group. */
export interface Agent {
  id: string;
  name: string;
  /** null: the agent belongs to a group */
  printer_id: string | null;
  /** null: the agent belongs to a printer */
  printer_group_id: string | null;
  /** the last characters of its token */
  hint: string;
  /** reports without a signature are refused */
  signed_only: boolean;
  created_at: string;
  last_used_at: string | null;
}

export const createAgentToken = (): string => createToken('agt');

/** Checks form and checksum, so that a malformed token is refused without a query. */
export const isAgentToken = (text: string): boolean => isWellFormedToken('agt', text);
