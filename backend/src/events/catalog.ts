import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { WORKFLOW_STATUSES } from '../orders/status.ts';

const time = () => z.iso.datetime();

/**
 * The data of order events: exactly these fields, whatever else an order has (interface specification, "`data`
 * shapes").
 */
export const OrderEventData = z
  .object({
    id: z.guid().meta({ example: EXAMPLE_IDS.order }),
    model_name: z.string(),
    quantity_pieces: z.int(),
    material_name: z.string(),
    color_hex: z.string(),
    material_grams: z.number(),
    print_hours: z.number(),
    due_date: z.iso.date(),
    order_notes: z.string(),
    workflow_status: z.enum(WORKFLOW_STATUSES),
    printer_id: z.guid().nullable(),
    printer_name: z.string().nullable(),
  })
  .meta({ id: 'OrderEventData' });

const PrintReportData = z
  .object({ printer_id: z.guid(), printer_name: z.string(), filename: z.string(), at: time() })
  .meta({ id: 'PrintReportData' });

const LowStockData = z
  .object({
    filament_id: z.guid(),
    name: z.string().meta({ example: 'PETG black' }),
    remaining_grams: z.number().meta({ example: 480.5 }),
    threshold_grams: z.number().meta({ example: 500 }),
  })
  .meta({ id: 'LowStockData' });

const LeadData = z
  .object({
    lead_id: z.guid().meta({ example: EXAMPLE_IDS.lead }),
    description: z.string(),
    contact: z.string(),
    client_email: z.string(),
    budget: z.string(),
    deadline: z.string(),
    has_file: z.boolean().meta({ example: true }),
    created_at: time(),
  })
  .meta({ id: 'LeadData' });

const InvoicePaidData = z
  .object({
    document_id: z.guid().meta({ example: EXAMPLE_IDS.invoice }),
    number: z.string().meta({ example: '2026-0001' }),
    amount: z.number(),
    paid_at: time(),
    order_ids: z.array(z.guid()),
    needs_review: z.boolean(),
  })
  .meta({ id: 'InvoicePaidData' });

const TestData = z.object({ subscription_id: z.guid(), message: z.string() }).meta({ id: 'TestData' });

interface EventKind {
  /** shape of `data`, as listed in the interface specification ("`data` shapes") */
  data: z.ZodType;
  when: string;
  /** whether subscriptions may select it; a test event is only sent on request */
  selectable: boolean;
}

/** All events. Only these can be appended to the outbox, with these shapes. */
export const EVENTS = {
  'order.created': { data: OrderEventData, when: 'an order is created', selectable: true },
  'order.status_changed': { data: OrderEventData, when: "an order's status changes", selectable: true },
  'printer.print_finished': { data: PrintReportData, when: 'a printer finishes a print', selectable: true },
  'printer.print_failed': { data: PrintReportData, when: 'a print fails', selectable: true },
  'filament.low_stock': { data: LowStockData, when: 'a filament drops to its low-stock threshold', selectable: true },
  'lead.created': { data: LeadData, when: 'a request arrives through the public profile', selectable: true },
  'invoice.paid': { data: InvoicePaidData, when: 'an invoice is paid online', selectable: true },
  'webhook.test': { data: TestData, when: 'a test event is requested', selectable: false },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof EVENTS;
export type EventData<N extends EventName> = z.output<(typeof EVENTS)[N]['data']>;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** The events that a subscription may select. */
export const SELECTABLE_EVENTS = EVENT_NAMES.filter((name) => EVENTS[name].selectable);

/** The envelope of every event, stored and sent byte for byte (interface specification, "Request shape"). */
export interface EventEnvelope<N extends EventName = EventName> {
  event: N;
  /** ISO 8601, UTC, `Z` */
  occurred_at: string;
  data: EventData<N>;
}
