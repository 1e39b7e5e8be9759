import { type Clock, HOUR_MS, toIso } from '../../../../common/src/clock.ts';
import type { SecretBox } from '../../../../common/src/crypto.ts';
import type { Logger } from '../../../../common/src/logger.ts';
import type * as accountStore from '../../accounts/account-store.ts';
import type { Actor } from '../../accounts/token.ts';
import { type EventName, SELECTABLE_EVENTS } from '../../events/catalog.ts';
import type * as eventStore from '../../events/event-store.ts';
import type * as printerStore from '../../printers/printer-store.ts';
import { DomainError, invalid, notFound } from '../../shared/errors.ts';
import { nextVersion } from '../../shared/etag.ts';
import { newId } from '../../shared/ids.ts';
import { checkNames, quote } from '../../shared/names.ts';
import type { Listed, Page } from '../../shared/pagination.ts';
import { requireRecentPassword } from '../../shared/recent-password.ts';
import type { Db } from '../../storage/dialect.ts';
import type {
  IdempotencyRequest,
  IdempotentResult,
  WithIdempotency,
} from '../../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../../storage/open.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { DeliveryMetrics } from '../delivery/attempt.ts';
import {
  listAttempts,
  listSequenced,
  type SequencedEvent,
  type SequenceFilter,
} from '../delivery/delivery-history-store.ts';
import { findFirstMissed, insertUrgentDelivery, measureOutbox } from '../delivery/delivery-store.ts';
import type { Guard } from '../delivery/guard.ts';
import { addMissed, cancelPending, endForDeleted, reportEnded } from '../delivery/transitions.ts';
import { isSigned, maskUrl, type SubscriptionFormat } from '../formats/formats.ts';
import * as deletedStore from './deleted-store.ts';
import { checkPrinters, findUnknownMaterials, type Warnings } from './filter.ts';
import { type StoredHeader, toHeaderChange, toStoredHeader } from './header.ts';
import { requireSecrets } from './lost-secrets.ts';
import { type EventOfDelivery, findEventOf, insertTestEvent, waitForAttempt } from './requested-deliveries.ts';
import {
  createSecret,
  DELETED_KEPT_MS,
  MAX_SUBSCRIPTIONS,
  previousSecretContext,
  secretContext,
  urlContext,
} from './subscription.ts';
import type {
  Attempt,
  NewSecret,
  NewSubscription,
  Subscription,
  SubscriptionPatch,
  UpdatedSubscription,
} from './subscription-schema.ts';
import * as store from './subscription-store.ts';

/** A subscription that was just created or got a new secret. Only this response contains the secret. */
export type WithSecret = Subscription & { secret?: string; previous_secret_valid_until?: string; warnings?: Warnings };

