import type { Author } from '../accounts/token.ts';
import type { Outbox } from '../events/outbox.ts';
import { fromThousandths } from '../shared/units.ts';
import type { Tx } from '../storage/transaction.ts';
import { becomesLow } from './filament.ts';
import type { LockedFilament } from './filament-store.ts';

/**
 * Sends `filament.low_stock` when a change makes the stock low: once per fall, and again only after it rose above the
 * threshold. Badge, filter and event follow the same rule, so raising the threshold to the remaining grams or above
 * sends the event too. Otherwise the stock would be low without an event, and no later consumption would send one.
 */
export async function appendLowStock(
  outbox: Outbox,
  tx: Tx,
  { accountId, traceparent }: Author,
  before: LockedFilament,
  change: Partial<LockedFilament>,
  at: number,
): Promise<void> {
  const after = { ...before, ...change };
  if (!becomesLow(before.remainingMg, after.remainingMg, after.thresholdMg, before.thresholdMg)) return;
  await outbox.append(tx, {
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
