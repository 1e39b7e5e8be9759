import { toIso, toIsoOrNull } from '../../../../common/src/clock.ts';
import { EVENT_NAMES, type EventName } from '../../events/catalog.ts';
import { type Listed, offsetOf, type Page } from '../../shared/pagination.ts';
import { bool, type Db, forUpdate, placeholders, query, queryOne, type Value } from '../../storage/dialect.ts';
import type { EncryptedColumns } from '../../storage/encrypted-columns.ts';
import { queryPage } from '../../storage/page.ts';
import type { AttemptError } from '../delivery/attempt.ts';
import type { SubscriptionFormat } from '../formats/formats.ts';
import type { SubscriptionFilter } from './filter.ts';
import { MASKED_VALUE, type StoredHeader } from './header.ts';
import { missedAfter } from './round-changes.ts';
import { headerContext, MAX_SUBSCRIPTIONS, previousSecretContext, secretContext, urlContext } from './subscription.ts';
import type { Subscription } from './subscription-schema.ts';

interface SubscriptionRow {
  id: string;
  name: string;
  url_encrypted: string;
  url_shown: string;
  format: SubscriptionFormat;
  secret_encrypted: string | null;
  enabled: number;
  filter: string | null;
  header_name: string | null;
  header_value_encrypted: string | null;
  last_sequence: number;
  client_key: string | null;
  consecutive_failures: number;
  last_success_at: number | null;
  last_error: AttemptError | null;
  pause_after_failures: number | null;
  paused_at: number | null;
  missed_after: number | null;
  created_at: number;
  updated_at: number;
}

export const ENCRYPTED_SUBSCRIPTION_COLUMNS: EncryptedColumns = {
  table: 'subscriptions',
  columns: {
    url_encrypted: urlContext,
    secret_encrypted: secretContext,
    previous_secret_encrypted: previousSecretContext,
    header_value_encrypted: headerContext,
  },
};

const COLUMNS = `id, name, url_encrypted, url_shown, format, secret_encrypted, enabled, filter, header_name,
  header_value_encrypted, last_sequence, client_key,
  consecutive_failures, last_success_at, last_error, pause_after_failures, paused_at, missed_after, created_at,
  updated_at`;

/** A subscription with its encrypted fields, for use inside the service only. */
export interface StoredSubscription {
  subscription: Subscription;
  encryptedUrl: string;
  encryptedSecret: string | null;
  /** the value of its extra header */
  encryptedHeader: string | null;
  /** while it is disabled: the place in the log after which it may have missed events; null: it was never enabled */
  missedAfter: number | null;
}

const toStored = (row: SubscriptionRow, events: EventName[]): StoredSubscription => ({
  subscription: {
    id: row.id,
    name: row.name,
    url: row.url_shown,
    format: row.format,
    events,
    enabled: row.enabled === 1,
    filter: row.filter === null ? null : JSON.parse(row.filter),
    header: row.header_name === null ? null : { name: row.header_name, value: MASKED_VALUE },
    ...(row.client_key === null ? {} : { client_key: row.client_key }),
    health: row.consecutive_failures === 0 ? 'ok' : 'failing',
    consecutive_failures: row.consecutive_failures,
    last_success_at: toIsoOrNull(row.last_success_at),
    last_error: row.last_error,
    pause_after_failures: row.pause_after_failures,
    paused_at: toIsoOrNull(row.paused_at),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  },
  encryptedUrl: row.url_encrypted,
  encryptedSecret: row.secret_encrypted,
  encryptedHeader: row.header_value_encrypted,
  missedAfter: row.missed_after,
});

/** The selected events of each subscription, in catalog order. */
async function eventsOf(db: Db, ids: string[]): Promise<Map<string, EventName[]>> {
  const rows = await query<{ subscription_id: string; event: EventName }>(
    db,
    `SELECT subscription_id, event FROM subscription_events WHERE subscription_id IN ${placeholders(1, ids.length)}`,
    ids,
  );
  return new Map(
    ids.map((id) => {
      const chosen = new Set(rows.filter((row) => row.subscription_id === id).map((row) => row.event));
      return [id, EVENT_NAMES.filter((name) => chosen.has(name))];
    }),
  );
}

