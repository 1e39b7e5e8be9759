import type { Actor } from '../../accounts/token.ts';
import { type EventName, SELECTABLE_EVENTS } from '../../events/catalogue.ts';
import type { IdempotencyRequest, IdempotentResult } from '../../idempotency/with-idempotency.ts';
import type { SecretBox } from '../../shared/crypto.ts';
import { DomainError, invalid, notFound } from '../../shared/errors.ts';
import { nextVersion } from '../../shared/etag.ts';
import { newId } from '../../shared/ids.ts';
import { checkNames, quote } from '../../shared/names.ts';
import type { Listed, Page } from '../../shared/schemas.ts';
import type { Storage } from '../../storage/open.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { ChannelFormat } from '../delivery/attempt.ts';
import {
  listAttempts,
  listSequenced,
  type SequencedEvent,
  type SequenceFilter,
} from '../delivery/delivery-history-store.ts';
import { measureOutbox } from '../delivery/delivery-store.ts';
import { addMissed, cancelPending, endForDeleted, reportEnded } from '../delivery/transitions.ts';
import { maskUrl } from './mask.ts';
import { resend, sendTest } from './requested-deliveries.ts';
import {
  type Attempt,
  createSecret,
  DELETED_KEPT_MS,
  MAX_CHANNELS,
  type Subscription,
  secretContext,
  urlContext,
} from './subscription.ts';
import * as store from './subscription-store.ts';
import { lockChannelOf, type WebhookDeps } from './webhook-deps.ts';

/** A channel that was just created or got a new secret. Only this response contains the secret. */
export type WithSecret = Subscription & { secret?: string };

interface NewChannel {
  url: string;
  events: string[];
  format: ChannelFormat;
  name?: string | undefined;
  enabled: boolean;
  client_key?: string | undefined;
}

interface ChannelPatch {
  url?: string | undefined;
  events?: string[] | undefined;
  name?: string | undefined;
  enabled?: boolean | undefined;
}

export type WebhookService = ReturnType<typeof createWebhookService>;

export function createWebhookService(deps: WebhookDeps) {
  const { storage } = deps;
  return {
    list: (accountId: string, page: Page): Promise<Listed<Subscription>> =>
      store.listSubscriptions(storage.read, accountId, page),

    /** @throws DomainError not_found */
    get: (accountId: string, id: string): Promise<Subscription> => findChannel(storage, accountId, id),

    /** @throws DomainError validation_error, unknown_event, blocked_address, channel_limit_reached, client_key_in_use, idempotency_conflict */
    create: (actor: Actor, input: NewChannel, idempotency: IdempotencyRequest | undefined) =>
      createChannel(deps, actor, input, idempotency),

    /** @throws DomainError not_found, validation_error, unknown_event, blocked_address */
    update: (actor: Actor, id: string, patch: ChannelPatch, ifMatch?: string): Promise<Subscription> =>
      updateChannel(deps, actor, id, patch, ifMatch),

    /** @throws DomainError not_found */
    remove: ({ accountId }: Actor, id: string): Promise<void> => removeChannel(deps, accountId, id),

    /** @throws DomainError not_found, validation_error */
    recreateSecret: (actor: Actor, id: string, idempotency: IdempotencyRequest | undefined) =>
      recreateSecret(deps, actor, id, idempotency),

    /** @throws DomainError not_found */
    sendTest: (actor: Actor, id: string, idempotency: IdempotencyRequest | undefined) =>
      sendTest(deps, actor, id, idempotency),

    /** The last attempts of a channel, newest first, at most 20. @throws DomainError not_found */
    async attempts(accountId: string, id: string): Promise<Attempt[]> {
      await findChannel(storage, accountId, id);
      return listAttempts(storage.read, id);
    },

    /** @throws DomainError not_found */
    resend: (actor: Actor, id: string, deliveryId: string, idempotency: IdempotencyRequest | undefined) =>
      resend(deps, actor, id, deliveryId, idempotency),

    /** The size of the outbox across all accounts, for the operator. */
    outboxDepth: () => measureOutbox(storage.read),

    /** The events of a channel after the given sequence, in order, whatever their outcome. @throws DomainError not_found */
    async eventsAfter(accountId: string, id: string, filter: SequenceFilter): Promise<Listed<SequencedEvent>> {
      await findChannel(storage, accountId, id);
      return listSequenced(storage.read, id, filter);
    },
  };
}

