import type { DrainControl, PublishChange } from '../../jobs/jobs.ts';
import type { Clock } from '../../shared/clock.ts';
import type { SecretBox } from '../../shared/crypto.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Storage } from '../../storage/open.ts';
import type { Describe } from '../formats/message.ts';
import { secretContext, urlContext } from '../subscriptions/subscription.ts';
import type { AttemptOutcome, DeliveryMetrics } from './attempt.ts';
import {
  type Channel,
  type Claim,
  type ClaimedDelivery,
  claimDeliveries,
  type FinishedAttempt,
  recordAttempts,
} from './delivery-store.ts';
import { render } from './render.ts';
import type { Sender } from './sender.ts';

/** Maximum number of concurrent requests of one channel. */
const MAX_IN_FLIGHT = 4;

/** Longer than an attempt can take (10 s), so a claim expires only if its process is dead or suspended. */
const CLAIM_MS = 14_000;

/**
 * Deliveries that could not be attempted within an hour of their commit expire: old events would only confuse
 * receivers.
 */
const EXPIRY_MS = 60 * 60 * 1000;

/** How often recording outcomes is retried; in total about as long as the claim lasts. */
const MAX_RECORD_FAILURES = 40;
const RECORD_AGAIN_MS = 250;

/** How long the first outcome waits for those of concurrent requests, to record them in one transaction. */
const GATHER_MS = 2;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** `until`: when the claim expires (ms) and others may mark its attempts as interrupted */
type OwnClaim = Claim & { until: number };

export type Drain = ReturnType<typeof createDrain>;

/**
 * Sends the pending deliveries of a channel. Each round is one transaction that records finished attempts and claims
 * the next ones. A claim is committed before the first byte of its request, so a delivery is attempted at most once
 * even if the process crashes at any point.
 */
export function createDrain(deps: {
  storage: Storage;
  clock: Clock;
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
}) {
  const { storage, clock, sender, secretBox, worker, logger, metrics } = deps;

  /** In one transaction, records the finished attempts and claims the next ones. */
  function turn(subscriptionId: string, finished: FinishedAttempt[], mayClaim: boolean): Promise<OwnClaim | undefined> {
    return storage.inTransaction(async ({ db, afterCommit }) => {
      if (finished.length > 0) {
        const recorded = await recordAttempts(db, worker, finished);
        afterCommit(() => count(recorded, finished.length - recorded.length));
      }
      if (!mayClaim) return undefined;
      const now = clock();
      const until = now + CLAIM_MS;
      const next = await claimDeliveries(db, {
        subscriptionId,
        worker,
        now,
        until,
        maxInFlight: MAX_IN_FLIGHT,
        expiredBefore: now - EXPIRY_MS,
      });
      return next && { ...next, until };
    });
  }

  function count(recorded: FinishedAttempt[], late: number): void {
    for (const { outcome } of recorded) {
      metrics?.countEnded(outcome.error ?? 'succeeded');
      metrics?.observeDuration(outcome.durationMs);
    }
    if (late > 0) metrics?.countLate(late);
  }

  async function toRequest(channel: Channel, delivery: ClaimedDelivery) {
    const url = secretBox.decrypt(channel.encryptedUrl, urlContext(channel.id));
    const secret = channel.encryptedSecret && secretBox.decrypt(channel.encryptedSecret, secretContext(channel.id));
    // a message without its link is better than no message
    const context =
      channel.format === 'signed'
        ? {}
        : await deps.describe?.(channel.accountId, delivery.event, delivery.body).catch(() => ({}));
    return render({ format: channel.format, url, secret }, delivery, context);
  }

  /**
   * Runs until the channel has nothing more to send, and resolves when every attempt it started is recorded. While
   * requests are in flight and there is capacity, a wake-up makes it claim more, so one slow response delays nothing
   * else.
   */
  return async function drain(subscriptionId: string, control: DrainControl): Promise<void> {
    const connection = sender.openPool();
    const underWay = new Set<Promise<void>>();
    let finished: FinishedAttempt[] = [];
    let failures = 0;
    /** the channel's account, known after the first claim */
    let accountId: string | undefined;

    async function attempt({ channel, until }: OwnClaim, delivery: ClaimedDelivery): Promise<void> {
      // A process that was suspended past its claim must not send: another worker may have marked the delivery as
      // interrupted and sent later events of the same subject.
      const isOurs = () => clock() < until;
      const outcome: AttemptOutcome = await connection.send(await toRequest(channel, delivery), isOurs);
      logger.debug(
        { subscription_id: channel.id, delivery_id: delivery.id, event: delivery.event, ...outcome },
        'delivery attempted',
      );
      finished.push({ seq: delivery.seq, outcome });
    }

    try {
      for (;;) {
        const ended = finished;
        finished = [];
        const woken = control.nextWake();
        const next = await turn(subscriptionId, ended, !control.stopping()).then(
          (claim) => {
            failures = 0;
            accountId ??= claim?.channel.accountId;
            const isNews = ended.length > 0 || (claim && claim.expiredCount > 0);
            if (isNews && accountId) deps.publishChange?.(accountId, { kind: 'delivery', id: subscriptionId });
            if (claim?.expiredCount) metrics?.countEnded('expired', claim.expiredCount);
            if (claim?.sentAgain) metrics?.countSentAgain(claim.sentAgain);
            return claim;
          },
          async (error: unknown) => {
            // keep outcomes while the database is briefly unavailable
            const nothingToLose = ended.length === 0 && underWay.size === 0;
            if (nothingToLose || ++failures > MAX_RECORD_FAILURES) throw error;
            logger.warn({ err: error, subscription_id: subscriptionId }, 'failed to record attempts; retrying');
            finished.unshift(...ended);
            await pause(RECORD_AGAIN_MS);
            return undefined;
          },
        );
        for (const delivery of next?.claimed ?? []) {
          const running: Promise<void> = attempt(next as OwnClaim, delivery)
            .catch((error: unknown) => {
              // only an encrypted value that cannot be decrypted fails here; nothing was sent
              logger.error(
                { err: error, subscription_id: subscriptionId },
                'failed to prepare a delivery; has SECRET_KEY changed?',
              );
              finished.push({
                seq: delivery.seq,
                outcome: { status: 'failed', responseStatus: null, error: 'network_error', durationMs: 0 },
              });
            })
            .finally(() => underWay.delete(running));
          underWay.add(running);
        }
        if (finished.length > 0 || (next && next.expiredCount > 0)) continue;
        if (underWay.size === 0) return;
        const hasPlaces = underWay.size < MAX_IN_FLIGHT && !control.stopping();
        await Promise.race(hasPlaces ? [woken, ...underWay] : underWay);
        // concurrent requests usually end together; recording them in one transaction costs a quarter
        if (finished.length > 0 && underWay.size > 0) await Promise.race([Promise.all(underWay), pause(GATHER_MS)]);
      }
    } finally {
      await connection.close();
    }
  };
}
