// The transitions of a delivery that assign its sequence: from `pending` to `sending` or `failed`. They hold the lock on
// the channel's row, so receivers see no gaps.
import type { Logger } from '../../shared/logger.ts';
import type { Db } from '../../storage/dialect.ts';
import { advanceSequence, type Channel, lockChannel } from '../subscriptions/subscription-store.ts';
import type { AttemptError, DeliveryMetrics, EndedDelivery } from './attempt.ts';
import * as store from './delivery-store.ts';

export interface ClaimRequest {
  subscriptionId: string;
  /** unique to this process and this start of it */
  worker: string;
  /** how long the claim lasts; after that another process may mark the attempt as interrupted */
  claimMs: number;
  /** maximum number of concurrent requests of this channel, across all processes */
  maxInFlight: number;
  /** deliveries committed longer ago expire instead of being sent */
  maxAgeMs: number;
}

export interface Claim {
  channel: Channel;
  claimed: store.ClaimedDelivery[];
  /** deliveries that expired instead of being sent */
  expired: EndedDelivery[];
  /** number of claimed deliveries that had been attempted before; must always be 0 */
  sentAgain: number;
}

/** How many pending deliveries a claim looks at to find subjects without a delivery in flight. */
const LOOK_AHEAD = 32;

/**
 * Claims deliveries to send now: at most `maxInFlight` at once and one per subject (so events of one order are sent in
 * order), with tests and resends first. Deliveries that are too old get a sequence too and fail as `expired`.
 * @param now the current time as an SQL expression; only tests set it
 * @returns undefined if the channel was deleted
 */
export async function claimDeliveries(db: Db, request: ClaimRequest, now?: string): Promise<Claim | undefined> {
  const channel = await lockChannel(db, request.subscriptionId);
  if (!channel) return undefined;
  const picked = pickDeliveries(await store.listOpen(db, channel.id, LOOK_AHEAD, now), request);
  const rows = await assignSequences(db, channel, picked, request, now);
  return {
    channel,
    claimed: rows.filter((row) => row.error === null).sort((a, b) => a.sequence - b.sequence),
    expired: rows.flatMap((row) => toEnded(channel.id, row)),
    sentAgain: picked.filter(({ error, attempted_at }) => error === null && attempted_at !== null).length,
  };
}

type Picked = store.OpenDelivery & { error: AttemptError | null };

/** Chooses which of a channel's open deliveries to send now, and which have expired. */
function pickDeliveries(open: readonly store.OpenDelivery[], request: ClaimRequest): Picked[] {
  const inFlight = open.filter((row) => row.state === 'sending');
  const busy = new Set(inFlight.map((row) => row.subject));
  let capacity = request.maxInFlight - inFlight.length;
  const picked: Picked[] = [];
  for (const row of open) {
    if (row.state !== 'pending' || busy.has(row.subject)) continue;
    const expired = row.age > request.maxAgeMs;
    if (!expired) {
      if (capacity <= 0) break;
      capacity -= 1;
      busy.add(row.subject);
    }
    picked.push({ ...row, error: expired ? 'expired' : null });
  }
  return picked;
}

/** Assigns the channel's next sequences to pending deliveries. The caller must hold the lock on the channel's row. */
async function assignSequences(
  db: Db,
  { id, lastSequence }: Channel,
  deliveries: readonly { seq: number; error: AttemptError | null }[],
  by: { worker: string; claimMs: number },
  now?: string,
) {
  if (deliveries.length === 0) return [];
  const numbered = deliveries.map(({ seq, error }, index) => ({ seq, sequence: lastSequence + index + 1, error }));
  const rows = await store.claimOrFail(db, numbered, by, now);
  await advanceSequence(db, id, deliveries.length);
  return rows;
}

/** A delivery that failed before it was attempted; none if it was claimed. */
function toEnded(
  subscriptionId: string,
  { id, event_id, error }: { id: string; event_id: string; error: AttemptError | null },
): EndedDelivery[] {
  if (error === null) return [];
  return [
    {
      id,
      eventId: event_id,
      subscriptionId,
      outcome: { status: 'failed', responseStatus: null, error, durationMs: 0 },
    },
  ];
}

const END_BATCH_SIZE = 200;

/** Fails everything pending in a channel that was turned off, as `channel_disabled`; tests and resends stay. */
export const cancelPending = (db: Db, subscriptionId: string, worker: string): Promise<EndedDelivery[]> =>
  endPending(db, subscriptionId, { error: 'channel_disabled', minQueue: 1 }, worker);

async function endPending(
  db: Db,
  subscriptionId: string,
  { error, minQueue }: { error: AttemptError; minQueue: number },
  worker: string,
): Promise<EndedDelivery[]> {
  const ended: EndedDelivery[] = [];
  for (;;) {
    const channel = await lockChannel(db, subscriptionId);
    const pending = await store.listPending(db, subscriptionId, minQueue, END_BATCH_SIZE);
    if (!channel || pending.length === 0) return ended;
    const failing = pending.map(({ seq }) => ({ seq, error }));
    const rows = await assignSequences(db, channel, failing, { worker, claimMs: 0 });
    ended.push(...rows.flatMap((row) => toEnded(subscriptionId, row)));
  }
}

/**
 * Fails all open deliveries as `interrupted`, each with its sequence. Used after a restore: the original database may
 * have sent them since the backup.
 * @returns the number of deliveries
 */
export async function interruptAll(db: Db): Promise<number> {
  let ended = await store.interruptSending(db);
  for (const id of await store.listWaitingChannels(db, Number.MIN_SAFE_INTEGER)) {
    ended += (await endPending(db, id, { error: 'interrupted', minQueue: 0 }, 'restore')).length;
  }
  return ended;
}

/** Logs and counts deliveries that ended: one line each. Call it after the commit, once for each delivery. */
export function reportEnded(
  { logger, metrics }: { logger: Logger; metrics?: DeliveryMetrics | undefined },
  ended: readonly EndedDelivery[],
): void {
  for (const { id, eventId, subscriptionId, outcome } of ended) {
    const { status, responseStatus, error, durationMs } = outcome;
    logger.info(
      {
        delivery_id: id,
        event_id: eventId,
        subscription_id: subscriptionId,
        status,
        response_status: responseStatus,
        error,
        duration_ms: Math.round(durationMs),
      },
      'delivery ended',
    );
    metrics?.countEnded(error ?? 'succeeded');
  }
}