/** @throws DomainError not_found */
async function findChannel(storage: Storage, accountId: string, id: string): Promise<Subscription> {
  const found = await store.findSubscription(storage.read, accountId, id);
  if (!found) throw notFound();
  return found.subscription;
}

/** @throws DomainError unknown_event */
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

/** Creates a channel. For the signed format, only this result contains the secret. */
async function createChannel(
  deps: WebhookDeps,
  { accountId }: Actor,
  input: NewChannel,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<WithSecret>> {
  const events = checkEvents(input.events);
  checkNames(['name'], input);
  await deps.guard.checkUrl(input.url);
  const masked = maskUrl(input.url, input.format);
  return deps.withIdempotency(
    accountId,
    idempotency,
    async (tx): Promise<WithSecret> => {
      const secret = input.format === 'signed' ? createSecret() : undefined;
      await deps.lockAccount(tx.db, accountId);
      const deletedId = await findDeleted(deps, tx, accountId, input.client_key);
      const row = toRow(deps, deletedId ?? newId(), input, events, secret);
      const created =
        deletedId === undefined
          ? await store.insertSubscription(tx.db, accountId, row)
          : await continueChannel(deps, tx, accountId, row);
      if (!created) {
        throw new DomainError(
          'channel_limit_reached',
          `The account has ${MAX_CHANNELS} webhook channels, which is the maximum. Delete one you no longer need.`,
        );
      }
      tx.changed(accountId, { kind: 'channel', id: row.id });
      return { ...created.subscription, url: input.url, ...(secret === undefined ? {} : { secret }) };
    },
    ({ secret: _secret, ...channel }) => ({ ...channel, url: masked }),
  );
}

/**
 * Finds the deleted channel that a new one with this key continues.
 * @throws DomainError client_key_in_use if the channel with this key is not deleted
 */
async function findDeleted(
  { clock }: WebhookDeps,
  { db }: Tx,
  accountId: string,
  clientKey: string | undefined,
): Promise<string | undefined> {
  const found = clientKey === undefined ? undefined : await store.lockByClientKey(db, accountId, clientKey);
  if (!found) return undefined;
  const { id, deletedAt } = found;
  if (deletedAt === null) {
    const detail = `The webhook channel ${id} has this client_key. Delete it to continue it, or use another key.`;
    throw new DomainError('client_key_in_use', detail, { facts: { id } });
  }
  if (deletedAt >= clock() - DELETED_KEPT_MS) return id;
  await store.deleteSubscription(db, id);
  return undefined;
}

/**
 * Continues a deleted channel, with the events that it missed as failed deliveries.
 * @returns undefined if all ten slots are taken
 */
async function continueChannel(
  { logger }: WebhookDeps,
  { db, afterCommit, changed }: Tx,
  accountId: string,
  row: store.NewSubscription,
): Promise<store.StoredSubscription | undefined> {
  const continued = await store.continueSubscription(db, accountId, row);
  if (!continued) return undefined;
  const missed = await addMissed(db, row.id);
  afterCommit(() => logger.info({ subscription_id: row.id, missed }, 'a deleted channel was continued'));
  changed(accountId, { kind: 'delivery', id: row.id });
  return continued;
}

/** Deletes a channel. One with a client key can be continued for 30 days. @throws DomainError not_found */
async function removeChannel(deps: WebhookDeps, accountId: string, id: string): Promise<void> {
  await deps.storage.inTransaction(async ({ db, afterCommit, changed }) => {
    await deps.lockAccount(db, accountId);
    const { subscription } = await lockChannelOf(db, accountId, id);
    changed(accountId, { kind: 'channel', id });
    if (subscription.client_key === undefined) return store.deleteSubscription(db, id);
    const ended = await endForDeleted(db, id, deps.worker);
    afterCommit(() => reportEnded(deps, ended));
    const noUrl = deps.secretBox.encrypt('', urlContext(id));
    await store.retireSubscription(db, accountId, id, { noUrl, at: deps.clock() });
  });
}

function toRow(
  { secretBox, clock }: WebhookDeps,
  id: string,
  input: NewChannel,
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
    events,
    at: clock(),
  };
}

