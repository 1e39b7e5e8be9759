import type { Logger } from '../../shared/logger.ts';
import type { DeliveryMetrics, EndedDelivery } from './attempt.ts';

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
