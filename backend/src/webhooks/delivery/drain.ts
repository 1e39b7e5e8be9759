import type { DrainControl, PublishChange } from '../../jobs/jobs.ts';
import { HOUR_MS, startStopwatch } from '../../shared/clock.ts';
import type { SecretBox } from '../../shared/crypto.ts';
import type { Logger } from '../../shared/logger.ts';
import { type DatabaseClock, databaseTime } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { Describe } from '../formats/message.ts';
import { secretContext, urlContext } from '../subscriptions/subscription.ts';
import type { Channel } from '../subscriptions/subscription-store.ts';
import type { AttemptOutcome, DeliveryMetrics, EndedDelivery } from './attempt.ts';
import { type ClaimedDelivery, recordAttempts } from './delivery-store.ts';
import { render } from './render.ts';
import type { ConnectionPool, Sender } from './sender.ts';
import { type Claim, claimDeliveries, reportEnded } from './transitions.ts';

/** Maximum number of concurrent requests of one channel. */
const MAX_IN_FLIGHT = 4;

/** Longer than an attempt can take (10 s), so a claim expires only if its process is dead or suspended. */
const CLAIM_MS = 14_000;

/**
 * Deliveries that could not be attempted within an hour of their commit expire: old events would only confuse
 * receivers.
 */
const EXPIRY_MS = HOUR_MS;

/** How often recording outcomes is retried; in total about as long as the claim lasts. */
const MAX_RECORD_FAILURES = 40;
const RECORD_AGAIN_MS = 250;

/** How long the first outcome waits for those of concurrent requests, to record them in one transaction. */
const BATCH_WAIT_MS = 2;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** `age`: ms since the claim; from CLAIM_MS on, others may mark its attempts as interrupted */
type OwnClaim = Claim & { age: () => number };

export type Drain = ReturnType<typeof createDrain>;

export interface DrainDeps {
  storage: Storage;
  databaseClock?: DatabaseClock | undefined;
  /** measures the age of a claim without the wall clock, which may differ from that of the database */
  stopwatch?: typeof startStopwatch | undefined;
  sender: Sender;
  secretBox: SecretBox;
  /** unique to this start of this process */
  worker: string;
  logger: Logger;
  metrics?: DeliveryMetrics | undefined;
  /** resolves the context that chat messages show beside the event */
  describe?: Describe | undefined;
  /** notifies open pages; called once per round, so it must be cheap */
  publishChange?: PublishChange | undefined;
}

/** An attempt that has ended and is not recorded yet. */
type FinishedAttempt = EndedDelivery & { seq: number };

/** The state of one run of a drain. */
interface DrainRun {
  readonly subscriptionId: string;
  readonly control: DrainControl;
  readonly pool: ConnectionPool;
  /** attempts being made; each removes itself and adds its outcome to `finished` */
  readonly inFlight: Set<Promise<void>>;
  finished: FinishedAttempt[];
  /** consecutive transactions that failed */
  failures: number;
  /** the channel's account, known after the first claim */
  accountId: string | undefined;
}

/**
 * Sends the pending deliveries of a channel. A delivery goes through three steps: claim (`pending` → `sending`), attempt
 * (one HTTP request), record (`sending` → `succeeded` or `failed`). Each round is one transaction that records finished
 * attempts and claims the next deliveries. A claim is committed before the first byte of its request, so a delivery is
 * attempted at most once even if the process crashes at any point.
 */
export function createDrain(deps: DrainDeps) {
  /**
   * Runs until the channel has nothing more to send, and resolves when every attempt it started is recorded. While
   * requests are in flight and there is capacity, a wake-up makes it claim more, so one slow response delays nothing
   * else.
   */
  return async function drain(subscriptionId: string, control: DrainControl): Promise<void> {
    const run: DrainRun = {
      subscriptionId,
      control,
      pool: deps.sender.openPool(),
      inFlight: new Set(),
      finished: [],
      failures: 0,
      accountId: undefined,
    };
    try {
      for (;;) {
        const woken = control.nextWake();
        const next = await recordAndClaim(deps, run);
        if (next) startAttempts(deps, run, next);
        if (run.finished.length > 0 || hasExpired(next)) continue;
        if (run.inFlight.size === 0) return;
        await waitForProgress(run, woken);
      }
    } finally {
      await run.pool.close();
    }
  };
}

/**
 * Runs one round and reports it to metrics and open pages.
 * @returns the new claim; undefined when stopping, for a deleted channel, or if the database is briefly unavailable
 * @throws the database's error if there are no outcomes to lose, or after MAX_RECORD_FAILURES retries
 */
async function recordAndClaim(deps: DrainDeps, run: DrainRun): Promise<OwnClaim | undefined> {
  const { finished, subscriptionId } = run;
  run.finished = [];
  let next: OwnClaim | undefined;
  try {
    next = await commitRound(deps, run, finished);
  } catch (error) {
    const hasOutcomes = finished.length > 0 || run.inFlight.size > 0;
    run.failures += 1;
    if (!hasOutcomes || run.failures > MAX_RECORD_FAILURES) throw error;
    deps.logger.warn({ err: error, subscription_id: subscriptionId }, 'failed to record attempts; retrying');
    run.finished.unshift(...finished);
    await pause(RECORD_AGAIN_MS);
    return undefined;
  }
  run.failures = 0;
  run.accountId ??= next?.channel.accountId;
  if ((finished.length > 0 || hasExpired(next)) && run.accountId)
    deps.publishChange?.(run.accountId, { kind: 'delivery', id: subscriptionId });
  return next;
}

