import { createHash } from 'node:crypto';
import { toIso } from '../../backend/src/shared/clock.ts';

export type Outcome = 'finished' | 'failed' | 'cancelled';

/** The body of `POST /agent/v1/reports`: one print that ended. */
export interface Report {
  /** the printer software's own name of this print: the same print has the same, however often it is seen */
  event_id: string;
  printer_id?: string;
  filename: string;
  /** ISO 8601, UTC */
  at: string;
  outcome: Outcome;
  /** at most 3 decimals */
  grams?: number;
  reason?: string;
}

/** What a watcher knows of a print that ended. */
export interface Ended {
  /** unique among the prints of this printer, forever */
  key: string;
  filename: string;
  /** milliseconds since 1970 */
  at: number;
  outcome: Outcome;
  grams?: number | undefined;
  reason?: string | undefined;
}

const LONGEST = 500;
const MAX_GRAMS = 1_000_000;

/** Cut to what the door takes: NUL and half a surrogate pair cannot be stored. */
const clip = (text: string): string => text.replaceAll('\0', '').slice(0, LONGEST).toWellFormed();

/** Short, and the same for the same text: file names may be longer than an `event_id`. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** @param prefix what sets this printer's prints apart from those of all others */
export function toReport(prefix: string, printerId: string | undefined, ended: Ended): Report {
  const grams = ended.grams === undefined ? undefined : Math.round(ended.grams * 1000) / 1000;
  return {
    event_id: `${prefix}:${ended.key}`,
    ...(printerId === undefined ? {} : { printer_id: printerId }),
    filename: clip(ended.filename) || 'unknown',
    at: toIso(Math.round(ended.at)),
    outcome: ended.outcome,
    ...(grams !== undefined && grams > 0 && grams <= MAX_GRAMS ? { grams } : {}),
    ...(ended.reason ? { reason: clip(ended.reason) } : {}),
  };
}

/** What is left of a print whose end nobody saw. */
export interface LastSeen {
  /** when it was last seen under way, milliseconds */
  seenAt: number;
  /** how long it then had to go, milliseconds; undefined: not told */
  leftMs: number | undefined;
}

/**
 * The software keeps no record and the end was not seen: a print whose time was up is taken to have finished. Both answers
 * say in the reason that they are inferred.
 */
export function inferOutcome({ seenAt, leftMs }: LastSeen, now: number): { outcome: Outcome; reason: string } {
  return leftMs !== undefined && now >= seenAt + leftMs
    ? { outcome: 'finished', reason: 'inferred: ended while the agent was disconnected, after its estimated time' }
    : { outcome: 'failed', reason: 'inferred: ended while the agent was disconnected, before its estimated time' };
}
