import { type Clock, toDay, toIso } from '../../../common/src/clock.ts';
import { type Sign, sha256 } from '../../../common/src/crypto.ts';
import type { Actor } from '../accounts/token.ts';
import type { Outbox } from '../events/outbox.ts';
import { networkOf } from '../http/client.ts';
import type { OrderService } from '../orders/order-service.ts';
import { notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Language } from '../shared/language.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { isUniqueViolation } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import { type FileKind, safeName } from './file-kind.ts';
import * as files from './file-store.ts';
import { type LeadState, MAX_ACCOUNT_BYTES, PER_ACCOUNT, PER_CLIENT, PER_NETWORK } from './lead.ts';
import type { Lead, LeadText } from './lead-schema.ts';
import * as store from './lead-store.ts';
import { toOrder } from './order-from-lead.ts';
import { lockProfile } from './profile/profile-store.ts';

export interface Submission {
  accountId: string;
  text: LeadText;
  file: { name: string; kind: FileKind; content: Buffer } | undefined;
  /** of the form it came from: the same form with the same texts is the same request */
  token: string;
  /** identifies the sender for rate limits */
  client: string;
}

/** `full`: there is no space for its file */
export type SubmissionResult = 'accepted' | 'too_many_of_client' | 'too_many_of_account' | 'full';

interface LeadDeps {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
  sign: Sign;
  orders: Pick<OrderService, 'createInTransaction'>;
}

