import type { Actor } from '../../accounts/token.ts';
import { type EventEnvelope, type EventName, SELECTABLE_EVENTS } from '../../events/catalogue.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../../idempotency/with-idempotency.ts';
import type { PublishChange } from '../../jobs/jobs.ts';
import { type Clock, toIso } from '../../shared/clock.ts';
import type { SecretBox } from '../../shared/crypto.ts';
import { DomainError, invalid, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { checkNames, quote } from '../../shared/names.ts';
import type { Listed, Page } from '../../shared/schemas.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { ChannelFormat, DeliveryMetrics } from '../delivery/attempt.ts';
import { cancelPending, measureOutbox } from '../delivery/delivery-store.ts';
import type { Guard } from '../delivery/guard.ts';
import { maskUrl } from './mask.ts';
import { createSecret } from './signing.ts';
import { type Attempt, MAX_CHANNELS, type Subscription, secretContext, urlContext } from './subscription.ts';
import * as store from './subscription-store.ts';

/** A channel that was just created or got a new secret. Only this response contains the secret. */
export type WithSecret = Subscription & { secret?: string };

/** How long a test or resend waits for its attempt: a channel with 4 requests in flight frees a slot within 10 s. */
const ATTEMPT_WAIT_MS = 25_000;
const ATTEMPT_POLL_MS = 10;

export type WebhookService = ReturnType<typeof createWebhookService>;

export function createWebhookService(deps: {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  guard: Guard;
  secretBox: SecretBox;
  worker: string;
  wake(subscriptionIds: string[]): void;
  metrics?: DeliveryMetrics | undefined;
  /** notifies open pages */
  publishChange?: PublishChange | undefined;
  /** inserts an event without creating deliveries; used for tests */
  insertEvent(
    db: Db,
    event: { id: string; accountId: string; event: EventName; subject: string; occurredAt: number; body: string },
  ): Promise<number>;
}) {
  const { storage, clock, withIdempotency, guard, secretBox, wake } = deps;

  const notifyPages = (accountId: string, id: string) => deps.publishChange?.(accountId, { kind: 'channel', id });

  function checkEvents(names: string[]): EventName[] {
    const unknown = names.findIndex((name) => !SELECTABLE_EVENTS.includes(name as EventName));
    if (unknown >= 0) {
      const sent = quote(names[unknown]?.slice(0, 80) ?? '');
      const expected = `must be one of ${SELECTABLE_EVENTS.join(', ')}`;
      throw new DomainError('unknown_event', `${sent} is not an event that a channel can select: it ${expected}.`, {
        faults: [{ pointer: `/events/${unknown}`, detail: `${expected}; received ${sent}` }],
        facts: { allowed: SELECTABLE_EVENTS },
      });
    }
    return SELECTABLE_EVENTS.filter((name) => names.includes(name));
  }

  async function find(accountId: string, id: string): Promise<store.StoredSubscription> {
    const found = await store.findSubscription(storage.read, accountId, id);
    if (!found) throw notFound();
    return found;
  }

  /**
   * Polls until the attempt of a test or resend is recorded. Reads the database, because any process may send it.
   * @throws DomainError not_found, unavailable
   */
  async function attemptOf(seq: number): Promise<Attempt> {
    const deadline = Date.now() + ATTEMPT_WAIT_MS;
    for (;;) {
      const found = await store.findOutcome(storage.read, seq);
      if (!found) throw notFound();
      if (found.attempt) return found.attempt;
      if (Date.now() > deadline) {
        throw new DomainError('unavailable', 'The channel is busy. The attempt will appear in its delivery history.');
      }
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_POLL_MS));
    }
  }

  return {
    list: (accountId: string, page: Page): Promise<Listed<Subscription>> =>
      store.listSubscriptions(storage.read, accountId, page),

    /** @throws DomainError not_found */
    get: async (accountId: string, id: string): Promise<Subscription> => (await find(accountId, id)).subscription,

    /**
     * Creates a channel. For the signed format, only this result contains the secret.
     * @throws DomainError validation_error, unknown_event, blocked_address, channel_limit_reached, idempotency_conflict
     */
    async create(
      actor: Actor,
      input: { url: string; events: string[]; format: ChannelFormat; name?: string | undefined; enabled: boolean },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<WithSecret>> {
      const events = checkEvents(input.events);
      checkNames(['name'], input);
      await guard.checkUrl(input.url);
      const masked = maskUrl(input.url, input.format);
      const withoutSecret = ({ secret: _secret, ...channel }: WithSecret): WithSecret => ({ ...channel, url: masked });
      return withIdempotency(
        actor.accountId,
        idempotency,
        async ({ db, afterCommit }) => {
          const id = newId();
          afterCommit(() => notifyPages(actor.accountId, id));
          const secret = input.format === 'signed' ? createSecret() : undefined;
          const created = await store.insertSubscription(db, actor.accountId, {
            id,
            name: input.name ?? new URL(input.url).host,
            encryptedUrl: secretBox.encrypt(input.url, urlContext(id)),
            maskedUrl: masked,
            format: input.format,
            encryptedSecret: secret === undefined ? null : secretBox.encrypt(secret, secretContext(id)),
            enabled: input.enabled,
            events,
            at: clock(),
          });
          if (!created) {
            throw new DomainError(
              'channel_limit_reached',
              `The account has ${MAX_CHANNELS} webhook channels, which is the maximum. Delete one you no longer need.`,
            );
          }
          return { ...created.subscription, url: input.url, ...(secret === undefined ? {} : { secret }) };
        },
        withoutSecret,
      );
    },

    /** @throws DomainError not_found, validation_error, unknown_event, blocked_address */
    async update(
      actor: Actor,
      id: string,
      patch: {
        url?: string | undefined;
        events?: string[] | undefined;
        name?: string | undefined;
        enabled?: boolean | undefined;
      },
    ): Promise<Subscription> {
      const events = patch.events && checkEvents(patch.events);
      const before = (await find(actor.accountId, id)).subscription;
      checkNames(['name'], patch, before);
      // a client that sends back what it read sends the masked URL, which is not a change
      const url = patch.url === before.url ? undefined : patch.url;
      if (url !== undefined) await guard.checkUrl(url);
      return storage.inTransaction(async ({ db, afterCommit }) => {
        const stored = await store.lockSubscription(db, actor.accountId, id);
        if (!stored) throw notFound();
        const at = clock();
        const { subscription } = await store.updateSubscription(
          db,
          id,
          {
            ...(patch.name === undefined ? {} : { name: patch.name }),
            ...(patch.enabled === undefined ? {} : { enabled: patch.enabled ? 1 : 0 }),
            ...(url === undefined
              ? {}
              : {
                  url_sealed: secretBox.encrypt(url, urlContext(id)),
                  url_shown: maskUrl(url, stored.subscription.format),
                }),
          },
          events,
          at,
        );
        afterCommit(() => notifyPages(actor.accountId, id));
        if (stored.subscription.enabled && !subscription.enabled) {
          const cancelled = await cancelPending(db, id, deps.worker, at);
          if (cancelled > 0) {
            afterCommit(() => {
              deps.metrics?.countEnded('channel_disabled', cancelled);
              deps.publishChange?.(actor.accountId, { kind: 'delivery', id });
            });
          }
        }
        return subscription;
      });
    },

    /** @throws DomainError not_found */
    async remove(actor: Actor, id: string): Promise<void> {
      const removed = await storage.inTransaction(({ db }) => store.deleteSubscription(db, actor.accountId, id));
      if (!removed) throw notFound();
      notifyPages(actor.accountId, id);
    },

    /**
     * Replaces the secret of a signed channel; the old one stops working with the commit. @throws DomainError
     * not_found, validation_error
     */
    async recreateSecret(
      actor: Actor,
      id: string,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<WithSecret>> {
      return withIdempotency(
        actor.accountId,
        idempotency,
        async ({ db }): Promise<WithSecret> => {
          const stored = await store.lockSubscription(db, actor.accountId, id);
          if (!stored) throw notFound();
          if (stored.subscription.format !== 'signed') {
            throw invalid('/format', "Only signed channels have a signing secret. A chat channel's secret is its URL.");
          }
          const secret = createSecret();
          const { subscription } = await store.updateSubscription(
            db,
            id,
            { secret_sealed: secretBox.encrypt(secret, secretContext(id)) },
            undefined,
            clock(),
          );
          return { ...subscription, secret };
        },
        ({ secret: _secret, ...channel }) => channel,
      );
    },

    /**
     * Sends `webhook.test` like any other event and resolves with its attempt, even a failed one. @throws DomainError
     * not_found
     */
    async sendTest(
      actor: Actor,
      id: string,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Attempt>> {
      const { result: seq, replayed } = await withIdempotency(actor.accountId, idempotency, async (tx) => {
        if (!(await store.lockSubscription(tx.db, actor.accountId, id))) throw notFound();
        const at = clock();
        const eventId = newId();
        const envelope: EventEnvelope<'webhook.test'> = {
          event: 'webhook.test',
          occurred_at: toIso(at),
          data: { subscription_id: id, message: 'This is a test event from Farmboard. No orders were changed.' },
        };
        // its own subject, so tests and other events do not wait for each other
        const subject = `test:${eventId}`;
        const eventSeq = await deps.insertEvent(tx.db, {
          id: eventId,
          accountId: actor.accountId,
          event: 'webhook.test',
          subject,
          occurredAt: at,
          body: JSON.stringify(envelope),
        });
        tx.afterCommit(() => {
          wake([id]);
          deps.publishChange?.(actor.accountId, { kind: 'event', id: eventId });
        });
        return store.insertUrgentDelivery(tx.db, { subscriptionId: id, eventSeq, subject, at });
      });
      return { result: await attemptOf(seq), replayed };
    },

    /** The last attempts of a channel, newest first, at most 20. @throws DomainError not_found */
    async attempts(accountId: string, id: string): Promise<Attempt[]> {
      await find(accountId, id);
      return store.listAttempts(storage.read, id);
    },

    /**
     * Sends the event of an earlier attempt again as a new attempt, on request of a person. @throws DomainError
     * not_found
     */
    async resend(
      actor: Actor,
      id: string,
      deliveryId: string,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Attempt>> {
      const { result: seq, replayed } = await withIdempotency(actor.accountId, idempotency, async (tx) => {
        if (!(await store.lockSubscription(tx.db, actor.accountId, id))) throw notFound();
        const delivered = await store.findDelivered(tx.db, id, deliveryId);
        if (!delivered) throw notFound();
        tx.afterCommit(() => wake([id]));
        return store.insertUrgentDelivery(tx.db, {
          subscriptionId: id,
          eventSeq: delivered.event_seq,
          subject: delivered.subject,
          at: clock(),
        });
      });
      return { result: await attemptOf(seq), replayed };
    },

    /** The size of the outbox across all accounts, for the operator. */
    outboxDepth: () => measureOutbox(storage.read),

    /**
     * The events of a channel after the given sequence, in order, whatever their outcome. @throws DomainError not_found
     */
    async eventsAfter(
      accountId: string,
      id: string,
      filter: store.SequenceFilter,
    ): Promise<Listed<store.SequencedEvent>> {
      await find(accountId, id);
      return store.listSequenced(storage.read, id, filter);
    },
  };
}
