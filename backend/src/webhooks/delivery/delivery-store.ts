import type { EventEnvelope, EventName } from '../../events/catalogue.ts';
import type { DeliverableEvent } from '../../events/outbox.ts';
import { toIso } from '../../shared/clock.ts';
import { newId, newIdTime } from '../../shared/ids.ts';
import type { Listed, Page } from '../../shared/schemas.ts';
import {
  type Db,
  databaseTime,
  forKeyShare,
  isPostgres,
  jsonRows,
  newIdOf,
  placeholders,
  query,
  queryOne,
  queryPrepared,
  typedRows,
  type Value,
} from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import { queryPage, toLimits } from '../../storage/page.ts';
import type { ExpiredRows } from '../../storage/purge.ts';
import { type Attempt, HISTORY_LENGTH } from '../subscriptions/subscription.ts';
import { changeAfterRound } from '../subscriptions/subscription-store.ts';
import type {
  AttemptError,
  AttemptOutcome,
  ChannelFormat,
  DeliveryState,
  EndedDelivery,
  OutboxDepth,
} from './attempt.ts';

/**
 * Must match the condition of the partial index `deliveries_open` literally: SQLite uses the index only for a statement
 * that repeats it, and would scan a channel's whole history otherwise.
 */
const OPEN = "state IN ('pending', 'sending')";

const UNSUBSCRIBED: AttemptError = 'unsubscribed';

const ofEvent = (column: string, name = column) =>
  `(SELECT e.${column} FROM events e WHERE e.seq = deliveries.event_seq) AS ${name}`;
const ofChannel = (column: string) =>
  `(SELECT s.${column} FROM subscriptions s WHERE s.id = deliveries.subscription_id) AS ${column}`;
const OF_EVENT = `${ofEvent('id', 'event_id')}, ${ofEvent('traceparent')}`;

/**
 * Inserts a pending delivery for every enabled channel that selected the event. A deleted channel that may be continued
 * gets one that has failed and has no number yet: it would have to lock its row to get one.
 * @param now here and below the current time as an SQL expression; only tests set it
 * @returns the ids of the channels with a pending delivery
 */
