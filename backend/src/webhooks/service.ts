import type { Actor } from '../accounts/token.ts';
import { type Clock, toIso } from '../clock.ts';
import type { SecretBox } from '../crypto.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { CHOOSABLE_EVENTS, type EventEnvelope, type EventName } from '../events/catalogue.ts';
import type { IdempotencyRequest, Once, Outcome } from '../idempotency/once.ts';
import { newId } from '../ids.ts';
import type { Announce } from '../jobs/jobs.ts';
import { checkNames, quote } from '../names.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Listed, Page } from '../wire.ts';
import type { ChannelFormat, DeliveryMetrics } from './attempt.ts';
import { cancelPending, measureOutbox } from './delivery-store.ts';
import type { Guard } from './guard.ts';
import { maskUrl } from './mask.ts';
import { createSecret } from './signing.ts';
import * as store from './store.ts';
import { type Attempt, MOST_CHANNELS, type Subscription, secretContext, urlContext } from './subscription.ts';

/** A channel just made, or given a new secret: the one answer that holds it. */
export type WithSecret = Subscription & { secret?: string };

/** How long a test waits for its turn and its answer: a channel whose 4 places are taken frees one within 10 s. */
const ATTEMPT_WAIT_MS = 25_000;
const ATTEMPT_POLL_MS = 10;

export type WebhookService = ReturnType<typeof createWebhookService>;

export function createWebhookService(deps: {
  storage: Storage;
  clock: Clock;
  once: Once;
  guard: Guard;
  secretBox: SecretBox;
  worker: string;
  wake(subscriptionIds: string[]): void;
  metrics?: DeliveryMetrics | undefined;
  /** tells open pages */
  announce?: Announce | undefined;
  /** writes an event that no channel chose: a test's */
  insertEvent(
    db: Db,
    event: { id: string; accountId: string; event: EventName; subject: string; occurredAt: number; body: string },
  ): Promise<number>;
}) {
  const { storage, clock, once, guard, secretBox, wake } = deps;

  const tell = (accountId: string, id: string) => deps.announce?.(accountId, { kind: 'channel', id });

  function checkEvents(names: string[]): EventName[] {
    const unknown = names.findIndex((name) => !CHOOSABLE_EVENTS.includes(name as EventName));
    if (unknown >= 0) {
      const sent = quote(names[unknown]?.slice(0, 80) ?? '');
      const expected = `must be one of ${CHOOSABLE_EVENTS.join(', ')}`;
      throw new DomainError('unknown_event', `${sent} is not an event that a channel can select: it ${expected}.`, {
        faults: [{ pointer: `/events/${unknown}`, detail: `${expected}; received ${sent}` }],
        facts: { allowed: CHOOSABLE_EVENTS },
      });
    }
    return CHOOSABLE_EVENTS.filter((name) => names.includes(name));
  }

  async function find(accountId: string, id: string): Promise<store.StoredSubscription> {
    const found = await store.findSubscription(storage.read, accountId, id);
    if (!found) throw notFound();
    return found;
  }

  /** Waits until a delivery that a person asked for is recorded. The rows are the truth, whichever process sends it. */
  async function attemptOf(seq: number): Promise<Attempt> {
    const giveUpAt = Date.now() + ATTEMPT_WAIT_MS;
    for (;;) {
      const found = await store.findOutcome(storage.read, seq);
      if (!found) throw notFound();
      if (found.attempt) return found.attempt;
      if (Date.now() > giveUpAt) {
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
     * Makes a channel. For the signed format the result holds its secret, this once.
     * @throws DomainError validation_error, unknown_event, blocked_address, channel_limit_reached, idempotency_conflict
     */
    async create(
      actor: Actor,
      input: { url: string; events: string[]; format: ChannelFormat; name?: string | undefined; enabled: boolean },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<Outcome<WithSecret>> {
      const events = checkEvents(input.events);
      checkNames(['name'], input);
      await guard.checkUrl(input.url);
      const masked = maskUrl(input.url, input.format);
      const withoutSecret = ({ secret: _secret, ...channel }: WithSecret): WithSecret => ({ ...channel, url: masked });
      return once(
        actor.accountId,
        idempotency,
        async ({ db, afterCommit }) => {
          const id = newId();
          afterCommit(() => tell(actor.accountId, id));
          const secret = input.format === 'signed' ? createSecret() : undefined;
          const created = await store.insertSubscription(db, actor.accountId, {
            id,
            name: input.name ?? new URL(input.url).host,
            urlSealed: secretBox.seal(input.url, urlContext(id)),
            urlShown: masked,
            format: input.format,
            secretSealed: secret === undefined ? null : secretBox.seal(secret, secretContext(id)),
            enabled: input.enabled,
            events,
            at: clock(),
          });
          if (!created) {
            throw new DomainError(
              'channel_limit_reached',
              `The account has ${MOST_CHANNELS} webhook channels, which is the maximum. Delete one you no longer need.`,
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
      // a client that sends back what it read sends the masked address: that is no new one
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
                  url_sealed: secretBox.seal(url, urlContext(id)),
                  url_shown: maskUrl(url, stored.subscription.format),
                }),
          },
          events,
          at,
        );
        afterCommit(() => tell(actor.accountId, id));
        if (stored.subscription.enabled && !subscription.enabled) {
          const cancelled = await cancelPending(db, id, deps.worker, at);
          if (cancelled > 0) {
            afterCommit(() => {
              deps.metrics?.ended('channel_disabled', cancelled);
              deps.announce?.(actor.accountId, { kind: 'delivery', id });
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
      tell(actor.accountId, id);
    },

    /** Gives a signed channel a new secret and ends the old one in the same commit. @throws DomainError not_found, validation_error */
    async recreateSecret(
      actor: Actor,
      id: string,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<Outcome<WithSecret>> {
      return once(
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
            { secret_sealed: secretBox.seal(secret, secretContext(id)) },
            undefined,
            clock(),
          );
          return { ...subscription, secret };
        },
        ({ secret: _secret, ...channel }) => channel,
      );
    },

    /** Sends `webhook.test` down the path of every event. Resolves with the attempt, also when it failed. @throws DomainError not_found */
    async sendTest(actor: Actor, id: string, idempotency: IdempotencyRequest | undefined): Promise<Outcome<Attempt>> {
      const { result: seq, replayed } = await once(actor.accountId, idempotency, async (tx) => {
        if (!(await store.lockSubscription(tx.db, actor.accountId, id))) throw notFound();
        const at = clock();
        const eventId = newId();
        const envelope: EventEnvelope<'webhook.test'> = {
          event: 'webhook.test',
          occurred_at: toIso(at),
          data: { subscription_id: id, message: 'This is a test event from Farmboard. No orders were changed.' },
        };
        // a subject of its own: a test waits for no event and no event for a test
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
          deps.announce?.(actor.accountId, { kind: 'event', id: eventId });
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

    /** Sends the event of an earlier attempt once more: a person's new attempt, not a retry. @throws DomainError not_found */
    async resend(
      actor: Actor,
      id: string,
      deliveryId: string,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<Outcome<Attempt>> {
      const { result: seq, replayed } = await once(actor.accountId, idempotency, async (tx) => {
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

    /** What waits in the outbox of the whole database, for the operator. */
    outboxDepth: () => measureOutbox(storage.read),

    /** What the channel was sent, or should have been, after a number of its own counter, in order. @throws DomainError not_found */
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
