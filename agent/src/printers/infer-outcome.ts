import type { PrintOutcome } from '../report.ts';

/** The last observation of a print whose end the printer has not told. */
export interface LastSeen {
  /** when it was last seen printing, ms */
  seenAt: number;
  percent: number;
  /** remaining time at that moment, ms; undefined if unknown */
  leftMs: number | undefined;
}

/** Why the outcome is not known. */
export type Unsaid = 'disconnected' | 'idle' | 'replaced';

const REASONS: Record<Exclude<Unsaid, 'disconnected'>, string> = {
  idle: 'the printer went idle without saying how the print ended',
  replaced: 'the printer moved on to another print without saying how the print ended',
};

const ALMOST_DONE_PERCENT = 99;
const CALCULATED_PERCENT = 10;
const ALMOST_DONE_MS = 5 * 60_000;

/** Printers also show that no time is left before they have calculated it. */
const isLeftKnown = ({ leftMs, percent }: LastSeen) =>
  leftMs !== undefined && (leftMs > 0 || percent >= CALCULATED_PERCENT);

/** How far the print was: its estimated time has passed, it was almost done, or neither. */
function progressOf(last: LastSeen, now: number): 'past its time' | 'almost done' | 'unfinished' {
  const leftMs = isLeftKnown(last) ? last.seenAt + (last.leftMs ?? 0) - now : undefined;
  if (leftMs !== undefined && leftMs <= 0) return 'past its time';
  const isAlmostDone = last.percent >= ALMOST_DONE_PERCENT && (leftMs ?? 0) <= ALMOST_DONE_MS;
  return last.percent >= 100 || isAlmostDone ? 'almost done' : 'unfinished';
}

const WHEN = {
  'past its time': 'after its estimated time',
  'almost done': 'when it was almost done',
  unfinished: 'before its estimated time',
};

/**
 * Infers the outcome of a print that ended without a word from its progress and its remaining time: finished if it was
 * done or almost done, otherwise failed. The reason says that it is inferred, and from what.
 */
export function inferOutcome(last: LastSeen, now: number, why: Unsaid): { outcome: PrintOutcome; reason: string } {
  const progress = progressOf(last, now);
  const outcome = progress === 'unfinished' ? 'failed' : 'finished';
  if (why === 'disconnected') {
    return { outcome, reason: `inferred: ended while the agent was disconnected, ${WHEN[progress]}` };
  }
  return { outcome, reason: `inferred: ${REASONS[why]} (last seen at ${Math.round(last.percent)} %)` };
}