export type LeadService = ReturnType<typeof createLeadService>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createLeadService({ storage, clock, outbox, sign, orders }: LeadDeps) {
  // only a hash of the sender's address is stored
  const keyOfClient = (client: string) => `client:${sign(`client\n${client}`)}`;

  /** The limits of a request, in the order in which they are locked, so that concurrent requests can't deadlock. */
  function limitsOf(accountId: string, client: string) {
    const network = networkOf(client);
    return [
      { key: keyOfClient(client), ...PER_CLIENT, refusal: 'too_many_of_client' },
      ...(network === undefined
        ? []
        : [{ key: keyOfClient(network), ...PER_NETWORK, refusal: 'too_many_of_client' } as const]),
      { key: `account:${accountId}`, ...PER_ACCOUNT, refusal: 'too_many_of_account' },
    ] as const;
  }

  async function lockLimits(tx: Tx, accountId: string, client: string, now: number) {
    const limits: { key: string; times: number[]; refusal: SubmissionResult | undefined }[] = [];
    for (const { key, max, withinMs, refusal } of limitsOf(accountId, client)) {
      const times = recent(await store.lockTimes(tx.db, key, now), now, withinMs);
      limits.push({ key, times, refusal: times.length >= max ? refusal : undefined });
    }
    return limits;
  }

  async function storeSubmission(
    tx: Tx,
    { accountId, text, file, token, client }: Submission,
  ): Promise<SubmissionResult> {
    const now = clock();
    const limits = await lockLimits(tx, accountId, client, now);
    const profile = await lockProfile(tx.db, accountId);
    if (!profile?.is_public) throw notFound();
    const fingerprint = sha256(JSON.stringify([accountId, token, text, file ? sha256(file.content) : null]));
    // a second click on the button gets the same answer
    if (await store.fingerprintExists(tx.db, fingerprint)) return 'accepted';
    const refusal = limits.find((limit) => limit.refusal)?.refusal;
    if (refusal) return refusal;
    if (file && (await files.countBytes(tx.db, accountId)) + file.content.length > MAX_ACCOUNT_BYTES) return 'full';
    const id = newId();
    const fileId = file ? await insertAttachment(tx, accountId, file, now) : null;
    await store.insertLead(tx.db, accountId, { ...text, id, fileId, fingerprint, at: now });
    for (const { key, times } of limits) await store.saveTimes(tx.db, key, [...times, now]);
    await sendCreated(tx, { id, accountId, text, hasFile: file !== undefined, at: now });
    tx.changed(accountId, { kind: 'lead', id });
    return 'accepted';
  }

  async function sendCreated(
    tx: Tx,
    lead: { id: string; accountId: string; text: LeadText; hasFile: boolean; at: number },
  ): Promise<void> {
    const { id, accountId, text, hasFile, at } = lead;
    const { description, contact, client_email, budget, deadline } = text;
    await outbox.append(tx, {
      accountId,
      event: 'lead.created',
      subject: `lead:${id}`,
      data: {
        lead_id: id,
        description,
        contact,
        client_email,
        budget,
        deadline,
        has_file: hasFile,
        created_at: toIso(at),
      },
      occurredAt: at,
    });
  }

  return {
    /**
     * Stores a request and sends `lead.created` in one transaction. @throws DomainError not_found if the profile is no
     * longer public
     */
    async submit(submission: Submission): Promise<SubmissionResult> {
      try {
        return await storage.inTransaction((tx) => storeSubmission(tx, submission));
      } catch (error) {
        // the same form sent at the same moment from two addresses
        if (isUniqueViolation(error)) return 'accepted';
        throw error;
      }
    },

    /** Stores a request that no form sent: for sample data. @returns its id */
    async backfill(tx: Tx, { accountId }: Actor, text: LeadText): Promise<string> {
      const id = newId();
      const at = clock();
      await store.insertLead(tx.db, accountId, { ...text, id, fileId: null, fingerprint: sha256(id), at });
      await sendCreated(tx, { id, accountId, text, hasFile: false, at });
      tx.changed(accountId, { kind: 'lead', id });
      return id;
    },

    /** The reason why a request would be refused, without taking locks. Checked before a body is read. */
    async limitOf(
      accountId: string,
      client: string,
    ): Promise<Exclude<SubmissionResult, 'accepted' | 'full'> | undefined> {
      const now = clock();
      for (const { key, max, withinMs, refusal } of limitsOf(accountId, client)) {
        if (recent(await store.readTimes(storage.read, key), now, withinMs).length >= max) return refusal;
      }
      return undefined;
    },

    list: (accountId: string, filter: store.LeadFilter, page: Page): Promise<Listed<Lead>> =>
      store.listLeads(storage.read, accountId, filter, page),

    counts: (accountId: string): Promise<Record<LeadState, number>> => store.countLeads(storage.read, accountId),

    /** @throws DomainError not_found */
    async get(accountId: string, id: string): Promise<Lead> {
      const lead = await store.findLead(storage.read, accountId, id);
      if (!lead) throw notFound();
      return lead;
    },

    /** @throws DomainError not_found, also if the request has no file */
    async file(accountId: string, id: string): Promise<{ name: string; content: Buffer }> {
      const lead = await store.findLeadFile(storage.read, accountId, id);
      const file = lead?.file_id ? await files.findFile(storage.read, accountId, lead.file_id) : undefined;
      if (!file) throw notFound();
      return { name: file.name, content: await files.readContent(storage.read, file.id) };
    },

    /** @throws DomainError not_found */
    setState: ({ accountId }: Actor, id: string, state: LeadState): Promise<Lead> =>
      storage.inTransaction(async (tx) => {
        const lead = await lock(tx, accountId, id);
        if (lead.state === state) return lead;
        tx.changed(accountId, { kind: 'lead', id });
        return store.updateLead(tx.db, id, { state }, clock());
      }),

    /** Deletes a request with its file. @throws DomainError not_found */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await lock(tx, accountId, id);
        const file = await store.findLeadFile(tx.db, accountId, id);
        await store.deleteLead(tx.db, id);
        if (file?.file_id) await files.deleteFile(tx.db, file.file_id);
        tx.changed(accountId, { kind: 'lead', id, gone: true });
      }),

    /**
     * Creates an order from a request. If the request has an order already, that order is returned; after it is
     * deleted, another one can be created.
     * @throws DomainError not_found
     */
    toOrder: (actor: Actor, id: string, language: Language): Promise<{ lead: Lead; isNew: boolean }> =>
      storage.inTransaction(async (tx) => {
        const lead = await lock(tx, actor.accountId, id);
        if (lead.order_id !== null) return { lead, isNew: false };
        const input = toOrder(lead, language, toDay(clock()));
        const { order } = await orders.createInTransaction(tx, actor, input);
        tx.changed(actor.accountId, { kind: 'lead', id });
        // the state stays: creating an order doesn't answer the customer
        return { lead: await store.updateLead(tx.db, id, { order_id: order.id }, clock()), isNew: true };
      }),
  };
}

/** @throws DomainError not_found */
async function lock(tx: Tx, accountId: string, id: string): Promise<Lead> {
  const lead = await store.lockLead(tx.db, accountId, id);
  if (!lead) throw notFound();
  return lead;
}

const recent = (times: readonly number[], now: number, withinMs: number) => times.filter((at) => at > now - withinMs);

/** @returns the id of the stored file */
async function insertAttachment(
  tx: Tx,
  accountId: string,
  { name, kind, content }: NonNullable<Submission['file']>,
  at: number,
): Promise<string> {
  const id = newId();
  await files.insertFile(tx.db, { id, accountId, purpose: 'lead', name: safeName(name, kind), kind, content, at });
  return id;
}
