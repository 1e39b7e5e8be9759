import type { Clock } from '../../../common/src/clock.ts';
import type { Outbox } from '../events/outbox.ts';
import type { PaymentProvider } from '../invoices/payments/providers/provider.ts';
import type { Metrics } from '../operator/metrics.ts';
import type { PublishChange } from '../shared/change.ts';
import type { Storage } from '../storage/open.ts';
import type { Guard } from '../webhooks/delivery/guard.ts';
import type { Sender } from '../webhooks/delivery/sender.ts';
import type { OpenedParts } from './open.ts';

/** The parts that features are built from. */
export interface Parts extends OpenedParts {
  guard: Guard;
  sender: Sender;
  stripe: PaymentProvider;
  metrics: Metrics | undefined;
  /** the characters that PDFs can show */
  findCharacters(): Promise<ReadonlySet<number>>;
}

/** What every feature uses. */
export interface Shared {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
  publishChange: PublishChange;
}
