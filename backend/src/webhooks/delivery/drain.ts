import type { DrainControl, PublishChange } from '../../jobs/jobs.ts';
import type { Clock } from '../../shared/clock.ts';
import type { SecretBox } from '../../shared/crypto.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Storage } from '../../storage/open.ts';
import type { Describe } from '../formats/message.ts';
import { secretContext, urlContext } from '../subscriptions/subscription.ts';
import type { AttemptOutcome, DeliveryMetrics } from './attempt.ts';
import { type Channel, type Claim, type Claimed, claim, type Finished, finish } from './delivery-store.ts';
import { render } from './render.ts';
import type { Sender } from './sender.ts';

/** The contract's ruling: at most this many requests of one channel at once. */
const MAX_IN_FLIGHT = 4;

/** Longer than an attempt can take (10 s), so that a claim runs out only when its process is gone or stands still. */
const CLAIM_MS = 14_000;

/** What could not be attempted within an hour of its commit is given up: it would only confuse its receiver. */
const EXPIRY_MS = 60 * 60 * 1000;

/** How long a drain goes on trying to record outcomes: about as long as their claim is honoured. */
const MAX_RECORD_FAILURES = 40;
const RECORD_AGAIN_MS = 250;

/** How long the first outcome waits for those of the requests beside it. */
const GATHER_MS = 2;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** until: when others may take what was claimed for given up */
type OwnClaim = Claim & { until: number };

export type Drain = ReturnType<typeof createDrain>;

/**
 * Sends what a channel has pending. Each round is one transaction that records what has ended and claims what comes next;
 * a claim is committed before the first byte of its request, so a delivery is attempted at most once whatever dies when.
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
  /** what the message of a chat says beside the event */
  describe?: Describe | undefined;
  /** tells open pages; called for every round, so it must cost next to nothing */
  publishChange?: PublishChange | undefined;
}) {
  const { storage, clock, sender, secretBox, worker, logger, metrics } = deps;

  /** One transaction: the finished attempts are recorded, the next ones claimed. */
  function turn(subscriptionId: string, finished: Finished[], mayClaim: boolean): Promise<OwnClaim | undefined> {
    return storage.inTransaction(async ({ db, afterCommit }) => {
      if (finished.length > 0) {
        const recorded = await finish(db, worker, finished);
        afterCommit(() => count(recorded, finished.length - recorded.length));
      }
      if (!mayClaim) return undefined;
      const now = clock();
      const until = now + CLAIM_MS;
      const next = await claim(db, {
        subscriptionId,
        worker,
        now,
        until,
        mostInFlight: MAX_IN_FLIGHT,
        expiredBefore: now - EXPIRY_MS,
      });
      return next && { ...next, until };
    });
  }

  function count(recorded: Finished[], late: number): void {
    for (const { outcome } of recorded) {
      metrics?.ended(outcome.error ?? 'succeeded');
      metrics?.took(outcome.durationMs);
    }
    if (late > 0) metrics?.cameLate(late);
  }

  async function toRequest(channel: Channel, delivery: Claimed) {
    const url = secretBox.open(channel.urlSealed, urlContext(channel.id));
    const secret = channel.secretSealed && secretBox.open(channel.secretSealed, secretContext(channel.id));
    // a message without its link is better than none
    const context =
      channel.format === 'signed'
        ? {}
        : await deps.describe?.(channel.accountId, delivery.event, delivery.body).catch(() => ({}));
    return render({ format: channel.format, url, secret }, delivery, context);
  }

  /**
   * Runs until nothing of the channel can be sent now. Resolves when every attempt it began is recorded. While requests are
   * under way and places are free, a wake-up makes it look for more: one slow answer holds up nothing but itself.
   */
  return async function drain(subscriptionId: string, control: DrainControl): Promise<void> {
    const connection = sender.openConnection();
    const underWay = new Set<Promise<void>>();
    let finished: Finished[] = [];
    let failures = 0;
    /** whose channel it is, known with the first claim */
    let accountId: string | undefined;

    async function attempt({ channel, until }: OwnClaim, delivery: Claimed): Promise<void> {
      // a process that stood still meanwhile (a suspended machine) must not send what another has given up, after what
      // came later in the same subject
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
            const isNews = ended.length > 0 || (claim && claim.gaveUp > 0);
            if (isNews && accountId) deps.publishChange?.(accountId, { kind: 'delivery', id: subscriptionId });
            if (claim?.gaveUp) metrics?.ended('expired', claim.gaveUp);
            if (claim?.sentAgain) metrics?.sentAgain(claim.sentAgain);
            return claim;
          },
          async (error: unknown) => {
            // a moment in which the database was busy must not lose outcomes: neither those known nor those to come
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
              // only a stored secret that cannot be opened comes here: nothing was sent, and the reason is ours
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
        if (finished.length > 0 || (next && next.gaveUp > 0)) continue;
        if (underWay.size === 0) return;
        const hasPlaces = underWay.size < MAX_IN_FLIGHT && !control.stopping();
        await Promise.race(hasPlaces ? [woken, ...underWay] : underWay);
        // requests made together mostly end together: recorded in one transaction they cost a quarter
        if (finished.length > 0 && underWay.size > 0) await Promise.race([Promise.all(underWay), pause(GATHER_MS)]);
      }
    } finally {
      await connection.close();
    }
  };
}
