import type { Config } from '../config/config.ts';
import type { Outbox } from '../events/outbox.ts';
import type { PaymentProvider } from '../invoices/payments/providers/provider.ts';
import type { Jobs, PublishChange } from '../jobs/jobs.ts';
import type { Metrics } from '../operator/metrics.ts';
import type { Clock } from '../shared/clock.ts';
import type { SecretBox, Sign } from '../shared/crypto.ts';
import type { Logger } from '../shared/logger.ts';
import type { Storage } from '../storage/open.ts';
import type { Guard } from '../webhooks/delivery/guard.ts';
import type { Sender } from '../webhooks/delivery/sender.ts';

/** The parts that features are built from. */
export interface Parts {
  logger: Logger;
  storage: Storage;
  guard: Guard;
  secretBox: SecretBox;
  signForms: Sign;
  signDevices: Sign;
  jobs: Jobs;
  sender: Sender;
  stripe: PaymentProvider;
  metrics: Metrics | undefined;
  config: Config;
}

/** What every feature uses. */
export interface Shared {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
  publishChange: PublishChange;
}
