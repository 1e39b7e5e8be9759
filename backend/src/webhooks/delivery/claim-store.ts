import type { EventName } from '../../events/catalog.ts';
import { newIdTime } from '../../shared/ids.ts';
import {
  type Db,
  databaseTime,
  isPostgres,
  jsonRows,
  newIdOf,
  query,
  queryPrepared,
  type Value,
} from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { SubscriptionFormat } from '../formats/formats.ts';
import { changeAfterRound, IS_PAUSED_BY_ROUND } from '../subscriptions/round-changes.ts';
import type { AttemptError, AttemptOutcome } from './attempt.ts';
import { OF_EVENT, OPEN, ofEvent, ofSubscription } from './delivery-store.ts';
import type { EncryptedSecrets } from './render.ts';

/** How many pending deliveries of a subscription a claim looks at to find subjects without a delivery in flight. */
const LOOK_AHEAD = 32;

const DISABLED: AttemptError = 'channel_disabled';
const EXPIRED: AttemptError = 'expired';

/** What a subscription wants of a round. */
export interface RoundRequest {
  subscriptionId: string;
  mayClaim(): boolean;
  /** attempts that have ended and are not recorded yet */
  finished: readonly { seq: number; outcome: AttemptOutcome }[];
}

export interface ClaimTerms {
  /** unique to this process and this start of it */
  worker: string;
  /** how long the claims last; after that another process may mark the attempts as interrupted */
  claimMs: number;
  /** maximum number of concurrent requests of a subscription, across all processes */
  maxInFlight: number;
  /** deliveries committed longer ago expire instead of being sent */
  maxAgeMs: number;
}

/**
 * A delivery claimed by this worker, with its subscription: `sending` is committed, so no other worker will send it.
 */
export interface ClaimedDelivery extends EncryptedSecrets {
  seq: number;
  id: string;
  sequence: number;
  account_id: string;
  format: SubscriptionFormat;
  url_encrypted: string;
  event: EventName;
  event_id: string;
  /** what the event is about, such as `order:<id>` */
  subject: string;
  body: string;
  traceparent: string | null;
  /** ms from its commit to the claim */
  waited: number;
  /** set if it failed instead of being claimed: it had expired, or the subscription is disabled */
  error: AttemptError | null;
  /** null, unless it had been attempted before */
  duration_ms: number | null;
}

/**
 * Records finished attempts, then claims deliveries to send now: in each subscription at most `maxInFlight` at once and
 * one per subject (so events of one order are sent in order), with tests and resends first. Deliveries that are too old
 * get a sequence too and fail as `expired`; so do those of a disabled subscription, as `channel_disabled`, also if it is
 * paused by the failures that this round records.
 *
 * On PostgreSQL it is one statement, which is a transaction of its own. Such a statement sees the database as it was
 * when the statement began, except for the rows that it locks. It claims in a subscription only if the last sequence in
 * the locked row is the one that it saw, because then nobody else has claimed since.
 * @param now the current time as an SQL expression; only tests set it
 */
export async function recordAndClaim(
  storage: Pick<Storage, 'writer' | 'inTransaction'>,
  requests: readonly RoundRequest[],
  terms: ClaimTerms,
  now = databaseTime(storage.writer),
) {
  const round = toRound(storage.writer, requests, terms, now);
  const rows = await storage.inTransaction(
    ({ db }) => (isPostgres(db) ? inOneStatement(db, round) : inSteps(db, round)),
    { oneStatement: true },
  );
  const of = (what: Changed['what']) => rows.filter((row) => row.what === what);
  return {
    /** the seqs of the attempts that were recorded: those that were still claimed by this worker */
    recorded: new Set(of('recorded').map(({ seq }) => seq)),
    /** deliveries that were claimed or failed without a request, in the order of their sequences */
    claimed: of('claimed').toSorted((a, b) => a.sequence - b.sequence),
    /** subscriptions whose row others had locked: nothing was done */
    locked: new Set(of('locked').map(({ subscription_id: id }) => id)),
    /** subscriptions in which others claimed meanwhile: nothing was claimed */
    outdated: new Set(of('outdated').map(({ subscription_id: id }) => id)),
    /** subscriptions with failures since their last success, as the round left them */
    failing: new Map(
      of('failing').map(({ subscription_id, seq, sequence, duration_ms }): [string, FailingState] => [
        subscription_id,
        { failures: seq, isEnabled: sequence === 1, pauseAfter: duration_ms },
      ]),
    ),
  };
}

