import type { EventName } from '../../events/catalogue.ts';
import { newId } from '../../shared/ids.ts';
import { type Db, forUpdate, query, queryOne, typedRows, type Value } from '../../storage/dialect.ts';
import type { AttemptError, AttemptOutcome, ChannelFormat, OutboxDepth } from './attempt.ts';

/**
 * Must match the condition of the partial index `deliveries_open` literally: SQLite uses the index only for a statement
 * that repeats it, and would scan a channel's whole history otherwise.
 */
const OPEN = "state IN ('pending', 'sending')";

/** The fields of a channel that a drain needs. */
export interface Channel {
  id: string;
  accountId: string;
  format: ChannelFormat;
  encryptedUrl: string;
  encryptedSecret: string | null;
}

/** A delivery claimed by this worker. `sending` is committed, so no other worker will send it. */
export interface ClaimedDelivery {
  seq: number;
  id: string;
  sequence: number;
  subject: string;
  event: EventName;
  body: string;
}

export interface FinishedAttempt {
  seq: number;
  outcome: AttemptOutcome;
}

export interface ClaimRequest {
  subscriptionId: string;
  /** unique to this process and this start of it */
  worker: string;
  now: number;
  /** when the claim expires (ms); after that another process may mark the attempt as interrupted */
  until: number;
  /** maximum number of concurrent requests of this channel, across all processes */
  maxInFlight: number;
  /** deliveries committed before this time (ms) expire instead of being sent */
  expiredBefore: number;
}

interface OpenRow {
  seq: number;
  subject: string;
  state: 'pending' | 'sending';
  committed_at: number;
  attempted_at: number | null;
}

export interface Claim {
  channel: Channel;
  claimed: ClaimedDelivery[];
  /** number of deliveries that expired instead of being sent */
  expiredCount: number;
  /** number of claimed deliveries that had been attempted before; must always be 0 */
  sentAgain: number;
}

/** How many pending deliveries a claim looks at to find subjects without a delivery in flight. */
const LOOK_AHEAD = 32;

/**
 * Claims deliveries to send now: at most `maxInFlight` at once and one per subject (so events of one order are sent in
 * order), with tests and resends first. Each gets the channel's next sequence in the same transaction, so receivers see
 * no gaps. Deliveries that are too old get a sequence too and fail as `expired`.
 * @returns undefined if the channel was deleted
 */
export async function claimDeliveries(db: Db, request: ClaimRequest): Promise<Claim | undefined> {
  const { subscriptionId, worker, now, until } = request;
  const channel = await queryOne<{
    account_id: string;
    format: ChannelFormat;
    url_sealed: string;
    secret_sealed: string | null;
    last_sequence: number;
  }>(
    db,
    `SELECT account_id, format, url_sealed, secret_sealed, last_sequence FROM subscriptions WHERE id = ?${forUpdate(db)}`,
    [subscriptionId],
  );
  if (!channel) return undefined;
  const open = await query<OpenRow>(
    db,
    `SELECT * FROM (SELECT seq, subject, state, committed_at, attempted_at FROM deliveries WHERE ${OPEN} AND subscription_id = ? AND state = 'sending' LIMIT ?) s
     UNION ALL
     SELECT * FROM (SELECT seq, subject, state, committed_at, attempted_at FROM deliveries WHERE ${OPEN} AND subscription_id = ? AND state = 'pending'
       ORDER BY queue, seq LIMIT ?) p`,
    [subscriptionId, LOOK_AHEAD, subscriptionId, LOOK_AHEAD],
  );

  const inFlight = open.filter((row) => row.state === 'sending');
  const busy = new Set(inFlight.map((row) => row.subject));
  let capacity = request.maxInFlight - inFlight.length;
  const picked: { row: OpenRow; expired: boolean }[] = [];
  for (const row of open) {
    if (row.state !== 'pending' || busy.has(row.subject)) continue;
    const expired = row.committed_at < request.expiredBefore;
    if (!expired) {
      if (capacity <= 0) break;
      capacity -= 1;
      busy.add(row.subject);
    }
    picked.push({ row, expired });
  }
  const claimedChannel = {
    id: subscriptionId,
    accountId: channel.account_id,
    format: channel.format,
    encryptedUrl: channel.url_sealed,
    encryptedSecret: channel.secret_sealed,
  };
  if (picked.length === 0) return { channel: claimedChannel, claimed: [], expiredCount: 0, sentAgain: 0 };

  const rows = await assignNumbers(
    db,
    picked.map(({ row, expired }, index) => ({
      seq: row.seq,
      sequence: channel.last_sequence + index + 1,
      error: expired ? 'expired' : null,
    })),
    { subscriptionId, worker, now, until },
  );
  const claimed = rows.filter((row) => row.state === 'sending').sort((a, b) => a.sequence - b.sequence);
  const sentAgain = picked.filter(({ row, expired }) => !expired && row.attempted_at !== null).length;
  return { channel: claimedChannel, claimed, expiredCount: rows.length - claimed.length, sentAgain };
}

