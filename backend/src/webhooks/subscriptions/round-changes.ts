/**
 * How far back an event may have been written that is committed only now. Its place in the log is then before those of
 * events that were committed earlier.
 */
const MAX_COMMIT_MS = 60_000;

/** The failures since the last success after a round, in whose columns `succeeded` and `failures` are. */
const FAILURES = 'CASE WHEN succeeded = 1 THEN 0 ELSE consecutive_failures END + failures';

/** An SQL condition on a subscription and its part of a round: its failures pause it. */
export const IS_PAUSED_BY_ROUND = `enabled = 1 AND failures > 0 AND ${FAILURES} >= pause_after_failures`;

/**
 * An SQL expression for the place in the log after which a subscription that is disabled now may have missed events. It
 * is somewhat earlier; events with a delivery aren't missed, and before the last change of the subscription others were
 * selected.
 */
export const missedAfter = (now: string): string =>
  `coalesce((SELECT e.seq FROM events e WHERE e.account_id = subscriptions.account_id
     AND e.occurred_at < CASE WHEN ${now} - ${MAX_COMMIT_MS} > updated_at THEN ${now} - ${MAX_COMMIT_MS} ELSE updated_at END
     ORDER BY e.seq DESC LIMIT 1), 0)`;

/**
 * The statement with which a round changes its subscriptions: their numbers and their health. Those that failed as often
 * as they may are paused.
 * @param changes a SELECT with a row for each subscription: its `id`, how many numbers it assigned (`n`), whether an
 *   attempt `succeeded` (1 or 0), how many `failures` there were since, and the `error` of the last
 */
export const changeAfterRound = (changes: string, now: string): string => {
  const ifPaused = (value: string, otherwise: string) =>
    `CASE WHEN ${IS_PAUSED_BY_ROUND} THEN ${value} ELSE ${otherwise} END`;
  return `UPDATE subscriptions SET last_sequence = last_sequence + changes.n,
     consecutive_failures = ${FAILURES},
     last_success_at = CASE WHEN succeeded = 1 THEN ${now} ELSE last_success_at END,
     last_error = CASE WHEN succeeded + failures > 0 THEN changes.error ELSE last_error END,
     enabled = ${ifPaused('0', 'enabled')}, paused_at = ${ifPaused(now, 'paused_at')},
     missed_after = ${ifPaused(missedAfter(now), 'missed_after')},
     updated_at = ${ifPaused(`CASE WHEN ${now} > updated_at THEN ${now} ELSE updated_at + 1 END`, 'updated_at')}
   FROM (${changes}) changes WHERE subscriptions.id = changes.id`;
};