export async function insertDeliveries(db: Db, event: DeliverableEvent, now = databaseTime(db)): Promise<string[]> {
  const rows = await query<{ subscription_id: string; state: DeliveryState }>(
    db,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, state, error, committed_at)
     SELECT s.id, ?, ?, CASE WHEN s.deleted_at IS NULL THEN 'pending' ELSE 'failed' END,
       CASE WHEN s.deleted_at IS NULL THEN NULL ELSE '${UNSUBSCRIBED}' END, ${now}
     FROM subscriptions s JOIN subscription_events e ON e.subscription_id = s.id
     WHERE s.account_id = ? AND (s.enabled = 1 OR s.deleted_at IS NOT NULL) AND e.event = ?${forKeyShare(db, 's')}
     RETURNING subscription_id, state`,
    [event.eventSeq, event.subject, event.accountId, event.event],
  );
  return rows.filter(({ state }) => state === 'pending').map((row) => row.subscription_id);
}

/** The deliveries of a channel that have no number because it was deleted at the time. */
const UNNUMBERED = "subscription_id = ? AND sequence IS NULL AND state = 'failed'";

/** Numbers what a channel missed while it was deleted. The caller must hold the lock on its row. @returns how many */
export async function numberUnsubscribed(db: Db, subscriptionId: string, lastSequence: number): Promise<number> {
  const [row] = await query<{ missed: number }>(db, `SELECT count(*) AS missed FROM deliveries WHERE ${UNNUMBERED}`, [
    subscriptionId,
  ]);
  await query(
    db,
    `UPDATE deliveries SET id = ${newIdOf(db, 'CAST(? AS TEXT)')}, sequence = CAST(? AS BIGINT) + missed.place,
       attempted_at = committed_at, duration_ms = 0
     FROM (SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM deliveries WHERE ${UNNUMBERED}) missed
     WHERE deliveries.seq = missed.seq`,
    [newIdTime(), lastSequence, subscriptionId],
  );
  return Number(row?.missed);
}

/** The deliveries of channels that were deleted before the given time (ms). */
export const expiredDeliveries = (before: number): ExpiredRows => ({
  table: 'deliveries',
  key: ['seq'],
  where: 't.subscription_id IN (SELECT id FROM subscriptions WHERE deleted_at < ?)',
  values: [before],
});

/** Inserts a delivery that a person requested, ahead of everything pending in the channel. @returns its seq */
export async function insertUrgentDelivery(
  db: Db,
  delivery: { subscriptionId: string; eventSeq: number; subject: string },
  now = databaseTime(db),
): Promise<number> {
  const [row] = await query<{ seq: number }>(
    db,
    `INSERT INTO deliveries (subscription_id, event_seq, subject, queue, state, committed_at) VALUES (?, ?, ?, 0, 'pending', ${now}) RETURNING seq`,
    [delivery.subscriptionId, delivery.eventSeq, delivery.subject],
  );
  return (row as { seq: number }).seq;
}

/** @param minQueue 1 leaves out the deliveries that a person requested */
export const listPending = (
  db: Db,
  subscriptionId: string,
  minQueue: number,
  limit: number,
): Promise<{ seq: number }[]> =>
  query(
    db,
    `SELECT seq FROM deliveries WHERE ${OPEN} AND subscription_id = ? AND state = 'pending' AND queue >= ? ORDER BY seq LIMIT ?`,
    [subscriptionId, minQueue, limit],
  );

/** Fails pending deliveries that are not sent. Each has its sequence, so the receiver can request what it missed. */
export function failPending(
  db: Db,
  deliveries: readonly { seq: number; sequence: number }[],
  error: AttemptError,
  worker: string,
): Promise<{ id: string; event_id: string; traceparent: string | null }[]> {
  const now = databaseTime(db);
  return query(
    db,
    `WITH given (seq, id, sequence) AS (VALUES ${typedRows(deliveries.length, ['BIGINT', 'TEXT', 'BIGINT'])})
     UPDATE deliveries SET id = given.id, sequence = given.sequence, state = 'failed', error = ?, duration_ms = 0,
       claimed_by = ?, attempted_at = ${now}
     FROM given WHERE deliveries.seq = given.seq AND deliveries.state = 'pending'
     RETURNING deliveries.id, ${OF_EVENT}`,
    [...deliveries.flatMap(({ seq, sequence }) => [seq, newId(), sequence]), error, worker],
  );
}

/** How many pending deliveries of a channel a claim looks at to find subjects without a delivery in flight. */
const LOOK_AHEAD = 32;

/** What a round does for one channel. */
export interface ChannelRound {
  subscriptionId: string;
  mayClaim: boolean;
  /** attempts that have ended and are not recorded yet */
  finished: readonly { seq: number; outcome: AttemptOutcome }[];
}

export interface ClaimTerms {
  /** unique to this process and this start of it */
  worker: string;
  /** how long the claims last; after that another process may mark the attempts as interrupted */
  claimMs: number;
  /** maximum number of concurrent requests of a channel, across all processes */
  maxInFlight: number;
  /** deliveries committed longer ago expire instead of being sent */
  maxAgeMs: number;
}

/** A delivery claimed by this worker, with its channel: `sending` is committed, so no other worker will send it. */
export interface ClaimedDelivery {
  seq: number;
  id: string;
  sequence: number;
  subscription_id: string;
  account_id: string;
  format: ChannelFormat;
  url_sealed: string;
  secret_sealed: string | null;
  event: EventName;
  event_id: string;
  body: string;
  traceparent: string | null;
  /** ms from its commit to the claim */
  waited: number;
  /** set if it expired instead of being claimed */
  error: AttemptError | null;
  /** null, unless it had been attempted before */
  duration_ms: number | null;
}

export interface RoundResult {
  /** the seqs of the attempts that were recorded: those that were still claimed by this worker */
  recorded: Set<number>;
  /** claimed and expired deliveries, in the order of their sequences */
  claimed: ClaimedDelivery[];
  /** channels whose row others had locked: nothing was done */
  locked: Set<string>;
  /** channels in which others claimed meanwhile: nothing was claimed */
  outdated: Set<string>;
}

/**
 * Records finished attempts, then claims deliveries to send now: in each channel at most `maxInFlight` at once and one
 * per subject (so events of one order are sent in order), with tests and resends first. Deliveries that are too old get
 * a sequence too and fail as `expired`.
 *
 * On PostgreSQL it is one statement, which is a transaction of its own. Such a statement sees the database as it was
 * when the statement began, except for the rows that it locks. It claims in a channel only if the last sequence in the
 * locked row is the one that it saw, because then nobody else has claimed since.
 * @param now the current time as an SQL expression; only tests set it
 */
export async function recordAndClaim(
  storage: Pick<Storage, 'writer' | 'inTransaction'>,
  channels: readonly ChannelRound[],
  terms: ClaimTerms,
  now = databaseTime(storage.writer),
): Promise<RoundResult> {
  const round = toRound(storage.writer, channels, terms, now);
  const rows = await storage.inTransaction(
    ({ db }) => (isPostgres(db) ? inOneStatement(db, round) : inSteps(db, round)),
    { oneStatement: true },
  );
  const of = (what: Changed['what']) => rows.filter((row) => row.what === what);
  return {
    recorded: new Set(of('recorded').map(({ seq }) => seq)),
    claimed: of('claimed').toSorted((a, b) => a.sequence - b.sequence),
    locked: new Set(of('locked').map(({ subscription_id: id }) => id)),
    outdated: new Set(of('outdated').map(({ subscription_id: id }) => id)),
  };
}

/** A row that the round answers; only claimed deliveries have all columns. */
type Changed = ClaimedDelivery & { what: 'claimed' | 'recorded' | 'locked' | 'outdated' };

/** SQL with the values of its placeholders. */
interface Part {
  sql: string;
  values: Value[];
}

interface Round {
  channels: readonly ChannelRound[];
  /** common table expressions `asked` and `ended`: the channels and the attempts that ended */
  given: Part;
  /** `flying`, `waiting` and `picked`: what `channels` (the channels to claim for) send now, with its sequence */
  picks: Part;
  record: Part;
  claim: Part;
  now: string;
}

function toRound(db: Db, channels: readonly ChannelRound[], terms: ClaimTerms, now: string): Round {
  const asked = channels.map(({ subscriptionId, mayClaim }) => ({ id: subscriptionId, claims: mayClaim ? 1 : 0 }));
  const ended = channels.flatMap(({ finished }) =>
    finished.map(({ seq, outcome: { status, responseStatus, error, durationMs } }, place) => ({
      seq,
      place,
      state: status,
      response_status: responseStatus,
      error,
      duration_ms: Math.round(durationMs),
    })),
  );
  return {
    channels,
    given: {
      sql: `asked AS MATERIALIZED (${jsonRows(db, { id: 'TEXT', claims: 'BIGINT' })}),
        ended AS MATERIALIZED (${jsonRows(db, { seq: 'BIGINT', place: 'BIGINT', state: 'TEXT', response_status: 'BIGINT', error: 'TEXT', duration_ms: 'BIGINT' })})`,
      values: [JSON.stringify(asked), JSON.stringify(ended)],
    },
    now,
    picks: picks(db, terms, now),
    record: {
      sql: `UPDATE deliveries SET state = ended.state, response_status = ended.response_status, error = ended.error,
          duration_ms = ended.duration_ms, claimed_until = NULL
        FROM ended WHERE deliveries.seq = ended.seq AND deliveries.state = 'sending' AND deliveries.claimed_by = ?`,
      values: [terms.worker],
    },
    claim: {
      // a duration marks a delivery that had been attempted before; the state is compared so that PostgreSQL cannot look
      // for it in `deliveries_open`, which may have many pending rows, instead of looking up the few that were picked
      sql: `UPDATE deliveries SET id = ${newIdOf(db, 'CAST(? AS TEXT)')}, sequence = picked.sequence,
          state = CASE WHEN picked.expired = 1 THEN 'failed' ELSE 'sending' END,
          error = CASE WHEN picked.expired = 1 THEN 'expired' END,
          duration_ms = CASE WHEN picked.expired = 1 OR deliveries.attempted_at IS NOT NULL THEN 0 END,
          claimed_by = ?, claimed_until = ${now} + CAST(? AS BIGINT), attempted_at = ${now}
        FROM picked WHERE deliveries.seq = picked.seq AND deliveries.state || '' = 'pending'
        RETURNING 'claimed' AS what, deliveries.seq, deliveries.id, deliveries.sequence, deliveries.subscription_id,
          deliveries.error, deliveries.duration_ms, deliveries.attempted_at - deliveries.committed_at AS waited,
          ${OF_EVENT}, ${ofEvent('event')}, ${ofEvent('body')}, ${ofChannel('account_id')}, ${ofChannel('format')},
          ${ofChannel('url_sealed')}, ${ofChannel('secret_sealed')}`,
      values: [newIdTime(), terms.worker, terms.claimMs],
    },
  };
}

/** Chooses which deliveries of `channels` to send now and which have expired, and numbers them. */
function picks(db: Db, { maxInFlight, maxAgeMs }: ClaimTerms, now: string): Part {
  const next = (columns: string) =>
    `SELECT ${columns} FROM deliveries d WHERE ${OPEN} AND d.subscription_id = c.id AND d.state = 'pending' ORDER BY queue, seq LIMIT ${LOOK_AHEAD}`;
  // only PostgreSQL can join a limited subquery for each channel, and only SQLite is fast with a list of keys
  const waiting = isPostgres(db)
    ? `channels c CROSS JOIN LATERAL (${next('seq, queue, subject, committed_at')}) p`
    : `channels c CROSS JOIN deliveries p WHERE p.seq IN (${next('seq')})`;
  return {
    sql: `flying AS MATERIALIZED (
          SELECT d.subscription_id, d.subject FROM channels c CROSS JOIN deliveries d
          WHERE ${OPEN} AND d.subscription_id = c.id AND d.state = 'sending' AND d.seq NOT IN (SELECT seq FROM ended)),
        waiting AS (
          SELECT c.id AS channel, c.last_sequence, p.seq, p.queue, p.subject,
            CASE WHEN ${now} - p.committed_at > ? THEN 1 ELSE 0 END AS expired
          FROM ${waiting}),
        idle AS (
          SELECT w.*, row_number() OVER (PARTITION BY channel, subject, expired ORDER BY queue, seq) AS of_subject
          FROM waiting w WHERE NOT EXISTS (
            SELECT 1 FROM flying f WHERE f.subscription_id = w.channel AND f.subject = w.subject)),
        ready AS (
          SELECT i.*, row_number() OVER (PARTITION BY channel, expired ORDER BY queue, seq) AS place
          FROM idle i WHERE expired = 1 OR of_subject = 1),
        picked AS MATERIALIZED (
          SELECT channel, seq, expired,
            last_sequence + row_number() OVER (PARTITION BY channel ORDER BY queue, seq) AS sequence
          FROM ready r
          WHERE expired = 1 OR place <= ? - (SELECT count(*) FROM flying f WHERE f.subscription_id = r.channel))`,
    values: [maxAgeMs, maxInFlight],
  };
}

/** What changes in the channels: the numbers of `picked`, and the outcomes of `recorded` in the order in which they ended. */
const CHANGES = `
  SELECT id, CAST(sum(n) AS BIGINT) AS n, max(succeeded) AS succeeded, CAST(sum(failures) AS BIGINT) AS failures, max(error) AS error
  FROM (
    SELECT channel AS id, count(*) AS n, 0 AS succeeded, 0 AS failures, NULL AS error FROM picked GROUP BY channel
    UNION ALL
    SELECT id, 0, max(CASE WHEN state = 'succeeded' THEN 1 ELSE 0 END), count(CASE WHEN place > succeeded_at THEN 1 END),
      max(CASE WHEN place = last THEN error END)
    FROM (
      SELECT r.subscription_id AS id, e.place, e.state, e.error, max(e.place) OVER (PARTITION BY r.subscription_id) AS last,
        max(CASE WHEN e.state = 'succeeded' THEN e.place ELSE -1 END) OVER (PARTITION BY r.subscription_id) AS succeeded_at
      FROM recorded r JOIN ended e ON e.seq = r.seq) outcomes
    GROUP BY id) each_kind
  GROUP BY id`;

/** For PostgreSQL: one statement that never waits, because channels that others have locked are left out. */
async function inOneStatement(db: Db, { given, picks, record, claim, now }: Round): Promise<Changed[]> {
  const found = `FROM subscriptions WHERE id IN (SELECT id FROM asked)`;
  const none = (count: number) => ', NULL'.repeat(count);
  return queryPrepared<Changed>(
    db,
    `WITH ${given.sql},
       seen AS MATERIALIZED (SELECT id, last_sequence ${found}),
       locked AS MATERIALIZED (SELECT id, last_sequence ${found} FOR NO KEY UPDATE SKIP LOCKED),
       current AS MATERIALIZED (SELECT id, last_sequence FROM seen JOIN locked USING (id, last_sequence)),
       channels AS MATERIALIZED (SELECT id, last_sequence FROM current JOIN asked USING (id) WHERE claims = 1),
       ${picks.sql},
       recorded AS (${record.sql} AND deliveries.subscription_id IN (SELECT id FROM locked) RETURNING deliveries.seq, deliveries.subscription_id),
       claimed AS (${claim.sql}),
       changed AS (${changeAfterRound(CHANGES, now)})
     SELECT * FROM claimed
     UNION ALL SELECT 'recorded', seq${none(14)} FROM recorded
     UNION ALL SELECT CASE WHEN id IN (SELECT id FROM locked) THEN 'outdated' ELSE 'locked' END, NULL, NULL, NULL, id${none(11)}
       FROM seen WHERE id NOT IN (SELECT id FROM current)`,
    [...given.values, ...picks.values, ...record.values, ...claim.values],
  );
}

/** For SQLite, whose WITH cannot contain an UPDATE: the same steps one by one. A transaction has the file to itself. */
async function inSteps(db: Db, { channels, given, picks, record, claim, now }: Round): Promise<Changed[]> {
  const ended = channels.some(({ finished }) => finished.length > 0);
  const recorded = ended
    ? await query<Changed>(
        db,
        `WITH ${given.sql} ${record.sql} RETURNING 'recorded' AS what, deliveries.seq, deliveries.subscription_id`,
        [...given.values, ...record.values],
      )
    : [];
  const claimed = channels.some(({ mayClaim }) => mayClaim)
    ? await query<Changed>(
        db,
        `WITH ${given.sql},
           channels AS MATERIALIZED (SELECT id, last_sequence FROM asked JOIN subscriptions USING (id) WHERE claims = 1),
           ${picks.sql} ${claim.sql}`,
        [...given.values, ...picks.values, ...claim.values],
      )
    : [];
  if (recorded.length + claimed.length > 0) {
    const one = claimed.map(({ subscription_id: channel }) => ({ channel }));
    const ids = recorded.map(({ seq, subscription_id }) => ({ seq, subscription_id }));
    await query(
      db,
      `WITH ${given.sql}, picked AS (${jsonRows(db, { channel: 'TEXT' })}),
         recorded AS (${jsonRows(db, { seq: 'BIGINT', subscription_id: 'TEXT' })}) ${changeAfterRound(CHANGES, now)}`,
      [...given.values, JSON.stringify(one), JSON.stringify(ids)],
    );
  }
  return [...recorded, ...claimed];
}

/** The workers with attempts in flight, and in how many ms the first of their claims expires. */
export const listClaims = (db: Db, now = databaseTime(db)): Promise<{ worker: string; expiresIn: number }[]> =>
  query(
    db,
    `SELECT claimed_by AS worker, min(claimed_until) - ${now} AS "expiresIn" FROM deliveries WHERE ${OPEN} AND state = 'sending' GROUP BY claimed_by`,
  );

/**
 * Fails a worker's attempts in flight as `interrupted`. They are never sent again, because the request may have
 * arrived.
 * @param which only expired claims, or all of them because the worker is dead
 */
export async function interrupt(
  db: Db,
  worker: string,
  which: 'expired' | 'all',
  now = databaseTime(db),
): Promise<(EndedDelivery & { accountId: string })[]> {
  const rows = await query<{
    id: string;
    subscription_id: string;
    account_id: string;
    event_id: string;
    traceparent: string | null;
    duration_ms: number;
  }>(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = ${now} - attempted_at, claimed_until = NULL
     WHERE ${OPEN} AND state = 'sending' AND claimed_by = ?${which === 'all' ? '' : ` AND claimed_until < ${now}`}
     RETURNING id, subscription_id, duration_ms, ${OF_EVENT},
       ${ofChannel('account_id')}`,
    ['interrupted' satisfies AttemptError, worker],
  );
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    traceparent: row.traceparent,
    subscriptionId: row.subscription_id,
    accountId: row.account_id,
    outcome: { status: 'failed', responseStatus: null, error: 'interrupted', durationMs: row.duration_ms },
  }));
}

