import { lockAccount } from '../accounts/account-store.ts';
import type { Config } from '../config/config.ts';
import type { EventEnvelope } from '../events/catalog.ts';
import { insertEvent, listEvents } from '../events/event-store.ts';
import { listExisting } from '../printers/printer-store.ts';
import { listKnownMaterials } from '../reports/material-store.ts';
import type { WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import { deliveryConsoleRoutes } from '../webhooks/delivery/delivery-console-routes.ts';
import { createEventLog } from '../webhooks/delivery/delivery-log.ts';
import { createDrain } from '../webhooks/delivery/drain.ts';
import { createSweep, createWorkerName } from '../webhooks/delivery/sweep.ts';
import type { Describe } from '../webhooks/formats/message.ts';
import { createWebhookService } from '../webhooks/subscriptions/subscription-service.ts';
import type { InvoiceFeatures } from './invoices.ts';
import type { Parts, Shared } from './parts.ts';

/** Webhook subscriptions, their deliveries, and the jobs that send them. */
export function createWebhookFeatures(
  { storage, clock, publishChange }: Shared,
  { logger, guard, secretBox, sender, jobs, metrics }: Parts,
  { withIdempotency, describe }: { withIdempotency: WithIdempotency; describe: Describe },
) {
  const shared = { storage, clock, publishChange, worker: createWorkerName(), metrics: metrics?.deliveries };
  const { wake } = jobs;
  const webhooks = createWebhookService({
    ...shared,
    logger,
    withIdempotency,
    guard,
    secretBox,
    wake,
    accounts: { lockAccount },
    events: { insertEvent },
    printers: { listExisting },
    findMaterials: (accountId, materials) => listKnownMaterials(storage.read, accountId, materials),
  });
  return {
    webhooks,
    drain: createDrain({ ...shared, sender, secretBox, logger, describe }),
    sweep: createSweep({ ...shared, logger }),
    consoleRoutes: deliveryConsoleRoutes(createEventLog({ storage, secretBox, describe, events: { listEvents } })),
  };
}

/** What messages to Slack and Discord say besides the event. */
export const createDescribe =
  (config: Config, address: { publicUrl: string }, currencyOf: InvoiceFeatures['currencyOf']): Describe =>
  async (accountId, event, body) => ({
    // a separate worker knows the console's URL only if PUBLIC_URL is set
    publicUrl: config.role === 'worker' ? config.publicUrl : address.publicUrl,
    currency:
      event === 'invoice.paid'
        ? await currencyOf(accountId, (JSON.parse(body) as EventEnvelope<'invoice.paid'>).data.document_id)
        : undefined,
  });
