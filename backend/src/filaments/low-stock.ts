import type { AppendEvent } from '../events/outbox.ts';
import { fromThousandths } from '../shared/schemas.ts';
import type { Tx } from '../storage/open.ts';
import { becomesLow } from './filament.ts';

interface Stock {
  id: string;
  name: string;
  remainingMg: number;
  thresholdMg: number;
}

/**
 * Sends `filament.low_stock` when a change makes stock low that was not: once per fall, again only after it was above. The
 * badge, the filter and the event follow this one rule, so a threshold that is raised to what remains or above it sends too:
 * otherwise the stock would be low without anybody having been told, and no later consumption would tell. Lowered, it arms again.
 */
export async function publishLowStock(
  append: AppendEvent,
  tx: Tx,
  accountId: string,
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
  });
}
