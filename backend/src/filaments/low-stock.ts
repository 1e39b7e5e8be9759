import type { Author } from '../accounts/token.ts';
import type { AppendEvent } from '../events/outbox.ts';
import { fromThousandths } from '../shared/schemas.ts';
import type { Tx } from '../storage/transaction.ts';
import { becomesLow } from './filament.ts';

interface Stock {
  id: string;
  name: string;
  remainingMg: number;
  thresholdMg: number;
}

/**
 * Sends `filament.low_stock` when a change makes the stock low: once per fall, and again only after it rose above the
 * threshold. Badge, filter and event follow the same rule, so raising the threshold to the remaining grams or above
 * sends the event too. Otherwise the stock would be low without an event, and no later consumption would send one.
 */
export async function publishLowStock(
  append: AppendEvent,
  tx: Tx,
  { accountId, traceparent }: Author,
  before: Stock,
  change: Partial<Stock>,
  at: number,
): Promise<void> {
  const after = { ...before, ...change };
  if (!becomesLow(before.remainingMg, after.remainingMg, after.thresholdMg, before.thresholdMg)) return;
  await append(tx, {
    accountId,
    event: 'filament.low_stock',
    subject: `filament:${after.id}`,
    data: {
      filament_id: after.id,
      name: after.name,
      remaining_grams: fromThousandths(after.remainingMg),
      threshold_grams: fromThousandths(after.thresholdMg),
    },
    occurredAt: at,
    traceparent,
  });
}
