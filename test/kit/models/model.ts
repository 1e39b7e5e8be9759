import type { PrintOutcome } from '../../../agent/src/report.ts';
import type { createRandom } from '../random.ts';

/** What a printer really did, and how much of it the agent could know. */
export interface Truth {
  filename: string;
  /** names it may be reported by if its own did not reach the agent */
  aliases?: string[];
  /** the real outcome first; then what else the messages that reached the agent can mean */
  outcomes: PrintOutcome[];
  /** the messages that reached the agent do not say how it ended */
  mayBeUnsaid: boolean;
  /** nothing that reached the agent says that there was a print of its own */
  mayBeUnknown: boolean;
}

/** What a model is played in: time, and the connection between printer and agent, which may break at any wait. */
export interface World {
  random: ReturnType<typeof createRandom>;
  /** Seconds; the connection may break, come back, or the agent be killed meanwhile. */
  wait(seconds: number): Promise<void>;
  isConnected(): boolean;
  /** The printer's software is started again. */
  reconnect(): Promise<void>;
  /** grows with each connection */
  connections(): number;
  /** ms by the agent's clock */
  now(): number;
  /** how long before the connection breaks a message must have been sent to have certainly arrived, ms; 0 in process */
  lagMs: number;
  /** Calls back just after the connection has broken. */
  onBreak(callback: () => void): void;
}

export interface Model {
  /** oldest first */
  truths: Truth[];
  /** One thing that the printer does, or a person with it. */
  act(): Promise<void>;
  /** Ends what prints, and shows the end until it is known. */
  finish(): Promise<void>;
}

export function shuffle<T>(random: World['random'], list: readonly T[]): T[] {
  const shuffled = [...list];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.between(0, i);
    [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
  }
  return shuffled;
}

const ANY: PrintOutcome[] = ['finished', 'failed', 'cancelled'];

/** The end of a print cannot be known any more. */
export function forget(truth: Truth): void {
  truth.outcomes = ANY;
  truth.mayBeUnsaid = true;
}

/**
 * Keeps account of what the agent has been shown of the prints.
 * @param settleS how long the agent must stay connected to make sure of an end
 */
export function createAccount(world: World, settleS: number) {
  const truths: Truth[] = [];
  /** `seenAt`: when it was shown for the first time, to an agent that knows nothing of it */
  let current: { truth: Truth; seenAt: number | undefined } | undefined;
  let shown: { truth: Truth; seenAt: number | undefined; since: number; connection: number } | undefined;
  let brokenAt = Number.NEGATIVE_INFINITY;

  const isKnown = () =>
    shown !== undefined &&
    world.isConnected() &&
    shown.connection === world.connections() &&
    world.now() - shown.since >= settleS * 1000 + world.lagMs;

  /** Whether what was sent then may have been lost. */
  const mayBeLost = (sentAt: number | undefined): boolean =>
    sentAt === undefined || (brokenAt >= sentAt && brokenAt - sentAt < world.lagMs);

  world.onBreak(() => {
    brokenAt = world.now();
    if (current && mayBeLost(current.seenAt)) {
      current.seenAt = undefined;
      current.truth.mayBeUnknown = true;
    }
    if (shown && mayBeLost(shown.since)) {
      forget(shown.truth);
      shown.truth.mayBeUnknown ||= mayBeLost(shown.seenAt);
    }
  });

  return {
    truths,
    mayBeLost,
    /** A print begins. */
    begin(filename: string): Truth {
      current = {
        truth: { filename, outcomes: ['finished'], mayBeUnsaid: false, mayBeUnknown: true },
        seenAt: undefined,
      };
      truths.push(current.truth);
      return current.truth;
    },
    /** The printer shows the current print. */
    see(): void {
      if (!current || !world.isConnected()) return;
      current.seenAt ??= world.now();
      current.truth.mayBeUnknown = false;
    },
    /** The current print ends, and the printer shows it. */
    end(outcomes: PrintOutcome[]): void {
      if (!current) throw new Error('nothing prints');
      current.truth.outcomes = outcomes;
      shown = { ...current, since: world.now(), connection: world.isConnected() ? world.connections() : -1 };
      current = undefined;
    },
    /** To be called after each wait: an end that is still shown becomes known to who connects. */
    look(): void {
      if (!shown || !world.isConnected()) return;
      if (shown.connection !== world.connections()) {
        shown = { ...shown, since: world.now(), connection: world.connections() };
      }
    },
    /** The printer no longer shows the last end. */
    replace(): void {
      if (shown && !isKnown()) {
        forget(shown.truth);
        shown.truth.mayBeUnknown ||= shown.seenAt === undefined;
      }
      shown = undefined;
    },
    /** An end that was shown is known if the agent may find out about prints that it has not seen. */
    known(): void {
      if (shown && isKnown()) shown.truth.mayBeUnknown = false;
    },
    current: () => current?.truth,
    last: () => shown?.truth,
  };
}

interface Reported {
  filename: string;
  outcome: string;
  reason?: string | undefined;
}

const isNamed = ({ filename, aliases = [] }: Truth, name: string): boolean =>
  filename === name || aliases.includes(name);

/** What is wrong with the report of a print. */
function findFault({ outcomes, mayBeUnsaid }: Truth, { filename, outcome, reason }: Reported): string[] {
  if (!outcomes.includes(outcome as PrintOutcome))
    return [`wrong: ${filename} ${outcome} (${reason}), really ${outcomes[0]}`];
  return reason?.startsWith('inferred') && !mayBeUnsaid ? [`said, but inferred: ${filename} ${reason}`] : [];
}

const findLost = (truths: readonly Truth[]): string[] =>
  truths
    .filter(({ mayBeUnknown }) => !mayBeUnknown)
    .map(({ filename, outcomes }) => `lost: ${filename} ${outcomes[0]}`);

/** Whether the reports can be what is told of these prints: each once, in order, and rightly. */
function areTold([truth, ...truths]: readonly Truth[], reports: readonly Reported[]): boolean {
  if (!truth) return reports.length === 0;
  const [report, ...rest] = reports;
  const isTold = report !== undefined && isNamed(truth, report.filename) && findFault(truth, report).length === 0;
  return (isTold && areTold(truths, rest)) || (truth.mayBeUnknown && areTold(truths, reports));
}

/** @returns what is wrong with the reports, measured by the truth: nothing, if each print was reported once and rightly */
export function findFaults(truths: readonly Truth[], reports: readonly Reported[]): string[] {
  if (areTold(truths, reports)) return [];
  const faults: string[] = [];
  let next = 0;
  for (const report of reports) {
    const found = truths.findIndex((truth, i) => i >= next && isNamed(truth, report.filename));
    if (found < 0) {
      faults.push(`invented: ${report.filename} ${report.outcome} ${report.reason ?? ''}`);
      continue;
    }
    faults.push(...findLost(truths.slice(next, found)), ...findFault(truths[found] as Truth, report));
    next = found + 1;
  }
  return [...faults, ...findLost(truths.slice(next))];
}
