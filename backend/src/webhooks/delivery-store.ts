import type { EventName } from '../events/catalogue.ts';
import { newId } from '../ids.ts';
import { type Db, forUpdate, query, queryOne, typedRows, type Value } from '../storage/dialect.ts';
import type { AttemptError, AttemptOutcome, ChannelFormat } from './attempt.ts';

/** A channel as a drain needs it. */
export interface Channel {
  id: string;
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
}

/** How far a claim looks down the queue for deliveries whose subject is free. */
const LOOK_AHEAD = 32;

/**
 * Takes what may be sent now: at most `mostInFlight` at once, none whose subject has one under way (so events of one order
 * leave one after the other), tests and resends first. Each is given the channel's next number in this very transaction, so
 * the numbers a receiver sees have no gap. Deliveries too old to be of use take a number too, and fail as `expired`.
 */
export async function claim(
  db: Db,
  request: ClaimRequest,
): Promise<{ channel: Channel; claimed: Claimed[] } | undefined> {
  const { subscriptionId, worker, now, until } = request;
  const channel = await queryOne<{
    format: ChannelFormat;
    url_sealed: string;
    secret_sealed: string | null;
    last_sequence: number;
  }>(db, `SELECT format, url_sealed, secret_sealed, last_sequence FROM subscriptions WHERE id = ?${forUpdate(db)}`, [
    subscriptionId,
  ]);
  if (!channel) return undefined;
  const open = await query<OpenRow>(
    db,
    `SELECT * FROM (SELECT seq, subject, state, committed_at FROM deliveries WHERE subscription_id = ? AND state = 'sending' LIMIT ?) s
     UNION ALL
     SELECT * FROM (SELECT seq, subject, state, committed_at FROM deliveries WHERE subscription_id = ? AND state = 'pending'
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
    format: channel.format,
    urlSealed: channel.url_sealed,
    secretSealed: channel.secret_sealed,
  };
  if (picked.length === 0) return { channel: known, claimed: [] };

  const values: Value[] = picked.flatMap(({ row, expired }, index) => [
    row.seq,
    newId(),
    channel.last_sequence + index + 1,
    expired ? 'failed' : 'sending',
    expired ? ('expired' satisfies AttemptError) : null,
    expired ? 0 : null,
  ]);
  const rows = await query<{
    seq: number;
    id: string;
    sequence: number;
    subject: string;
    state: string;
    event: EventName;
    body: string;
  }>(
    db,
    `WITH picked (seq, id, sequence, state, error, duration_ms) AS (VALUES ${typedRows(picked.length, ['BIGINT', 'TEXT', 'BIGINT', 'TEXT', 'TEXT', 'BIGINT'])})
     UPDATE deliveries SET id = picked.id, sequence = picked.sequence, state = picked.state, error = picked.error,
       duration_ms = picked.duration_ms, claimed_by = ?, claimed_until = ?, attempted_at = ?
     FROM picked WHERE deliveries.seq = picked.seq AND deliveries.state = 'pending'
     RETURNING deliveries.seq, deliveries.id, deliveries.sequence, deliveries.subject, deliveries.state,
       (SELECT e.event FROM events e WHERE e.seq = deliveries.event_seq) AS event,
       (SELECT e.body FROM events e WHERE e.seq = deliveries.event_seq) AS body`,
    [...values, worker, until, now],
  );
  await query(db, 'UPDATE subscriptions SET last_sequence = last_sequence + ? WHERE id = ?', [
    picked.length,
    subscriptionId,
  ]);
  const claimed = rows
    .filter((row) => row.state === 'sending')
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ seq, id, sequence, subject, event, body }) => ({ seq, id, sequence, subject, event, body }));
  return { channel: known, claimed };
}

/**
 * Records how attempts ended. Fenced: only what this worker still holds is written, so a process that was paused past its
 * claim cannot overwrite what others recorded meanwhile.
 */
export async function finish(db: Db, worker: string, finished: Finished[]): Promise<void> {
  await query(
    db,
    `WITH ended (seq, state, response_status, error, duration_ms) AS (VALUES ${typedRows(finished.length, ['BIGINT', 'TEXT', 'BIGINT', 'TEXT', 'BIGINT'])})
     UPDATE deliveries SET state = ended.state, response_status = ended.response_status, error = ended.error,
       duration_ms = ended.duration_ms, claimed_until = NULL
     FROM ended WHERE deliveries.seq = ended.seq AND deliveries.state = 'sending' AND deliveries.claimed_by = ?`,
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
}

/** Gives up all that waits in a channel, each with its number, because the channel was switched off. */
export async function cancelPending(db: Db, subscriptionId: string, worker: string, now: number): Promise<void> {
  const pending = await query<{ seq: number }>(
    db,
    "SELECT seq FROM deliveries WHERE subscription_id = ? AND state = 'pending' AND queue = 1 ORDER BY seq",
    [subscriptionId],
  );
  for (const { seq } of pending) {
    await query(
      db,
      `UPDATE deliveries SET state = 'failed', error = ?, id = ?, duration_ms = 0, claimed_by = ?, attempted_at = ?,
         sequence = (SELECT last_sequence + 1 FROM subscriptions WHERE id = ?) WHERE seq = ?`,
      ['channel_disabled' satisfies AttemptError, newId(), worker, now, subscriptionId, seq],
    );
    await query(db, 'UPDATE subscriptions SET last_sequence = last_sequence + 1 WHERE id = ?', [subscriptionId]);
  }
}

/** The workers that hold an attempt, and until when the last of its claims is honoured. */
export const listClaims = (db: Db): Promise<{ worker: string; until: number }[]> =>
  query(
    db,
    `SELECT claimed_by AS worker, min(claimed_until) AS until FROM deliveries WHERE state = 'sending' GROUP BY claimed_by`,
  );

/**
 * Ends what a worker left under way, as `interrupted`: whether the request arrived is not known, so it is never sent again.
 * @param before only claims that ran out before this time; undefined: all of them, the worker is dead
 * @returns the channels that can go on
 */
export async function interrupt(db: Db, worker: string, before: number | undefined, now: number): Promise<string[]> {
  const rows = await query<{ subscription_id: string }>(
    db,
    `UPDATE deliveries SET state = 'failed', error = ?, duration_ms = ? - attempted_at, claimed_until = NULL
     WHERE state = 'sending' AND claimed_by = ?${before === undefined ? '' : ' AND claimed_until < ?'} RETURNING subscription_id`,
    ['interrupted' satisfies AttemptError, now, worker, ...(before === undefined ? [] : [before])],
  );
  return [...new Set(rows.map((row) => row.subscription_id))];
}

/** Channels with something pending that was committed before the given time. */
export async function listWaitingChannels(db: Db, before: number): Promise<string[]> {
  const rows = await query<{ subscription_id: string }>(
    db,
    "SELECT DISTINCT subscription_id FROM deliveries WHERE state = 'pending' AND committed_at < ?",
    [before],
  );
  return rows.map((row) => row.subscription_id);
}
