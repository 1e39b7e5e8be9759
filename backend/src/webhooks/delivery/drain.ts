import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS, type startStopwatch } from '../../../../common/src/clock.ts';
import type { SecretBox } from '../../../../common/src/crypto.ts';
import type { Logger } from '../../../../common/src/logger.ts';
import type { PublishChange } from '../../shared/change.ts';
import type { DrainControl } from '../../shared/drain-control.ts';
import type { DatabaseClock } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import { isSigned } from '../formats/formats.ts';
import type { Describe } from '../formats/message.ts';
import { urlContext } from '../subscriptions/subscription.ts';
import type { AttemptOutcome, DeliveryMetrics } from './attempt.ts';
import type { ClaimedDelivery } from './claim-store.ts';
import { decryptSecrets, render } from './render.ts';
import { type Claim, createRounds, type FinishedAttempt } from './rounds.ts';
import type { ConnectionPool, Sender } from './sender.ts';

/** Maximum number of concurrent requests of one subscription. */
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
  publishChange: PublishChange;
}

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
  /** the subscription's account, known after the first claim */
  accountId: string | undefined;
}

/**
 * Sends the pending deliveries of a subscription. A delivery goes through three steps: claim (`pending` → `sending`),
 * attempt (one HTTP request), record (`sending` → `succeeded` or `failed`). Each round is one transaction, shared with
 * the other subscriptions of this process, that records finished attempts and claims the next deliveries. A claim is
 * committed before the first byte of its request, so a delivery is attempted at most once even if the process crashes
 * at any point.
 */
export function createDrain(deps: DrainDeps) {
  const terms = { worker: deps.worker, claimMs: CLAIM_MS, maxInFlight: MAX_IN_FLIGHT, maxAgeMs: EXPIRY_MS };
  const requestRound = createRounds(deps, terms);
  /**
   * Runs until the subscription has nothing more to send, and resolves when every attempt it started is recorded. While
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
        const next = await joinRound(deps, run, requestRound);
        if (next) startAttempts(deps, run, next);
        if (run.finished.length > 0 || next?.hasUnsent) continue;
        if (run.inFlight.size === 0) return;
        await waitForProgress(run, woken);
      }
    } finally {
      await run.pool.close();
    }
  };
}

/**
 * Records and claims in the next round, and reports it to open pages.
 * @returns the new claim; undefined if the database is briefly unavailable
 * @throws the database's error if there are no outcomes to lose, or after MAX_RECORD_FAILURES retries
 */
async function joinRound(
  deps: DrainDeps,
  run: DrainRun,
  requestRound: ReturnType<typeof createRounds>,
): Promise<Claim | undefined> {
  const { finished, subscriptionId, control } = run;
  run.finished = [];
  let next: Claim;
  try {
    next = await requestRound({ subscriptionId, finished, mayClaim: () => !control.stopping() });
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
  run.accountId ??= next.accountId;
  if ((finished.length > 0 || next.hasUnsent) && run.accountId)
    deps.publishChange(run.accountId, { kind: 'delivery', id: subscriptionId });
  return next;
}

function startAttempts(deps: DrainDeps, run: DrainRun, claim: Claim): void {
  for (const delivery of claim.claimed) {
    const running: Promise<void> = attempt(deps, run, claim, delivery)
      .catch((error: unknown) => {
        // only a secret that is missing or can't be decrypted fails here; nothing was sent
        deps.logger.error(
          { err: error, subscription_id: run.subscriptionId },
          'failed to prepare a delivery; has SECRET_KEY changed?',
        );
        finish(run, delivery, { status: 'failed', responseStatus: null, error: 'secret_lost', durationMs: 0 });
      })
      .finally(() => run.inFlight.delete(running));
    run.inFlight.add(running);
  }
}

/** Sends one claimed delivery. @throws Error if the subscription's URL or secret cannot be decrypted */
async function attempt(deps: DrainDeps, run: DrainRun, { age }: Claim, delivery: ClaimedDelivery): Promise<void> {
  // A process that was suspended past its claim must not send: another worker may have marked the delivery as
  // interrupted and sent later events of the same subject.
  const mayBegin = () => {
    const sinceClaim = age();
    if (sinceClaim >= CLAIM_MS) return false;
    deps.metrics?.observeFirstByte(delivery.waited + sinceClaim);
    return true;
  };
  const outcome: AttemptOutcome = await run.pool.send(await toRequest(deps, delivery), mayBegin);
  finish(run, delivery, outcome);
}

function finish(run: DrainRun, delivery: ClaimedDelivery, outcome: AttemptOutcome): void {
  const { seq, id, event, event_id: eventId, subject, traceparent } = delivery;
  run.finished.push({ seq, id, event, eventId, subject, traceparent, subscriptionId: run.subscriptionId, outcome });
}

async function toRequest({ secretBox, describe }: DrainDeps, delivery: ClaimedDelivery) {
  const { subscription_id: id, account_id: accountId, format, event, body } = delivery;
  const url = secretBox.decrypt(delivery.url_encrypted, urlContext(id));
  if (url === '') throw new Error('The subscription has no address');
  const secrets = decryptSecrets(secretBox, delivery);
  // a message without its link is better than no message
  const context = isSigned(format) ? {} : await describe?.(accountId, event, body).catch(() => ({}));
  return render({ format, url, ...secrets }, delivery, context);
}

/** Resolves when an attempt has ended, or at a wake-up if there is capacity for more. */
async function waitForProgress(run: DrainRun, woken: Promise<void>): Promise<void> {
  const { inFlight, control } = run;
  const hasCapacity = inFlight.size < MAX_IN_FLIGHT && !control.stopping();
  await Promise.race(hasCapacity ? [woken, ...inFlight] : inFlight);
  // concurrent requests usually end together; recording them in one transaction costs a quarter
  if (run.finished.length > 0 && inFlight.size > 0) await Promise.race([Promise.all(inFlight), pause(BATCH_WAIT_MS)]);
}