interface WebhookDeps {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  withIdempotency: WithIdempotency;
  guard: Guard;
  secretBox: SecretBox;
  accounts: Pick<typeof accountStore, 'lockAccount'>;
  events: Pick<typeof eventStore, 'insertEvent'>;
  printers: Pick<typeof printerStore, 'listExisting'>;
  /** @returns those of the given materials that an order or a filament of the account has */
  findMaterials(accountId: string, materials: string[]): Promise<string[]>;
  worker: string;
  wake(subscriptionIds: string[]): void;
  metrics?: DeliveryMetrics | undefined;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createWebhookService(deps: WebhookDeps) {
  const { storage, clock, withIdempotency, guard, secretBox, accounts, events, printers, worker, wake } = deps;
  const materialsOf = (accountId: string) => (materials: string[]) => deps.findMaterials(accountId, materials);
  const printersOf = (accountId: string) => (ids: string[]) => printers.listExisting(storage.read, accountId, ids);

  /** @throws DomainError not_found */
  async function findSubscription(accountId: string, id: string): Promise<Subscription> {
    const found = await store.findSubscription(storage.read, accountId, id);
    if (!found) throw notFound();
    return found.subscription;
  }

  /** Sends an event to one subscription ahead of everything else, and resolves with its attempt, even a failed one. */
  async function deliverNow(
    accountId: string,
    id: string,
    idempotency: IdempotencyRequest | undefined,
    eventOf: (tx: Tx) => Promise<EventOfDelivery>,
  ): Promise<IdempotentResult<Attempt>> {
    const { result: seq, replayed } = await withIdempotency(accountId, idempotency, async (tx) => {
      await lockSubscriptionOf(tx.db, accountId, id);
      const event = await eventOf(tx);
      tx.afterCommit(() => wake([id]));
      return insertUrgentDelivery(tx.db, { subscriptionId: id, ...event });
    });
    return { result: await waitForAttempt(storage, seq), replayed };
  }

  return {
    list: (accountId: string, page: Page): Promise<Listed<Subscription>> =>
      store.listSubscriptions(storage.read, accountId, page),

    /** @throws DomainError not_found */
    get: findSubscription,

    /**
     * Creates a subscription. For the signed format, only this result contains the secret.
     * @throws DomainError validation_error, unknown_event, blocked_address, channel_limit_reached, client_key_in_use,
     * idempotency_conflict, password_required
     */
    async create(
      actor: Actor,
      input: NewSubscription,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<WithSecret>> {
      requireRecentPassword(actor, clock());
      const { accountId } = actor;
      const selected = checkEvents(input.events);
      checkNames(['name'], input);
      await checkPrinters(printersOf(accountId), input.filter);
      await guard.checkUrl(input.url);
      const unknown = await findUnknownMaterials(materialsOf(accountId), input.filter);
      return withIdempotency(
        accountId,
        idempotency,
        async (tx): Promise<WithSecret> => {
          const secret = isSigned(input.format) ? createSecret() : undefined;
          await accounts.lockAccount(tx.db, accountId);
          const deletedId = await findDeleted(deps, tx, accountId, input.client_key);
          const row = toRow(deps, deletedId ?? newId(), input, selected, secret);
          const created =
            deletedId === undefined
              ? await store.insertSubscription(tx.db, accountId, row)
              : await continueSubscription(deps, tx, accountId, row);
          if (!created) {
            throw new DomainError(
              'channel_limit_reached',
              `The account has ${MAX_SUBSCRIPTIONS} webhook subscriptions, which is the maximum. Delete one you no longer need.`,
            );
          }
          tx.changed(accountId, { kind: 'subscription', id: row.id });
          return { ...created.subscription, ...unknown, url: input.url, ...(secret === undefined ? {} : { secret }) };
        },
        forReplays(accountId),
      );
    },

    /**
     * Another address or header needs the password, because both decide who learns of the events, or who takes them.
     * @throws DomainError not_found, validation_error, unknown_event, blocked_address, password_required
     */
    async update(
      actor: Actor,
      id: string,
      { events: names, url: sentUrl, name, enabled, filter, pause_after_failures, header }: SubscriptionPatch,
      ifMatch?: string,
    ): Promise<UpdatedSubscription> {
      const { accountId } = actor;
      const selected = names && checkEvents(names);
      const before = await findSubscription(accountId, id);
      checkNames(['name'], { name }, before);
      await checkPrinters(printersOf(accountId), filter, before.filter);
      // a client that sends back what it read sends the masked URL, which is not a change
      const url = sentUrl === before.url ? undefined : sentUrl;
      if (url !== undefined) {
        requireRecentPassword(actor, clock());
        await guard.checkUrl(url);
      }
      const unknown = await findUnknownMaterials(materialsOf(accountId), filter);
      return storage.inTransaction(async (tx) => {
        const locked = await lockSubscriptionOf(tx.db, accountId, id);
        const { subscription: stored, missedAfter } = locked;
        const at = nextVersion(stored, ifMatch, 'subscription', clock());
        const change = {
          name,
          enabled,
          filter,
          pauseAfterFailures: pause_after_failures,
          header: changedHeader(deps, actor, { header, url }, locked),
          events: selected,
          ...(url === undefined ? {} : toStoredUrl(secretBox, id, url, stored.format)),
        };
        const isSwitched = enabled !== undefined && enabled !== stored.enabled;
        if (isSwitched) await store.noteSwitch(tx.db, id, enabled, at);
        const updated = await store.updateSubscription(tx.db, id, change, at);
        tx.changed(accountId, { kind: 'subscription', id });
        const result = { ...updated.subscription, ...unknown };
        if (!isSwitched) return result;
        if (enabled) {
          requireSecrets(secretBox, updated);
          return { ...result, first_missed_event: await findMissed(tx.db, id, missedAfter) };
        }
        await discardPending(deps, tx, accountId, id);
        return result;
      });
    },

    /** Deletes a subscription. One with a client key can be continued for 30 days. @throws DomainError not_found */
    remove({ accountId }: Actor, id: string): Promise<void> {
      return storage.inTransaction(async ({ db, afterCommit, changed }) => {
        await accounts.lockAccount(db, accountId);
        const { subscription } = await lockSubscriptionOf(db, accountId, id);
        changed(accountId, { kind: 'subscription', id });
        if (subscription.client_key === undefined) return store.deleteSubscription(db, id);
        const ended = await endForDeleted(db, id, worker);
        afterCommit(() => reportEnded(deps, ended));
        const noUrl = secretBox.encrypt('', urlContext(id));
        await deletedStore.retireSubscription(db, accountId, id, { noUrl, at: clock() });
      });
    },

    /**
     * Replaces the secret of a signed subscription; the old one stops working with the commit, or after the overlap.
     * @throws DomainError not_found, validation_error, password_required
     */
    async recreateSecret(
      actor: Actor,
      id: string,
      { overlap_hours: overlapHours }: NewSecret,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<WithSecret>> {
      requireRecentPassword(actor, clock());
      const { accountId } = actor;
      return withIdempotency(
        accountId,
        idempotency,
        async ({ db }): Promise<WithSecret> => {
          const { subscription: stored, encryptedSecret } = await lockSubscriptionOf(db, accountId, id);
          if (!isSigned(stored.format)) {
            throw invalid(
              '/format',
              "Only signed subscriptions have a signing secret. A chat subscription's secret is its URL.",
            );
          }
          const secret = createSecret();
          const change = { encryptedSecret: secretBox.encrypt(secret, secretContext(id)) };
          const at = clock();
          const until = at + overlapHours * HOUR_MS;
          // one that was lost with the secret key can't stay valid
          const old = secretBox.tryDecrypt(encryptedSecret ?? '', secretContext(id));
          const isKept = old !== undefined && until > at;
          const kept = isKept ? { encrypted: secretBox.encrypt(old, previousSecretContext(id)), until } : null;
          await store.keepSecret(db, id, kept);
          const { subscription } = await store.updateSubscription(db, id, change, at);
          return { ...subscription, secret, ...(isKept ? { previous_secret_valid_until: toIso(until) } : {}) };
        },
        forReplays(accountId),
      );
    },

    /** Sends `webhook.test` like any other event. @throws DomainError not_found */
    sendTest: (actor: Actor, id: string, idempotency: IdempotencyRequest | undefined) =>
      deliverNow(actor.accountId, id, idempotency, (tx) => insertTestEvent(events, tx, actor, id, clock())),

    /** The last attempts of a subscription, newest first, at most 20. @throws DomainError not_found */
    async attempts(accountId: string, id: string): Promise<Attempt[]> {
      await findSubscription(accountId, id);
      return listAttempts(storage.read, id);
    },

    /** Sends the event of an earlier attempt again as a new attempt, on request of a person. @throws DomainError not_found */
    resend: ({ accountId }: Actor, id: string, deliveryId: string, idempotency: IdempotencyRequest | undefined) =>
      deliverNow(accountId, id, idempotency, (tx) => findEventOf(tx, id, deliveryId)),

    /** The size of the outbox across all accounts, for the operator. */
    outboxDepth: () => measureOutbox(storage.read),

    /**
     * The events of a subscription after the given sequence, in order, whatever their outcome.
     * @throws DomainError not_found
     */
    async eventsAfter(accountId: string, id: string, filter: SequenceFilter): Promise<Listed<SequencedEvent>> {
      await findSubscription(accountId, id);
      return listSequenced(storage.read, id, filter);
    },
  };
}

/** Locks a subscription until the transaction ends. @throws DomainError not_found */
async function lockSubscriptionOf(db: Db, accountId: string, id: string): Promise<store.StoredSubscription> {
  const stored = await store.lockSubscription(db, accountId, id);
  if (!stored) throw notFound();
  return stored;
}

/** @throws DomainError unknown_event */
function checkEvents(names: string[]): EventName[] {
  const unknown = names.findIndex((name) => !SELECTABLE_EVENTS.includes(name as EventName));
  if (unknown >= 0) {
    const sent = quote(names[unknown]?.slice(0, 80) ?? '');
    const expected = `must be one of ${SELECTABLE_EVENTS.join(', ')}`;
    throw new DomainError('unknown_event', `${sent} is not an event that a subscription can select: it ${expected}.`, {
      faults: [{ pointer: `/events/${unknown}`, detail: `${expected}; received ${sent}` }],
      facts: { allowed: SELECTABLE_EVENTS },
    });
  }
  return SELECTABLE_EVENTS.filter((name) => names.includes(name));
}

/**
 * Finds the deleted subscription that a new one with this key continues.
 * @throws DomainError client_key_in_use if the subscription with this key is not deleted
 */
async function findDeleted(
  { clock }: WebhookDeps,
  { db }: Tx,
  accountId: string,
  clientKey: string | undefined,
): Promise<string | undefined> {
  const found = clientKey === undefined ? undefined : await deletedStore.lockByClientKey(db, accountId, clientKey);
  if (!found) return undefined;
  const { id, deletedAt } = found;
  if (deletedAt === null) {
    const detail = `The webhook subscription ${id} has this client_key. Delete it to continue it, or use another key.`;
    throw new DomainError('client_key_in_use', detail, { facts: { id } });
  }
  if (deletedAt >= clock() - DELETED_KEPT_MS) return id;
  await store.deleteSubscription(db, id);
  return undefined;
}

/**
 * Continues a deleted subscription, with the events that it missed as failed deliveries.
 * @returns undefined if all ten slots are taken
 */
async function continueSubscription(
  { logger }: WebhookDeps,
  { db, afterCommit, changed }: Tx,
  accountId: string,
  row: store.NewSubscription,
): Promise<store.StoredSubscription | undefined> {
  const continued = await deletedStore.continueSubscription(db, accountId, row);
  if (!continued) return undefined;
  const missed = await addMissed(db, row.id);
  afterCommit(() => logger.info({ subscription_id: row.id, missed }, 'a deleted subscription was continued'));
  changed(accountId, { kind: 'delivery', id: row.id });
  return continued;
}

/** The header to store; undefined: it stays. @throws DomainError validation_error, password_required */
function changedHeader(
  { secretBox, clock }: WebhookDeps,
  actor: Actor,
  sent: Pick<SubscriptionPatch, 'header' | 'url'>,
  { subscription: { id, header }, encryptedUrl }: store.StoredSubscription,
): StoredHeader | undefined {
  const changed = toHeaderChange(secretBox, id, sent, { header, encryptedUrl });
  if (changed !== undefined) requireRecentPassword(actor, clock());
  return changed;
}

function toRow(
  { secretBox, clock }: WebhookDeps,
  id: string,
  input: NewSubscription,
  events: EventName[],
  secret: string | undefined,
): store.NewSubscription {
  return {
    id,
    clientKey: input.client_key,
    name: input.name ?? new URL(input.url).host,
    ...toStoredUrl(secretBox, id, input.url, input.format),
    format: input.format,
    encryptedSecret: secret === undefined ? null : secretBox.encrypt(secret, secretContext(id)),
    enabled: input.enabled,
    filter: input.filter,
    header: toStoredHeader(secretBox, id, input.header ?? null),
    pauseAfterFailures: input.pause_after_failures,
    events,
    at: clock(),
  };
}

/**
 * What is stored of a result about a channel has no secret, and neither its address nor its header, which would outlive
 * the channel there; its name may be its host. A replay has those of the channel as it is now, and none if it is deleted.
 */
const forReplays = (accountId: string) => ({
  keep: ({ secret: _secret, ...subscription }: WithSecret): WithSecret => ({
    ...subscription,
    name: '',
    url: '',
    header: null,
  }),
  async restore(kept: WithSecret, { db }: Tx): Promise<WithSecret> {
    const found = await store.findSubscription(db, accountId, kept.id);
    if (!found) return kept;
    const { name, url, header } = found.subscription;
    return { ...kept, name, url, header };
  },
});

const toStoredUrl = (secretBox: SecretBox, id: string, url: string, format: SubscriptionFormat) => ({
  encryptedUrl: secretBox.encrypt(url, urlContext(id)),
  maskedUrl: maskUrl(url, format),
});

/** @param after null if the subscription was never enabled */
async function findMissed(
  db: Db,
  id: string,
  after: number | null,
): Promise<UpdatedSubscription['first_missed_event']> {
  const missed = after === null ? undefined : await findFirstMissed(db, id, after);
  return missed ? { ...missed, occurred_at: toIso(missed.occurred_at) } : null;
}

/** Ends the pending deliveries of a subscription that was turned off. */
async function discardPending(deps: WebhookDeps, tx: Tx, accountId: string, id: string): Promise<void> {
  const ended = await cancelPending(tx.db, id, deps.worker);
  if (ended.length === 0) return;
  tx.afterCommit(() => reportEnded(deps, ended));
  tx.changed(accountId, { kind: 'delivery', id });
}
