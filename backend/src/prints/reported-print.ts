import type { Outcome, Source } from './report.ts';

/** What every report of a print says, whatever its format. */
interface EndedPrint {
  filename: string;
  outcome: Outcome;
  grams?: number | undefined;
  /** what was received instead of grams, if it can't be read as a plausible number */
  gramsText?: string | undefined;
  reason?: string | undefined;
}

/** A print reported with an id of its own, in our own format. */
export interface IdentifiedPrint extends EndedPrint {
  source: 'report';
  eventId: string;
  /** needed if the agent has several printers */
  printerId: string | undefined;
  /** by the sender's clock, in milliseconds; default now */
  at?: number | undefined;
  /** when it was sent, by the same clock */
  sentAt?: number | undefined;
  orderId?: string | undefined;
  filamentId?: string | undefined;
}

/** A print reported by printer software that gives its messages no id. */
export interface UnidentifiedPrint extends EndedPrint {
  source: Exclude<Source, 'report'>;
  /** id, name or label of the printer; needed if the agent has several */
  printer?: string | undefined;
  /** distinguishes the file from others of the printer, such as its path; empty if the message names none */
  file: string;
  /** a failure without a reason, which may be a cancelled print */
  mayBeCancelled: boolean;
  /** how long it was printed */
  seconds: number | undefined;
}

export type ReportedPrint = IdentifiedPrint | UnidentifiedPrint;