export async function listSubscriptions(db: Db, accountId: string, page: Page): Promise<Listed<Subscription>> {
  const { rows, total } = await queryPage<SubscriptionRow>(db, {
    columns: COLUMNS,
    table: 'subscriptions',
    where: ['t.account_id = ?', 't.deleted_at IS NULL'],
    values: [accountId],
    orderBy: 't.created_at DESC, t.id DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  if (rows.length === 0) return { items: [], total };
  const events = await eventsOf(
    db,
    rows.map((row) => row.id),
  );
  return { items: rows.map((row) => toStored(row, events.get(row.id) ?? []).subscription), total };
}

async function find(db: Db, accountId: string, id: string, lock: string): Promise<StoredSubscription | undefined> {
  const row = await queryOne<SubscriptionRow>(
    db,
    `SELECT ${COLUMNS} FROM subscriptions WHERE id = ? AND account_id = ? AND deleted_at IS NULL${lock}`,
    [id, accountId],
  );
  return row && toStored(row, (await eventsOf(db, [id])).get(id) ?? []);
}

export const findSubscription = (db: Db, accountId: string, id: string) => find(db, accountId, id, '');

/** As `findSubscription`, and locks the subscription's row until the transaction ends. */
export const lockSubscription = (db: Db, accountId: string, id: string) => find(db, accountId, id, forUpdate(db));

/** Locks a subscription's row until the transaction ends: only the holder assigns sequences. @returns the last one */
export async function lockSequence(db: Db, id: string): Promise<number | undefined> {
  const row = await queryOne<{ last_sequence: number }>(
    db,
    `SELECT last_sequence FROM subscriptions WHERE id = ?${forUpdate(db)}`,
    [id],
  );
  return row?.last_sequence;
}

export async function advanceSequence(db: Db, id: string, count: number): Promise<void> {
  await query(db, 'UPDATE subscriptions SET last_sequence = last_sequence + ? WHERE id = ?', [count, id]);
}

export interface NewSubscription {
  id: string;
  clientKey?: string | undefined;
  name: string;
  encryptedUrl: string;
  maskedUrl: string;
  format: SubscriptionFormat;
  encryptedSecret: string | null;
  enabled: boolean;
  filter?: SubscriptionFilter | undefined;
  header?: StoredHeader | undefined;
  pauseAfterFailures?: number | null | undefined;
  events: EventName[];
  at: number;
}

/** @returns undefined if all ten are taken */
export async function findFreeSlot(db: Db, accountId: string): Promise<number | undefined> {
  const taken = await query<{ slot: number | null }>(db, 'SELECT slot FROM subscriptions WHERE account_id = ?', [
    accountId,
  ]);
  const used = new Set(taken.map((row) => row.slot));
  return Array.from({ length: MAX_SUBSCRIPTIONS }, (_, index) => index).find((index) => !used.has(index));
}

/**
 * Inserts a subscription into the account's first free slot. The caller must hold the lock on the account's row, so
 * that concurrent inserts wait for each other; the unique slots are a second safeguard.
 * @returns undefined if all ten slots are taken
 */
export async function insertSubscription(
  db: Db,
  accountId: string,
  created: NewSubscription,
): Promise<StoredSubscription | undefined> {
  const slot = await findFreeSlot(db, accountId);
  if (slot === undefined) return undefined;
  const [row] = await query<SubscriptionRow>(
    db,
    `INSERT INTO subscriptions (id, account_id, slot, client_key, name, url_encrypted, url_shown, format, secret_encrypted, enabled,
       filter, header_name, header_value_encrypted, pause_after_failures, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
    [
      created.id,
      accountId,
      slot,
      created.clientKey ?? null,
      created.name,
      created.encryptedUrl,
      created.maskedUrl,
      created.format,
      created.encryptedSecret,
      bool(created.enabled),
      toText(created.filter ?? null),
      created.header?.name ?? null,
      created.header?.encryptedValue ?? null,
      created.pauseAfterFailures ?? null,
      created.at,
      created.at,
    ],
  );
  await insertEvents(db, created.id, created.events);
  return toStored(row as SubscriptionRow, created.events);
}

const toText = (filter: SubscriptionFilter): string | null => filter && JSON.stringify(filter);

async function insertEvents(db: Db, id: string, events: EventName[]): Promise<void> {
  await query(
    db,
    `INSERT INTO subscription_events (subscription_id, event) VALUES ${placeholders(events.length, 2)}`,
    events.flatMap((event) => [id, event]),
  );
}

/** What to change; undefined fields stay. */
export interface SubscriptionChange {
  name?: string | undefined;
  enabled?: boolean | undefined;
  filter?: SubscriptionFilter | undefined;
  header?: StoredHeader | undefined;
  pauseAfterFailures?: number | null | undefined;
  events?: EventName[] | undefined;
  encryptedUrl?: string;
  maskedUrl?: string;
  encryptedSecret?: string;
}

export async function updateSubscription(
  db: Db,
  id: string,
  { events, ...change }: SubscriptionChange,
  at: number,
): Promise<StoredSubscription> {
  if (events) {
    await query(db, 'DELETE FROM subscription_events WHERE subscription_id = ?', [id]);
    await insertEvents(db, id, events);
  }
  // what was lost is there again
  if (change.encryptedUrl !== undefined || change.encryptedSecret !== undefined || change.header)
    await query(
      db,
      "UPDATE subscriptions SET consecutive_failures = 0, last_error = NULL WHERE id = ? AND last_error = 'secret_lost'",
      [id],
    );
  const columns = toColumns(change);
  const [row] = await query<SubscriptionRow>(
    db,
    `UPDATE subscriptions SET ${columns.map(([name]) => `${name} = ?, `).join('')}updated_at = ? WHERE id = ? RETURNING ${COLUMNS}`,
    [...columns.map(([, value]) => value), at, id],
  );
  return toStored(row as SubscriptionRow, events ?? (await eventsOf(db, [id])).get(id) ?? []);
}

/** The columns to change, with their values. */
function toColumns({ enabled, filter, header, ...change }: SubscriptionChange): [string, Value][] {
  const values: Record<string, Value | undefined> = {
    name: change.name,
    enabled: enabled === undefined ? undefined : bool(enabled),
    url_encrypted: change.encryptedUrl,
    url_shown: change.maskedUrl,
    secret_encrypted: change.encryptedSecret,
    filter: filter === undefined ? undefined : toText(filter),
    ...(header === null ? { header_name: null, header_value_encrypted: null } : {}),
    ...(header ? { header_name: header.name, header_value_encrypted: header.encryptedValue } : {}),
    pause_after_failures: change.pauseAfterFailures,
  };
  return Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined);
}

/**
 * Remembers from where on a subscription that is being disabled misses events, or forgets it because it is being enabled
 * again: a pause is over, and its failures count from 0. The caller changes `enabled` itself.
 * @param at ms
 */
export async function noteSwitch(db: Db, id: string, isEnabled: boolean, at: number): Promise<void> {
  const changes = isEnabled
    ? `missed_after = NULL, paused_at = NULL, last_error = CASE WHEN paused_at IS NULL THEN last_error END,
       consecutive_failures = CASE WHEN paused_at IS NULL THEN consecutive_failures ELSE 0 END`
    : `missed_after = ${missedAfter(String(at))}`;
  await query(db, `UPDATE subscriptions SET ${changes} WHERE id = ?`, [id]);
}

/** Keeps the secret that is about to be replaced; null ends the one that is kept. */
export async function keepSecret(db: Db, id: string, kept: { encrypted: string; until: number } | null): Promise<void> {
  await query(db, 'UPDATE subscriptions SET previous_secret_encrypted = ?, previous_secret_until = ? WHERE id = ?', [
    kept?.encrypted ?? null,
    kept?.until ?? null,
    id,
  ]);
}

/** Erases replaced secrets whose time is over (ms). */
export async function eraseExpiredSecrets(db: Db, now: number): Promise<void> {
  await query(
    db,
    `UPDATE subscriptions SET previous_secret_encrypted = NULL, previous_secret_until = NULL WHERE previous_secret_until <= ?`,
    [now],
  );
}

/** A subscription as an operator knows it. */
export interface NamedSubscription {
  id: string;
  name: string;
  /** of its account */
  email: string;
  format: SubscriptionFormat;
  /** as it is shown */
  url: string;
}

/** @returns undefined if it is deleted */
export const findNamedSubscription = (db: Db, id: string): Promise<NamedSubscription | undefined> =>
  queryOne<NamedSubscription>(
    db,
    `SELECT s.id, s.name, a.email, s.format, s.url_shown AS url FROM subscriptions s
     JOIN accounts a ON a.id = s.account_id WHERE s.id = ? AND s.deleted_at IS NULL`,
    [id],
  );

/** Turns a subscription off whose secrets were lost with the secret key. */
export async function disableAsLost(db: Db, id: string, at: number): Promise<void> {
  await query(
    db,
    `UPDATE subscriptions SET enabled = 0, last_error = 'secret_lost', updated_at = ?,
       missed_after = CASE WHEN enabled = 1 THEN ${missedAfter(String(at))} ELSE missed_after END,
       header_name = CASE WHEN header_value_encrypted IS NULL THEN NULL ELSE header_name END,
       consecutive_failures = CASE WHEN consecutive_failures = 0 THEN 1 ELSE consecutive_failures END WHERE id = ?`,
    [at, id],
  );
}

/** Deletes a subscription with its history. */
export async function deleteSubscription(db: Db, id: string): Promise<void> {
  await query(db, 'DELETE FROM subscriptions WHERE id = ?', [id]);
}
