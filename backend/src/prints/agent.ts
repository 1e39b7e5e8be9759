import { createToken, isWellFormedToken } from '../shared/crypto.ts';

/** A program beside the printers that reports prints: of one printer, or of all printers of one group. */
export interface Agent {
  id: string;
  name: string;
  /** null: it is a group's */
  printer_id: string | null;
  /** null: it is a printer's */
  printer_group_id: string | null;
  /** the last characters of its token */
  hint: string;
  /** a report without a signature is refused */
  signed_only: boolean;
  created_at: string;
  last_used_at: string | null;
}

export const createAgentToken = (): string => createToken('agt');

/** Offline check of form and checksum: what fails it is refused without a look-up. */
export const isAgentToken = (text: string): boolean => isWellFormedToken('agt', text);
