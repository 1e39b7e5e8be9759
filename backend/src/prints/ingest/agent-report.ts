import type { z } from 'zod';
import type { NewReport } from '../report-schema.ts';
import type { IdentifiedPrint } from '../reported-print.ts';

/** A report in our own format. UUIDs are accepted in upper case and stored in lower case. */
export const parseReport = (body: z.output<typeof NewReport>): IdentifiedPrint => ({
  source: 'report',
  eventId: body.event_id,
  printerId: body.printer_id?.toLowerCase(),
  filename: body.filename,
  outcome: body.outcome,
  at: body.at,
  sentAt: body.sent_at,
  grams: body.grams,
  reason: body.reason,
  orderId: body.order_id?.toLowerCase(),
  filamentId: body.filament_id?.toLowerCase(),
});
