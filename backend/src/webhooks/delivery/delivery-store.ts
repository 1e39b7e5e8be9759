import type { EventName } from '../../events/catalogue.ts';
import { newId } from '../../shared/ids.ts';
import { type Db, forUpdate, query, queryOne, typedRows, type Value } from '../../storage/dialect.ts';
import type { AttemptError, AttemptOutcome, ChannelFormat, OutboxDepth } from './attempt.ts';

/**
 * The condition of the partial index `deliveries_open`, word for word: SQLite takes that index only for a statement that
 * repeats it, and would read a channel's whole history otherwise.
 */
const OPEN = "state IN ('pending', 'sending')";

/** A channel as a drain needs it. */
export interface Channel {
  id: string;
  accountId: string;
  format: ChannelFormat;
  urlSealed: string;
  secretSealed: string | null;
}

/** A delivery that is ours to attempt: `sending` is committed, and nobody else will ever send it. */
export interface Claimed {
  seq: number;
  id: string;
  sequence: number;
  subject: string;
  event: EventName;
  body: string;
}

export interface Finished {
  seq: number;
  outcome: AttemptOutcome;
}

export interface ClaimRequest {
  subscriptionId: string;
  /** who claims: unique to this process and this start of it */
  worker: string;
  now: number;
  /** until when the claim is honoured; after it another process may declare the attempt interrupted */
  until: number;
  /** how many requests of this channel may be under way at once, whoever sends them */
  mostInFlight: number;
  /** what was committed before this is given up instead of sent */
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
  claimed: Claimed[];
  /** how many were too old and were given up instead */
  gaveUp: number;
  /** how many of those claimed had been attempted before, which must never be */
  sentAgain: number;
}

/** How far a claim looks down the queue for deliveries whose subject is free. */
const LOOK_AHEAD = 32;

/**
 * Takes what may be sent now: at most `mostInFlight` at once, none whose subject has one under way (so events of one order
 * leave one after the other), tests and resends first. Each is given the channel's next number in this very transaction, so
 * the numbers a receiver sees have no gap. Deliveries too old to be of use take a number too, and fail as `expired`.
 */
export async function claim(db: Db, request: ClaimRequest): Promise<Claim | undefined> {
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

  const underWay = open.filter((row) => row.state === 'sending');
  const busy = new Set(underWay.map((row) => row.subject));
  let free = request.mostInFlight - underWay.length;
  const picked: { row: OpenRow; expired: boolean }[] = [];
  for (const row of open) {
    if (row.state !== 'pending' || busy.has(row.subject)) continue;
    const expired = row.committed_at < request.expiredBefore;
    if (!expired) {
      if (free <= 0) break;
      free -= 1;
      busy.add(row.subject);
    }
    picked.push({ row, expired });
  }
  const known = {
    id: subscriptionId,
    accountId: channel.account_id,
    format: channel.format,
    urlSealed: channel.url_sealed,
    secretSealed: channel.secret_sealed,
  };
  if (picked.length === 0) return { channel: known, claimed: [], gaveUp: 0, sentAgain: 0 };

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
  return { channel: known, claimed, gaveUp: rows.length - claimed.length, sentAgain };
}

/**
 * Gives pending deliveries the channel's next numbers, and with an error ends them there: a receiver then sees the gap and
 * can ask for what it missed. The caller holds the channel's row.
 */
async function assignNumbers(
  db: Db,
  deliveries: { seq: number; sequence: number; error: AttemptError | null }[],
  by: { subscriptionId: string; worker: string; now: number; until: number },
): Promise<(Claimed & { state: string })[]> {
  const values: Value[] = deliveries.flatMap(({ seq, sequence, error }) => [
    seq,
    newId(),
    sequence,
    error === null ? 'sending' : 'failed',
    error,
    error === null ? null : 0,
  ]);
  const rows = await query<Claimed & { state: string }>(
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
 * Records how attempts ended. Fenced: only what this worker still holds is written, so a process that was paused past its
 * claim cannot overwrite what others recorded meanwhile.
 * @returns those that were written
 */
export async function finish(db: Db, worker: string, finished: Finished[]): Promise<Finished[]> {
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

const END_AT_ONCE = 200;

/**
 * Gives up all that waits in a channel, each with its number, because the channel was switched off. Holds its row.
 * @returns how many there were
 */
export const cancelPending = (db: Db, subscriptionId: string, worker: string, now: number): Promise<number> =>
  endPending(db, subscriptionId, { error: 'channel_disabled', leastQueue: 1 }, worker, now);

async function endPending(
  db: Db,
  subscriptionId: string,
  { error, leastQueue }: { error: AttemptError; leastQueue: number },
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
      [subscriptionId, leastQueue, END_AT_ONCE],
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
 * Ends everything that is open, as `interrupted` and with its number, because these rows are a copy: whether the original
 * has sent them meanwhile is not known.
 * @returns how many
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
    ended += await endPending(db, id, { error: 'interrupted', leastQueue: 0 }, 'restore', now);
  }
  return ended;
}

/** The workers that hold an attempt, and when the first of their claims runs out. */
export const listClaims = (db: Db): Promise<{ worker: string; until: number }[]> =>
  query(
    db,
    `SELECT claimed_by AS worker, min(claimed_until) AS until FROM deliveries WHERE ${OPEN} AND state = 'sending' GROUP BY claimed_by`,
  );

/**
 * Ends what a worker left under way, as `interrupted`: whether the request arrived is not known, so it is never sent again.
 * @param before only claims that ran out before this time; undefined: all of them, the worker is dead
 * @returns the channel of each, which can go on
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

/** What has no end state yet, of all channels. */
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

/** Channels with something pending that was committed before the given time. */
export async function listWaitingChannels(db: Db, before: number): Promise<string[]> {
  const rows = await query<{ subscription_id: string }>(
    db,
    `SELECT DISTINCT subscription_id FROM deliveries WHERE ${OPEN} AND state = 'pending' AND committed_at < ?`,
    [before],
  );
  return rows.map((row) => row.subscription_id);
}
