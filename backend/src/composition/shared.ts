import { systemClock } from '../../../common/src/clock.ts';
import { createOutbox } from '../events/outbox.ts';
import { throttleBusy } from '../jobs/throttle.ts';
import { publishChanges } from '../storage/publish-changes.ts';
import { insertDeliveries } from '../webhooks/delivery/delivery-store.ts';
import type { Parts, Shared } from './parts.ts';

export function createShared({ storage, jobs }: Pick<Parts, 'storage' | 'jobs'>): Shared {
  const publishChange = throttleBusy(jobs.live.publishChange);
  const outbox = createOutbox({ insertDeliveries, wake: jobs.wake });
  return { storage: publishChanges(storage, publishChange), clock: systemClock, outbox, publishChange };
}
