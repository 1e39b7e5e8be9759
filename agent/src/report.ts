import { createHash } from 'node:crypto';
import { toIso } from '../../common/src/clock.ts';
import { roundToThousandths } from '../../common/src/numbers.ts';
import { clip } from './json.ts';

export type PrintOutcome = 'finished' | 'failed' | 'cancelled';

/** The body of `POST /agent/v1/reports`: one print that ended. */
export interface Report {
  /** the print's identity in the printer software, the same however often the print is seen */
  event_id: string;
  printer_id?: string;
  filename: string;
  /** ISO 8601, UTC */
  at: string;
  outcome: PrintOutcome;
  /** at most 3 decimals */
  grams?: number;
  reason?: string;
}

/** A print that ended, as seen by a watcher. */
export interface EndedPrint {
  /** unique among all prints of this printer */
  key: string;
  filename: string;
  /** ms since 1970 */
  at: number;
  outcome: PrintOutcome;
  grams?: number | undefined;
  reason?: string | undefined;
}

const MAX_TEXT_LENGTH = 500;
const MAX_GRAMS = 1_000_000;
/** Of a print's key; with the prefix it must fit into an `event_id`, which has at most 200 characters. */
const MAX_KEY_LENGTH = 150;

/** Truncates text to the API's limit and removes NUL and lone surrogates, which cannot be stored. */
const toText = (text: string): string => clip(text.replaceAll('\0', ''), MAX_TEXT_LENGTH)?.toWellFormed() ?? '';

/** A short digest, because file names may be longer than an `event_id`. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** A print seen to have ended can't end later; a printer whose clock is ahead, or has no time at all, says so. */
const endOf = (at: number, now: number): number => (at > 0 ? Math.min(Math.round(at), now) : now);

/**
 * Builds the report of a print.
 * @param prefix distinguishes this printer's prints from those of all others
 * @param now when it was seen to have ended, ms
 */
export function toReport(prefix: string, printerId: string | undefined, ended: EndedPrint, now: number): Report {
  const key = ended.key.length > MAX_KEY_LENGTH ? digestOf(ended.key) : ended.key;
  const grams = ended.grams === undefined ? undefined : roundToThousandths(ended.grams);
  return {
    event_id: `${prefix}:${key}`,
    ...(printerId === undefined ? {} : { printer_id: printerId }),
    filename: toText(ended.filename) || 'unknown',
    at: toIso(endOf(ended.at, now)),
    outcome: ended.outcome,
    ...(grams !== undefined && grams > 0 && grams <= MAX_GRAMS ? { grams } : {}),
    ...(ended.reason ? { reason: toText(ended.reason) } : {}),
  };
}