const toStoredUrl = (secretBox: SecretBox, id: string, url: string, format: ChannelFormat) => ({
  encryptedUrl: secretBox.encrypt(url, urlContext(id)),
  maskedUrl: maskUrl(url, format),
});

async function updateChannel(
  deps: WebhookDeps,
  { accountId }: Actor,
  id: string,
  { events: names, url: sentUrl, name, enabled }: ChannelPatch,
  ifMatch: string | undefined,
): Promise<Subscription> {
  const events = names && checkEvents(names);
  const before = await findChannel(deps.storage, accountId, id);
  checkNames(['name'], { name }, before);
  // a client that sends back what it read sends the masked URL, which is not a change
  const url = sentUrl === before.url ? undefined : sentUrl;
  if (url !== undefined) await deps.guard.checkUrl(url);
  return deps.storage.inTransaction(async (tx) => {
    const { subscription: stored } = await lockChannelOf(tx.db, accountId, id);
    const at = nextVersion(stored, ifMatch, 'channel', deps.clock());
    const change = {
      name,
      enabled,
      events,
      ...(url === undefined ? {} : toStoredUrl(deps.secretBox, id, url, stored.format)),
    };
    const updated = await store.updateSubscription(tx.db, id, change, at);
    const { subscription } = updated;
    if (!stored.enabled && subscription.enabled) requireSecrets(deps, updated);
    tx.changed(accountId, { kind: 'channel', id });
    if (stored.enabled && !subscription.enabled) await discardPending(deps, tx, accountId, id);
    return subscription;
  });
}

/** @throws DomainError validation_error if something that the channel needs was lost with the secret key */
function requireSecrets(
  { secretBox }: WebhookDeps,
  { subscription: { id, format }, encryptedUrl, encryptedSecret }: store.StoredSubscription,
): void {
  if (!secretBox.tryDecrypt(encryptedUrl, urlContext(id)))
    throw invalid(
      '/enabled',
      'The address of this channel was lost with the secret key of the service. Enter it again, then turn the channel on.',
    );
  if (format === 'signed' && !secretBox.tryDecrypt(encryptedSecret ?? '', secretContext(id)))
    throw invalid(
      '/enabled',
      'The signing secret of this channel was lost with the secret key of the service. Create a new one and give it to the receiver, then turn the channel on.',
    );
}

/** Ends the pending deliveries of a channel that was turned off. */
async function discardPending(deps: WebhookDeps, tx: Tx, accountId: string, id: string): Promise<void> {
  const ended = await cancelPending(tx.db, id, deps.worker);
  if (ended.length === 0) return;
  tx.afterCommit(() => reportEnded(deps, ended));
  tx.changed(accountId, { kind: 'delivery', id });
}

/** Replaces the secret of a signed channel; the old one stops working with the commit. */
function recreateSecret(
  deps: WebhookDeps,
  { accountId }: Actor,
  id: string,
  idempotency: IdempotencyRequest | undefined,
): Promise<IdempotentResult<WithSecret>> {
  return deps.withIdempotency(
    accountId,
    idempotency,
    async ({ db }): Promise<WithSecret> => {
      const { subscription: stored } = await lockChannelOf(db, accountId, id);
      if (stored.format !== 'signed') {
        throw invalid('/format', "Only signed channels have a signing secret. A chat channel's secret is its URL.");
      }
      const secret = createSecret();
      const change = { encryptedSecret: deps.secretBox.encrypt(secret, secretContext(id)) };
      const { subscription } = await store.updateSubscription(db, id, change, deps.clock());
      return { ...subscription, secret };
    },
    ({ secret: _secret, ...channel }) => channel,
  );
}