/**
 * Assigns the channel's next sequences to pending deliveries. Deliveries with an error end here: the receiver sees the
 * gap and can request what it missed. The caller must hold the lock on the channel's row.
 */
async function assignNumbers(
  db: Db,
  deliveries: { seq: number; sequence: number; error: AttemptError | null }[],
  by: { subscriptionId: string; worker: string; now: number; until: number },
): Promise<(ClaimedDelivery & { state: string })[]> {
  const values: Value[] = deliveries.flatMap(({ seq, sequence, error }) => [
    seq,
    newId(),
    sequence,
    error === null ? 'sending' : 'failed',
    error,
    error === null ? null : 0,
  ]);
  const rows = await query<ClaimedDelivery & { state: string }>(
    db,
    `WITH given (seq, id, sequence, state, error, duration_ms) AS (VALUES ${typedRows(deliveries.length, ['BIGINT', 'TEXT', 'BIGINT', 'TEXT', 'TEXT', 'BIGINT'])})
     UPDATE deliveries SET id = given.id, sequence = given.sequence, state = given.state, error = given.error,
       duration_ms = given.duration_ms, claimed_by = ?, claimed_until = ?, attempted_at = ?
     FROM given WHERE deliveries.seq = given.seq AND deliveries.state = 'pending'
     RETURNING deliveries.seq, deliveries.id, deliveries.sequence, deliveries.subject, deliveries.state,
       (SELECT e.event FROM events e WHERE e.seq = deliveries.event_seq) AS event,
       (SELECT e.body FROM events e WHERE e.seq = deliveries.event_seq) AS body`,
    [...values, by.worker, by.until, by.now],
  );
  await query(db, 'UPDATE subscriptions SET last_sequence = last_sequence + ? WHERE id = ?', [
    deliveries.length,
    by.subscriptionId,
  ]);
  return rows;
}

/**
 * Records the outcomes of attempts. Only rows still claimed by this worker are written, so a process that was paused
 * past its claim cannot overwrite what another process recorded.
 * @returns the outcomes that were written
 */
export async function recordAttempts(db: Db, worker: string, finished: FinishedAttempt[]): Promise<FinishedAttempt[]> {
  const rows = await query<{ seq: number }>(
    db,
    `WITH ended (seq, state, response_status, error, duration_ms) AS (VALUES ${typedRows(finished.length, ['BIGINT', 'TEXT', 'BIGINT', 'TEXT', 'BIGINT'])})
     UPDATE deliveries SET state = ended.state, response_status = ended.response_status, error = ended.error,
       duration_ms = ended.duration_ms, claimed_until = NULL
     FROM ended WHERE deliveries.seq = ended.seq AND deliveries.state = 'sending' AND deliveries.claimed_by = ?
     RETURNING deliveries.seq`,
    [
      ...finished.flatMap(({ seq, outcome }) => [
        seq,
        outcome.status,
        outcome.responseStatus,
        outcome.error,
        Math.round(outcome.durationMs),
      ]),
      worker,
    ],
  );
  const written = new Set(rows.map((row) => row.seq));
  return finished.filter(({ seq }) => written.has(seq));
}

const END_BATCH_SIZE = 200;

/**
 * Fails everything pending in a channel as `channel_disabled`, each with its sequence. Locks the channel's row.
 * @returns the number of deliveries
 */
export const cancelPending = (db: Db, subscriptionId: string, worker: string, now: number): Promise<number> =>
  endPending(db, subscriptionId, { error: 'channel_disabled', minQueue: 1 }, worker, now);

