import { setTimeout as pause } from 'node:timers/promises';
import { startStopwatch } from '../../../../common/src/clock.ts';
import type { Logger } from '../../../../common/src/logger.ts';
import { type DatabaseClock, databaseTime } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { DeliveryMetrics, EndedDelivery } from './attempt.ts';
import {
  type ClaimedDelivery,
  type ClaimTerms,
  type FailingState,
  type RoundRequest,
  recordAndClaim,
} from './claim-store.ts';
import { reportEnded, toUnsent } from './transitions.ts';

/** Limits how long one round takes. */
const MAX_SUBSCRIPTIONS = 100;

/** How soon a round is repeated for a subscription whose row others have locked. */
const LOCKED_AGAIN_MS = 5;

/** An attempt that has ended and is not recorded yet. */
export type FinishedAttempt = EndedDelivery & Pick<ClaimedDelivery, 'seq' | 'event' | 'subject'>;

/** What a round did for one subscription. */
export interface Claim {
  claimed: ClaimedDelivery[];
  /** some failed without a request */
  hasUnsent: boolean;
  /** known if anything was claimed */
  accountId: string | undefined;
  /** ms since the claim; when it has run out, others may mark its attempts as interrupted */
  age: () => number;
}

export interface RoundDeps {
  storage: Storage;
  databaseClock?: DatabaseClock | undefined;
  /** measures the age of a claim without the wall clock, which may differ from that of the database */
  stopwatch?: typeof startStopwatch | undefined;
  logger: Logger;
  metrics?: DeliveryMetrics | undefined;
}

/** A drain that waits for its round. */
interface WaitingDrain extends RoundRequest {
  finished: readonly FinishedAttempt[];
  resolve(claim: Claim): void;
  reject(error: unknown): void;
}

/**
 * Runs the rounds of all subscriptions of this process: one at a time, each for the drains that have come since the
 * last one began.
 */
export function createRounds(deps: RoundDeps, terms: ClaimTerms) {
  let waiting: WaitingDrain[] = [];
  let isRunning = false;

  function enqueue(drain: WaitingDrain): void {
    waiting.push(drain);
    if (isRunning) return;
    isRunning = true;
    setImmediate(run);
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = takeBatch();
      try {
        await runRound(deps, terms, batch, enqueue);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  /** The next drains, at most one of each subscription. */
  function takeBatch(): WaitingDrain[] {
    const batch = new Map<string, WaitingDrain>();
    const later: WaitingDrain[] = [];
    for (const drain of waiting) {
      if (batch.has(drain.subscriptionId) || batch.size >= MAX_SUBSCRIPTIONS) later.push(drain);
      else batch.set(drain.subscriptionId, drain);
    }
    waiting = later;
    return [...batch.values()];
  }

  /** Resolves when the round is committed. */
  return (request: Omit<WaitingDrain, 'resolve' | 'reject'>) =>
    new Promise<Claim>((resolve, reject) => {
      enqueue({ ...request, resolve, reject });
    });
}

async function runRound(
  deps: RoundDeps,
  terms: ClaimTerms,
  batch: readonly WaitingDrain[],
  enqueue: (drain: WaitingDrain) => void,
): Promise<void> {
  const { storage, databaseClock = databaseTime, stopwatch = startStopwatch } = deps;
  // started before the database's claim, so it never outlasts it
  const age = stopwatch();
  const { recorded, claimed, locked, outdated, failing } = await recordAndClaim(
    storage,
    batch,
    terms,
    databaseClock(storage.writer),
  );
  const claimedIn = new Map<string, ClaimedDelivery[]>(batch.map(({ subscriptionId }) => [subscriptionId, []]));
  for (const row of claimed) claimedIn.get(row.subscription_id)?.push(row);
  for (const drain of batch) {
    const { subscriptionId: id, finished, resolve } = drain;
    if (locked.has(id)) {
      pause(LOCKED_AGAIN_MS).then(() => enqueue(drain));
      continue;
    }
    reportRecorded(deps, finished, recorded);
    reportFailing(deps, finished, recorded, failing.get(id));
    if (outdated.has(id)) enqueue({ ...drain, finished: [] });
    else resolve(toClaim(deps, claimedIn.get(id) ?? [], age));
  }
}

function toClaim(deps: RoundDeps, rows: ClaimedDelivery[], age: () => number): Claim {
  const unsent = rows.flatMap((row) => (row.error === null ? [] : [toUnsent(row.subscription_id, row, row.error)]));
  reportEnded(deps, unsent);
  const claimed = rows.filter(({ error }) => error === null);
  const again = claimed.filter(({ duration_ms: before }) => before !== null).length;
  if (again > 0) deps.metrics?.countSentAgain(again);
  return { claimed, hasUnsent: unsent.length > 0, accountId: rows[0]?.account_id, age };
}

/** Reports the attempts that were recorded, and those that were no longer claimed by this worker. */
function reportRecorded(deps: RoundDeps, finished: readonly FinishedAttempt[], recorded: ReadonlySet<number>): void {
  const ended = finished.filter(({ seq }) => recorded.has(seq));
  reportEnded(deps, ended);
  for (const { outcome } of ended) deps.metrics?.observeDuration(outcome.durationMs);
  const late = finished.filter(({ seq }) => !recorded.has(seq));
  if (late.length === 0) return;
  deps.metrics?.countLate(late.length);
  const ids = late.map(({ id }) => id);
  deps.logger.warn(
    { delivery_ids: ids },
    'discarded late outcomes: interrupted meanwhile, or the subscription was deleted',
  );
}

/** Failures in a row after which its owner should look at a subscription. */
const WARNED_AT = [10, 50, 100];

/** Writes a line when so many attempts of a subscription have failed in a row, and when that has paused it. */
function reportFailing(
  { logger }: RoundDeps,
  finished: readonly FinishedAttempt[],
  recorded: ReadonlySet<number>,
  state: FailingState | undefined,
): void {
  if (!state) return;
  const { failures, isEnabled, pauseAfter } = state;
  const ended = finished.filter(({ seq }) => recorded.has(seq));
  const streak = ended.slice(ended.findLastIndex(({ outcome }) => outcome.status === 'succeeded') + 1);
  const before = failures - streak.length;
  streak.forEach(({ subscriptionId, id, event, eventId, subject, outcome }, index) => {
    const count = before + index + 1;
    const line = {
      subscription_id: subscriptionId,
      consecutive_failures: count,
      delivery_id: id,
      event,
      event_id: eventId,
      subject,
      error: outcome.error,
      response_status: outcome.responseStatus,
    };
    if (WARNED_AT.includes(count)) logger.warn(line, 'a subscription keeps failing');
    if (!isEnabled && count === pauseAfter) logger.warn(line, 'a subscription was paused');
  });
}