/** Fails every attempt in flight as `interrupted`, whoever made it. @returns how many */
export async function interruptSending(db: Db): Promise<number> {
  const rows = await query(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = 0, claimed_until = NULL
     WHERE ${OPEN} AND state = 'sending' RETURNING seq`,
    ['interrupted' satisfies AttemptError],
  );
  return rows.length;
}

/** How many accounts have a backlog of their own in the metrics: each is a time series. */
const LARGEST_BACKLOGS = 10;

/** Counts open deliveries of all channels, and those of the accounts that have the most. */
export async function measureOutbox(db: Db): Promise<OutboxDepth> {
  const row = await queryOne<{ pending: number; sending: number; oldest_ms: number | null }>(
    db,
    `SELECT coalesce(sum(CASE WHEN state = 'pending' THEN 1 ELSE 0 END), 0) AS pending,
       coalesce(sum(CASE WHEN state = 'sending' THEN 1 ELSE 0 END), 0) AS sending,
       ${databaseTime(db)} - min(CASE WHEN state = 'pending' THEN committed_at END) AS oldest_ms
     FROM deliveries WHERE ${OPEN}`,
  );
  const largest = await query<{ account_id: string; deliveries: number }>(
    db,
    `SELECT s.account_id, CAST(sum(d.deliveries) AS BIGINT) AS deliveries
     FROM (SELECT subscription_id, count(*) AS deliveries FROM deliveries WHERE ${OPEN} GROUP BY subscription_id) d
     JOIN subscriptions s ON s.id = d.subscription_id
     GROUP BY s.account_id ORDER BY 2 DESC, 1 LIMIT ${LARGEST_BACKLOGS}`,
  );
  return {
    pending: Number(row?.pending),
    sending: Number(row?.sending),
    oldestMs: row?.oldest_ms ?? null,
    largest: largest.map(({ account_id, deliveries }) => ({ accountId: account_id, deliveries })),
  };
}

/**
 * Channels whose next delivery was committed more than that many ms ago and is pending. Looks up each channel in the
 * index after the one before, so the time depends on their number and not on that of the deliveries.
 */
export async function listWaitingChannels(db: Db, ageMs: number, now = databaseTime(db)): Promise<string[]> {
  const pending = `FROM deliveries WHERE ${OPEN} AND state = 'pending'`;
  const rows = await query<{ id: string }>(
    db,
    `WITH RECURSIVE channels (id) AS (
       SELECT min(subscription_id) ${pending}
       UNION ALL
       SELECT (SELECT min(subscription_id) ${pending} AND subscription_id > channels.id)
       FROM channels WHERE channels.id IS NOT NULL)
     SELECT id FROM channels
     WHERE (SELECT committed_at ${pending} AND subscription_id = channels.id ORDER BY queue, seq LIMIT 1) < ${now} - ?`,
    [ageMs],
  );
  return rows.map(({ id }) => id);
}

interface AttemptRow {
  id: string;
  event: EventName;
  state: DeliveryState;
  response_status: number | null;
  error: AttemptError | null;
  attempted_at: number;
  duration_ms: number;
  sequence: number;
}

const toAttempt = (row: AttemptRow): Attempt => ({
  id: row.id,
  event: row.event,
  status: row.state === 'succeeded' ? 'succeeded' : 'failed',
  response_status: row.response_status,
  error: row.error,
  attempted_at: toIso(row.attempted_at),
  duration_ms: row.duration_ms,
  sequence: row.sequence,
});

const ATTEMPT_COLUMNS = `d.id, (SELECT e.event FROM events e WHERE e.seq = d.event_seq) AS event, d.state, d.response_status, d.error,
  d.attempted_at, d.duration_ms, d.sequence`;

/** The last finished attempts of a channel, newest first, limited by the interface specification ("Limits") to 20. */
export async function listAttempts(db: Db, subscriptionId: string): Promise<Attempt[]> {
  const rows = await query<AttemptRow>(
    db,
    `SELECT ${ATTEMPT_COLUMNS} FROM deliveries d WHERE d.subscription_id = ? AND d.sequence IS NOT NULL AND d.state IN ('succeeded', 'failed')
     ORDER BY d.sequence DESC LIMIT ${HISTORY_LENGTH}`,
    [subscriptionId],
  );
  return rows.map(toAttempt);
}

/**
 * The outcome of a delivery.
 * @returns undefined if it was deleted with its channel; without an attempt while it is not finished
 */
export async function findOutcome(db: Db, seq: number): Promise<{ attempt: Attempt | undefined } | undefined> {
  const row = await queryOne<AttemptRow>(db, `SELECT ${ATTEMPT_COLUMNS} FROM deliveries d WHERE d.seq = ?`, [seq]);
  if (!row) return undefined;
  return { attempt: row.state === 'succeeded' || row.state === 'failed' ? toAttempt(row) : undefined };
}

/** Finds the event of a finished attempt, to send it again. */
export const findDelivered = (db: Db, subscriptionId: string, id: string) =>
  queryOne<{ event_seq: number; subject: string }>(
    db,
    "SELECT event_seq, subject FROM deliveries WHERE subscription_id = ? AND id = ? AND state IN ('succeeded', 'failed')",
    [subscriptionId, id],
  );

/** An event in a channel's sequence, whatever its outcome. */
export interface SequencedEvent {
  sequence: number;
  delivery_id: string;
  status: 'sending' | 'succeeded' | 'failed';
  error: AttemptError | null;
  event: EventEnvelope;
}

export interface SequenceFilter extends Page {
  after: number;
  event?: string | undefined;
  /** ms */
  occurredSince?: number | undefined;
  /** only the last attempt of each event without a successful or open delivery */
  missed: boolean;
}

const withEvent = (condition: string): string =>
  `EXISTS (SELECT 1 FROM events e WHERE e.seq = t.event_seq AND ${condition})`;

const IS_MISSED = `t.state = 'failed' AND NOT EXISTS (SELECT 1 FROM deliveries o
    WHERE o.event_seq = t.event_seq AND o.subscription_id = t.subscription_id
      AND (o.state IN ('pending', 'sending', 'succeeded') OR o.sequence > t.sequence))
  AND NOT ${withEvent("e.event = 'webhook.test'")}`;

export async function listSequenced(
  db: Db,
  subscriptionId: string,
  { after, event, occurredSince, missed, ...page }: SequenceFilter,
): Promise<Listed<SequencedEvent>> {
  const { rows, total, next } = await queryPage<{
    sequence: number;
    id: string;
    state: SequencedEvent['status'];
    error: AttemptError | null;
    body: string;
  }>(db, {
    columns: 'sequence, id, state, error, (SELECT e.body FROM events e WHERE e.seq = t.event_seq) AS body',
    table: 'deliveries',
    where: [
      't.subscription_id = ?',
      't.sequence > ?',
      ...(missed ? [IS_MISSED] : []),
      ...(event === undefined ? [] : [withEvent('e.event = ?')]),
      ...(occurredSince === undefined ? [] : [withEvent('e.occurred_at >= ?')]),
    ],
    values: [
      subscriptionId,
      after,
      ...(event === undefined ? [] : [event]),
      ...(occurredSince === undefined ? [] : [occurredSince]),
    ],
    orderBy: 't.sequence',
    ...toLimits(page),
  });
  const items = rows.map((row) => ({
    sequence: row.sequence,
    delivery_id: row.id,
    status: row.state,
    error: row.error,
    event: JSON.parse(row.body) as EventEnvelope,
  }));
  return { items, total, next };
}

export interface DeliveryRow {
  event_seq: number;
  /** null until claimed */
  id: string | null;
  channel_id: string;
  channel_name: string;
  state: DeliveryState;
  response_status: number | null;
  error: AttemptError | null;
  attempted_at: number | null;
  duration_ms: number | null;
  sequence: number | null;
}

/** The deliveries of the given events, in commit order. */
export async function listDeliveriesOf(db: Db, eventSeqs: number[]): Promise<DeliveryRow[]> {
  if (eventSeqs.length === 0) return [];
  return query<DeliveryRow>(
    db,
    `SELECT d.event_seq, d.id, d.subscription_id AS channel_id, s.name AS channel_name, d.state, d.response_status, d.error,
       d.attempted_at, d.duration_ms, d.sequence
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id AND s.deleted_at IS NULL
     WHERE d.event_seq IN ${placeholders(1, eventSeqs.length)} ORDER BY d.seq`,
    eventSeqs,
  );
}

export interface SentRow {
  id: string;
  sequence: number;
  attempted_at: number;
  event: EventName;
  body: string;
  traceparent: string | null;
  channel_id: string;
  format: ChannelFormat;
  url_sealed: string;
  secret_sealed: string | null;
  channel_updated_at: number;
}

/** Finds one attempt with everything its request was rendered from; undefined if it belongs to another account. */
export const findSent = (db: Db, accountId: string, id: string): Promise<SentRow | undefined> =>
  queryOne<SentRow>(
    db,
    `SELECT d.id, d.sequence, d.attempted_at, e.event, e.body, e.traceparent, s.id AS channel_id, s.format, s.url_sealed, s.secret_sealed,
       s.updated_at AS channel_updated_at
     FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id JOIN events e ON e.seq = d.event_seq
     WHERE d.id = ? AND s.account_id = ? AND s.deleted_at IS NULL`,
    [id, accountId],
  );