async function endPending(
  db: Db,
  subscriptionId: string,
  { error, minQueue }: { error: AttemptError; minQueue: number },
  worker: string,
  now: number,
): Promise<number> {
  for (let ended = 0; ; ) {
    const channel = await queryOne<{ last_sequence: number }>(
      db,
      `SELECT last_sequence FROM subscriptions WHERE id = ?${forUpdate(db)}`,
      [subscriptionId],
    );
    const pending = await query<{ seq: number }>(
      db,
      `SELECT seq FROM deliveries WHERE ${OPEN} AND subscription_id = ? AND state = 'pending' AND queue >= ? ORDER BY seq LIMIT ?`,
      [subscriptionId, minQueue, END_BATCH_SIZE],
    );
    if (!channel || pending.length === 0) return ended;
    ended += pending.length;
    await assignNumbers(
      db,
      pending.map(({ seq }, index) => ({ seq, sequence: channel.last_sequence + index + 1, error })),
      { subscriptionId, worker, now, until: now },
    );
  }
}

/**
 * Fails all open deliveries as `interrupted`, each with its sequence. Used after a restore: the original database may
 * have sent them since the backup.
 * @returns the number of deliveries
 */
export async function interruptAll(db: Db, now: number): Promise<number> {
  const sending = await query(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = 0, claimed_until = NULL
     WHERE ${OPEN} AND state = 'sending' RETURNING seq`,
    ['interrupted' satisfies AttemptError],
  );
  let ended = sending.length;
  for (const id of await listWaitingChannels(db, Number.MAX_SAFE_INTEGER)) {
    ended += await endPending(db, id, { error: 'interrupted', minQueue: 0 }, 'restore', now);
  }
  return ended;
}

/** The workers with attempts in flight, and when the first of their claims expires (ms). */
export const listClaims = (db: Db): Promise<{ worker: string; until: number }[]> =>
  query(
    db,
    `SELECT claimed_by AS worker, min(claimed_until) AS until FROM deliveries WHERE ${OPEN} AND state = 'sending' GROUP BY claimed_by`,
  );

/**
 * Fails a worker's attempts in flight as `interrupted`. They are never sent again, because the request may have
 * arrived.
 * @param before only claims that expired before this time (ms); undefined: all of them, because the worker is dead
 * @returns the channel of each attempt, to be drained again
 */
export async function interrupt(
  db: Db,
  worker: string,
  before: number | undefined,
  now: number,
): Promise<{ channelId: string; accountId: string }[]> {
  const rows = await query<{ subscription_id: string; account_id: string }>(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = ? - attempted_at, claimed_until = NULL
     WHERE ${OPEN} AND state = 'sending' AND claimed_by = ?${before === undefined ? '' : ' AND claimed_until < ?'}
     RETURNING subscription_id, (SELECT s.account_id FROM subscriptions s WHERE s.id = subscription_id) AS account_id`,
    ['interrupted' satisfies AttemptError, now, worker, ...(before === undefined ? [] : [before])],
  );
  return rows.map((row) => ({ channelId: row.subscription_id, accountId: row.account_id }));
}

/** Counts open deliveries of all channels. */
export async function measureOutbox(db: Db): Promise<OutboxDepth> {
  const row = await queryOne<{ pending: number; sending: number; oldest_at: number | null }>(
    db,
    `SELECT coalesce(sum(CASE WHEN state = 'pending' THEN 1 ELSE 0 END), 0) AS pending,
       coalesce(sum(CASE WHEN state = 'sending' THEN 1 ELSE 0 END), 0) AS sending,
       min(CASE WHEN state = 'pending' THEN committed_at END) AS oldest_at
     FROM deliveries WHERE ${OPEN}`,
  );
  return { pending: Number(row?.pending), sending: Number(row?.sending), oldestAt: row?.oldest_at ?? null };
}

/** Channels with deliveries pending since before the given time (ms). */
export async function listWaitingChannels(db: Db, before: number): Promise<string[]> {
  const rows = await query<{ subscription_id: string }>(
    db,
    `SELECT DISTINCT subscription_id FROM deliveries WHERE ${OPEN} AND state = 'pending' AND committed_at < ?`,
    [before],
  );
  return rows.map((row) => row.subscription_id);
}
