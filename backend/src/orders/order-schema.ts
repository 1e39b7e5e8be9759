import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import {
  color,
  currencyCode,
  day,
  decimal,
  flag,
  listOf,
  nonBlank,
  pageQuery,
  text,
  timestamp,
  uuid,
} from '../shared/schemas.ts';
import { HISTORY_KINDS, ORDER_SORTS, type Order } from './order.ts';
import type { OrderFilter } from './order-store.ts';
import { WORKFLOW_STATUSES } from './status.ts';

const status = () => z.enum(WORKFLOW_STATUSES);

/** The writable fields of requests. An absent field keeps its value; null clears it where null is allowed. */
const fields = {
  model_name: nonBlank(300),
  quantity_pieces: z.int().min(0).max(1_000_000),
  material_name: text(200),
  color_hex: color(),
  material_grams: decimal(0, 1_000_000).describe('grams of material, at most 3 decimals'),
  print_hours: decimal(0, 100_000).describe('hours, at most 3 decimals'),
  due_date: day(),
  order_notes: text(5000),
  printer_id: uuid().nullable().describe('a printer of this account; null: none'),
  customer_name: text(300).nullable(),
  customer_contact: text(300).nullable(),
  price: z.int().min(0).max(1_000_000_000_000).nullable().describe('minor units of `currency`'),
  currency: currencyCode().nullable().describe('ISO 4217'),
};

export const NewOrder = z
  .object({
    ...fields,
    workflow_status: status().describe('default `negotiation`'),
  })
  .partial()
  .extend({ model_name: fields.model_name })
  .meta({
    id: 'NewOrder',
    examples: [
      {
        model_name: 'Wall bracket',
        quantity_pieces: 4,
        material_name: 'PETG',
        color_hex: '#1E90FF',
        material_grams: 182.5,
        print_hours: 6.25,
        due_date: '2026-12-04',
        customer_name: 'Vera Smith',
      },
    ],
  });
export type NewOrder = z.output<typeof NewOrder>;

/**
 * The validated fields of a PUT. `workflow_status` accepts anything: by the specification ("States and transitions"),
 * an unlisted value resets the order and is not an error.
 */
export const OrderPatch = z
  .object({
    ...fields,
    // generated clients learn the listed values from the first part and may send any other because of the second
    workflow_status: z
      .union([status(), z.unknown().describe('any other value: resets the order')])
      .describe(
        `one of ${WORKFLOW_STATUSES.join(', ')}. Any other value, of whatever type, resets the order to \`negotiation\` without an error (see \`X-Svc-Status-Reset\`); send \`Prefer: handling=strict\` to have it refused`,
      ),
  })
  .partial()
  .meta({
    id: 'OrderPatch',
    examples: [{ workflow_status: 'printing', printer_id: EXAMPLE_IDS.printer }],
    description:
      'Only the fields to change. A whole record may be sent back: what cannot be written is ignored and named in `X-Svc-Ignored-Fields`.',
  });
export type OrderPatch = z.output<typeof OrderPatch>;

export const OrderRecord = z
  .object({
    id: uuid(),
    model_name: z.string(),
    quantity_pieces: z.int(),
    material_name: z.string(),
    color_hex: z.string(),
    material_grams: z.number(),
    print_hours: z.number(),
    due_date: z.iso.date(),
    order_notes: z.string(),
    workflow_status: status(),
    printer_id: uuid().nullable(),
    printer_name: z.string().nullable(),
    customer_name: z.string().nullable(),
    customer_contact: z.string().nullable(),
    price: z.int().nullable(),
    currency: z.string().nullable(),
    status_reset_received: z
      .string()
      .nullable()
      .describe(
        'what was received when the status was last set to a value that is not listed; null once a listed one is set',
      ),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Order' }) satisfies z.ZodType<Order>;

export const OrderList = listOf(OrderRecord);

const statusFilter = z
  .union([status(), z.array(status())])
  .transform((value) => [value].flat())
  .default([]);

export const OrderQuery = z.strictObject({
  ...pageQuery,
  workflow_status: statusFilter.describe('may be repeated; `closed` orders are hidden unless asked for'),
  include_closed: flag().default(false),
  printer_id: uuid().optional(),
  due_before: day().optional().describe('due earlier than this day'),
  due_after: day().optional().describe('due later than this day'),
  updated_since: timestamp()
    .optional()
    .describe('changed at this time or later: what to reconcile after missed events'),
  q: text(200, 1).optional().describe('text in the model, the notes or the customer'),
  sort: z.enum(ORDER_SORTS).default('-created_at').describe('`-`: descending'),
});

export function toFilter({ updated_since, ...filter }: z.output<typeof OrderQuery>): OrderFilter {
  return updated_since === undefined ? filter : { ...filter, updated_since: Date.parse(updated_since) };
}

export const HistoryQuery = z.strictObject(pageQuery);

export const HistoryList = listOf(
  z
    .object({
      id: uuid(),
      kind: z.enum(HISTORY_KINDS),
      at: z.iso.datetime(),
      actor: z.string().describe('the name of the token that did it'),
      from_status: status().nullable(),
      to_status: status().nullable(),
      received: z.string().nullable().describe('status_reset: the value received in place of a listed status'),
      filament_id: uuid().nullable(),
      grams: z.number().nullable().describe('consumption: what was used; negative when it was given back'),
      cost: z.number().nullable().describe("consumption: in the account's currency; null: not known"),
      cost_currency: z.string().nullable().describe('of `cost`; null where there is none'),
      cost_rub: z.number().nullable().describe('`cost` where the account is in roubles, else null'),
      note: z.string().nullable(),
    })
    .meta({ id: 'OrderHistoryEntry' }),
);