/** How a failing subscription is after a round. */
export interface FailingState {
  /** since the last success */
  failures: number;
  isEnabled: boolean;
  /** its `pause_after_failures` */
  pauseAfter: number | null;
}

/**
 * A row that the round answers. Only claimed deliveries have all columns; a failing subscription has its failures as
 * `seq`, whether it is enabled as `sequence`, and its `pause_after_failures` as `duration_ms`.
 */
type Changed = ClaimedDelivery & { what: 'claimed' | 'recorded' | 'locked' | 'outdated' | 'failing' };

/** SQL with the values of its placeholders. */
interface Part {
  sql: string;
  values: Value[];
}

type Round = ReturnType<typeof toRound>;

function toRound(db: Db, requests: readonly RoundRequest[], terms: ClaimTerms, now: string) {
  const asked = requests.map(({ subscriptionId, mayClaim }) => ({ id: subscriptionId, claims: mayClaim() ? 1 : 0 }));
  const ended = requests.flatMap(({ finished }) =>
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
    now,
    requests,
    claims: asked.some(({ claims }) => claims === 1),
    records: ended.length > 0,
    /** common table expressions `asked` and `ended`: the subscriptions and the attempts that ended */
    given: {
      sql: `asked AS MATERIALIZED (${jsonRows(db, { id: 'TEXT', claims: 'BIGINT' })}),
        ended AS MATERIALIZED (${jsonRows(db, { seq: 'BIGINT', place: 'BIGINT', state: 'TEXT', response_status: 'BIGINT', error: 'TEXT', duration_ms: 'BIGINT' })})`,
      values: [JSON.stringify(asked), JSON.stringify(ended)],
    },
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
          state = CASE WHEN picked.unsent IS NULL THEN 'sending' ELSE 'failed' END, error = picked.unsent,
          duration_ms = CASE WHEN picked.unsent IS NOT NULL OR deliveries.attempted_at IS NOT NULL THEN 0 END,
          claimed_by = ?, claimed_until = ${now} + CAST(? AS BIGINT), attempted_at = ${now}
        FROM picked WHERE deliveries.seq = picked.seq AND deliveries.state || '' = 'pending'
        RETURNING 'claimed' AS what, deliveries.seq, deliveries.id, deliveries.sequence, deliveries.subscription_id,
          deliveries.error, deliveries.duration_ms, deliveries.attempted_at, deliveries.subject,
          deliveries.attempted_at - deliveries.committed_at AS waited,
          ${OF_EVENT}, ${ofEvent('event')}, ${ofEvent('body')}, ${ofSubscription('account_id')}, ${ofSubscription('format')},
          ${ofSubscription('url_encrypted')}, ${ofSubscription('secret_encrypted')},
          ${ofSubscription('previous_secret_encrypted')}, ${ofSubscription('previous_secret_until')},
          ${ofSubscription('header_name')}, ${ofSubscription('header_value_encrypted')}`,
      values: [newIdTime(), terms.worker, terms.claimMs],
    },
  };
}

/**
 * Common table expressions up to `picked`: which deliveries of `subscriptions` (the subscriptions to claim for) to send
 * now and which fail as `unsent`, with their sequences.
 */
function picks(db: Db, { maxInFlight, maxAgeMs }: ClaimTerms, now: string): Part {
  const next = (columns: string) =>
    `SELECT ${columns} FROM deliveries d WHERE ${OPEN} AND d.subscription_id = c.id AND d.state = 'pending' ORDER BY queue, seq LIMIT ${LOOK_AHEAD}`;
  // only PostgreSQL can join a limited subquery for each subscription, and only SQLite is fast with a list of keys
  const waiting = isPostgres(db)
    ? `claiming c CROSS JOIN LATERAL (${next('seq, queue, subject, committed_at')}) p`
    : `claiming c CROSS JOIN deliveries p WHERE p.seq IN (${next('seq')})`;
  return {
    sql: `flying AS MATERIALIZED (
          SELECT d.subscription_id, d.subject FROM claiming c CROSS JOIN deliveries d
          WHERE ${OPEN} AND d.subscription_id = c.id AND d.state = 'sending' AND d.seq NOT IN (SELECT seq FROM ended)),
        waiting AS (
          SELECT c.id AS subscription, c.last_sequence, p.seq, p.queue, p.subject,
            CASE WHEN c.enabled = 0 AND p.queue > 0 THEN '${DISABLED}' WHEN ${now} - p.committed_at > ? THEN '${EXPIRED}' END AS unsent
          FROM ${waiting}),
        idle AS (
          SELECT w.*, row_number() OVER (PARTITION BY subscription, subject, unsent ORDER BY queue, seq) AS of_subject
          FROM waiting w WHERE NOT EXISTS (
            SELECT 1 FROM flying f WHERE f.subscription_id = w.subscription AND f.subject = w.subject)),
        ready AS (
          SELECT i.*, row_number() OVER (PARTITION BY subscription, unsent ORDER BY queue, seq) AS place
          FROM idle i WHERE unsent IS NOT NULL OR of_subject = 1),
        picked AS MATERIALIZED (
          SELECT subscription, seq, unsent,
            last_sequence + row_number() OVER (PARTITION BY subscription ORDER BY queue, seq) AS sequence
          FROM ready r
          WHERE unsent IS NOT NULL OR place <= ? - (SELECT count(*) FROM flying f WHERE f.subscription_id = r.subscription))`,
    values: [maxAgeMs, maxInFlight],
  };
}

/**
 * A common table expression: what `recorded` says of each subscription, in the order in which its attempts ended:
 * whether one succeeded, how many failed since, and the error of the last.
 */
const OUTCOMES = `outcomes AS MATERIALIZED (
    SELECT id, max(CASE WHEN state = 'succeeded' THEN 1 ELSE 0 END) AS succeeded,
      count(CASE WHEN place > succeeded_at THEN 1 END) AS failures, max(CASE WHEN place = last THEN error END) AS error
    FROM (
      SELECT r.subscription_id AS id, e.place, e.state, e.error, max(e.place) OVER (PARTITION BY r.subscription_id) AS last,
        max(CASE WHEN e.state = 'succeeded' THEN e.place ELSE -1 END) OVER (PARTITION BY r.subscription_id) AS succeeded_at
      FROM recorded r JOIN ended e ON e.seq = r.seq) each_attempt
    GROUP BY id)`;

/** A common table expression: of these subscriptions, those that ask for a claim, as they are after `outcomes`. */
const claimingOf = (subscriptions: string): string => `claiming AS MATERIALIZED (
    SELECT id, last_sequence, CASE WHEN ${IS_PAUSED_BY_ROUND} THEN 0 ELSE enabled END AS enabled
    FROM ${subscriptions} JOIN asked USING (id) LEFT JOIN outcomes USING (id) WHERE claims = 1)`;

/** What changes in the subscriptions: the numbers of `picked`, and `outcomes`. */
const CHANGES = `
  SELECT id, CAST(sum(n) AS BIGINT) AS n, max(succeeded) AS succeeded, CAST(sum(failures) AS BIGINT) AS failures, max(error) AS error
  FROM (
    SELECT subscription AS id, count(*) AS n, 0 AS succeeded, 0 AS failures, NULL AS error FROM picked GROUP BY subscription
    UNION ALL
    SELECT id, 0, succeeded, failures, error FROM outcomes) each_kind
  GROUP BY id`;

/** The columns of a failing subscription; see `Changed`. */
const RETURNING_FAILING = `RETURNING 'failing' AS what, subscriptions.consecutive_failures AS seq,
  CAST(subscriptions.enabled AS BIGINT) AS sequence, subscriptions.id AS subscription_id,
  subscriptions.pause_after_failures AS duration_ms`;

/** For PostgreSQL: one statement that never waits, because subscriptions that others have locked are left out. */
async function inOneStatement(db: Db, { given, picks, record, claim, now }: Round): Promise<Changed[]> {
  const found = `FROM subscriptions WHERE id IN (SELECT id FROM asked)`;
  const none = (count: number) => ', NULL'.repeat(count);
  return queryPrepared<Changed>(
    db,
    `WITH ${given.sql},
       seen AS MATERIALIZED (SELECT id, last_sequence ${found}),
       locked AS MATERIALIZED (
         SELECT id, last_sequence, enabled, consecutive_failures, pause_after_failures ${found} FOR NO KEY UPDATE SKIP LOCKED),
       current AS MATERIALIZED (SELECT locked.* FROM seen JOIN locked USING (id, last_sequence)),
       recorded AS (${record.sql} AND deliveries.subscription_id IN (SELECT id FROM locked) RETURNING deliveries.seq, deliveries.subscription_id),
       ${OUTCOMES},
       ${claimingOf('current')},
       ${picks.sql},
       claimed AS (${claim.sql}),
       changed AS (${changeAfterRound(CHANGES, now)} ${RETURNING_FAILING})
     SELECT * FROM claimed
     UNION ALL SELECT 'recorded', seq${none(20)} FROM recorded
     UNION ALL SELECT what, seq, NULL, sequence, subscription_id, NULL, duration_ms${none(15)} FROM changed WHERE seq > 0
     UNION ALL SELECT CASE WHEN id IN (SELECT id FROM locked) THEN 'outdated' ELSE 'locked' END, NULL, NULL, NULL, id${none(17)}
       FROM seen WHERE id NOT IN (SELECT id FROM current)`,
    [...given.values, ...record.values, ...picks.values, ...claim.values],
  );
}

/**
 * For SQLite, whose WITH cannot contain an UPDATE: the same steps one by one. A transaction has the file to itself. What
 * the attempts say is counted here, because its windows take SQLite as long as the claim.
 */
async function inSteps(db: Db, round: Round): Promise<Changed[]> {
  const { requests, given, picks, record, claim, now } = round;
  const recorded = round.records
    ? await query<Changed>(
        db,
        `WITH ${given.sql} ${record.sql} RETURNING 'recorded' AS what, deliveries.seq, deliveries.subscription_id`,
        [...given.values, ...record.values],
      )
    : [];
  const isRecorded = new Set(recorded.map(({ seq }) => seq));
  const outcomes = requests.map(({ subscriptionId: id, finished }) => ({
    id,
    ...toOutcome(finished.flatMap(({ seq, outcome }) => (isRecorded.has(seq) ? [outcome] : []))),
  }));
  const ofOutcomes = jsonRows(db, { id: 'TEXT', succeeded: 'BIGINT', failures: 'BIGINT' });
  const claimed = round.claims
    ? await query<Changed>(
        db,
        `WITH ${given.sql}, outcomes AS MATERIALIZED (${ofOutcomes}), ${claimingOf('subscriptions')}, ${picks.sql} ${claim.sql}`,
        [...given.values, JSON.stringify(outcomes), ...picks.values, ...claim.values],
      )
    : [];
  if (recorded.length + claimed.length === 0) return [];
  const changes = outcomes
    .map((outcome) => ({ ...outcome, n: claimed.filter((row) => row.subscription_id === outcome.id).length }))
    .filter(({ n, succeeded, failures }) => n + succeeded + failures > 0);
  const columns = { id: 'TEXT', n: 'BIGINT', succeeded: 'BIGINT', failures: 'BIGINT', error: 'TEXT' } as const;
  const changed = await query<Changed>(db, `${changeAfterRound(jsonRows(db, columns), now)} ${RETURNING_FAILING}`, [
    JSON.stringify(changes),
  ]);
  return [...recorded, ...claimed, ...changed.filter(({ seq }) => seq > 0)];
}

/** As `OUTCOMES`, of one subscription's attempts in the order in which they ended. */
function toOutcome(attempts: readonly AttemptOutcome[]) {
  const lastSuccess = attempts.findLastIndex(({ status }) => status === 'succeeded');
  return {
    succeeded: lastSuccess < 0 ? 0 : 1,
    failures: attempts.length - 1 - lastSuccess,
    error: attempts.at(-1)?.error ?? null,
  };
}