const hasExpired = (claim: Claim | undefined): boolean => claim !== undefined && claim.expired.length > 0;

/** Records the finished attempts and, unless stopping, claims the next deliveries in one transaction. */
function commitRound(
  deps: DrainDeps,
  { subscriptionId, control }: DrainRun,
  finished: FinishedAttempt[],
): Promise<OwnClaim | undefined> {
  const { storage, databaseClock = databaseTime, stopwatch = startStopwatch, worker } = deps;
  const mayClaim = !control.stopping();
  return storage.inTransaction(async ({ db, afterCommit }) => {
    if (finished.length > 0) {
      const recorded = await recordAttempts(db, worker, finished);
      afterCommit(() => reportAttempts(deps, finished, recorded));
    }
    if (!mayClaim) return undefined;
    // started before the database's claim, so it never outlasts it
    const age = stopwatch();
    const request = { subscriptionId, worker, claimMs: CLAIM_MS, maxInFlight: MAX_IN_FLIGHT, maxAgeMs: EXPIRY_MS };
    const next = await claimDeliveries(db, request, databaseClock(db));
    if (!next) return undefined;
    afterCommit(() => {
      reportEnded(deps, next.expired);
      if (next.sentAgain > 0) deps.metrics?.countSentAgain(next.sentAgain);
    });
    return { ...next, age };
  });
}

/** @param recorded the seqs of the attempts that were still claimed by this worker */
function reportAttempts(deps: DrainDeps, finished: FinishedAttempt[], recorded: Set<number>): void {
  const ended = finished.filter(({ seq }) => recorded.has(seq));
  reportEnded(deps, ended);
  for (const { outcome } of ended) deps.metrics?.observeDuration(outcome.durationMs);
  const late = finished.filter(({ seq }) => !recorded.has(seq));
  if (late.length === 0) return;
  deps.metrics?.countLate(late.length);
  const ids = late.map(({ id }) => id);
  deps.logger.warn({ delivery_ids: ids }, 'discarded late outcomes: interrupted meanwhile, or the channel was deleted');
}

function startAttempts(deps: DrainDeps, run: DrainRun, claim: OwnClaim): void {
  for (const delivery of claim.claimed) {
    const running: Promise<void> = attempt(deps, run, claim, delivery)
      .catch((error: unknown) => {
        // only an encrypted value that cannot be decrypted fails here; nothing was sent
        deps.logger.error(
          { err: error, subscription_id: run.subscriptionId },
          'failed to prepare a delivery; has SECRET_KEY changed?',
        );
        finish(run, delivery, { status: 'failed', responseStatus: null, error: 'network_error', durationMs: 0 });
      })
      .finally(() => run.inFlight.delete(running));
    run.inFlight.add(running);
  }
}

/** Sends one claimed delivery. @throws Error if the channel's URL or secret cannot be decrypted */
async function attempt(
  deps: DrainDeps,
  run: DrainRun,
  { channel, age }: OwnClaim,
  delivery: ClaimedDelivery,
): Promise<void> {
  // A process that was suspended past its claim must not send: another worker may have marked the delivery as
  // interrupted and sent later events of the same subject.
  const mayBegin = () => {
    const sinceClaim = age();
    if (sinceClaim >= CLAIM_MS) return false;
    deps.metrics?.observeFirstByte(delivery.waited + sinceClaim);
    return true;
  };
  const outcome: AttemptOutcome = await run.pool.send(await toRequest(deps, channel, delivery), mayBegin);
  finish(run, delivery, outcome);
}

function finish(run: DrainRun, { seq, id, event_id: eventId }: ClaimedDelivery, outcome: AttemptOutcome): void {
  run.finished.push({ seq, id, eventId, subscriptionId: run.subscriptionId, outcome });
}

async function toRequest({ secretBox, describe }: DrainDeps, channel: Channel, delivery: ClaimedDelivery) {
  const url = secretBox.decrypt(channel.encryptedUrl, urlContext(channel.id));
  const secret = channel.encryptedSecret && secretBox.decrypt(channel.encryptedSecret, secretContext(channel.id));
  // a message without its link is better than no message
  const context =
    channel.format === 'signed'
      ? {}
      : await describe?.(channel.accountId, delivery.event, delivery.body).catch(() => ({}));
  return render({ format: channel.format, url, secret }, delivery, context);
}

/** Resolves when an attempt has ended, or at a wake-up if there is capacity for more. */
async function waitForProgress(run: DrainRun, woken: Promise<void>): Promise<void> {
  const { inFlight, control } = run;
  const hasCapacity = inFlight.size < MAX_IN_FLIGHT && !control.stopping();
  await Promise.race(hasCapacity ? [woken, ...inFlight] : inFlight);
  // concurrent requests usually end together; recording them in one transaction costs a quarter
  if (run.finished.length > 0 && inFlight.size > 0) await Promise.race([Promise.all(inFlight), pause(BATCH_WAIT_MS)]);
}
