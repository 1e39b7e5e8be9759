export const LEAD_STATES = ['new', 'answered', 'archived'] as const;
export type LeadState = (typeof LEAD_STATES)[number];

/** What somebody outside asked for. Every text is as it was typed; empty where nothing was. */
export interface LeadText {
  description: string;
  contact: string;
  client_email: string;
  budget: string;
  deadline: string;
}

export interface LeadFile {
  name: string;
  /** what it is by its content: `stl`, `pdf` */
  kind: string;
  bytes: number;
}

export interface Lead extends LeadText {
  id: string;
  state: LeadState;
  file: LeadFile | null;
  /** the order it was turned into, while there is one */
  order_id: string | null;
  created_at: string;
  updated_at: string;
}

/** Characters of each text, and bytes of all together. */
export const MAX_TEXT = { description: 12_000, contact: 300, client_email: 254, budget: 200, deadline: 200 } as const;
export const MAX_TEXT_BYTES = 16_000;

export const MAX_FILE_BYTES = 20_000_000;
/** All files of an account together: what is kept in the database is copied with every backup. */
export const MAX_ACCOUNT_BYTES = 500_000_000;

const HOUR_MS = 60 * 60 * 1000;

/** What is taken from one address, and for one account. */
export const PER_CLIENT = { most: 5, withinMs: HOUR_MS } as const;
export const PER_ACCOUNT = { most: 50, withinMs: 24 * HOUR_MS } as const;

export const LEAD_SORTS = ['-created_at', 'created_at'] as const;
export type LeadSort = (typeof LEAD_SORTS)[number];
