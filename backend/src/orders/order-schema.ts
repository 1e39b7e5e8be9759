import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { cursor, numberCursor } from '../shared/cursor.ts';
import { ERROR_CODES } from '../shared/errors.ts';
import { listOf, pageQuery } from '../shared/pagination.ts';
import { day, flag, repeatable, searchText, text, timestamp, uuid } from '../shared/schemas.ts';
import { HISTORY_KINDS, ORDER_SORTS } from './order.ts';
import { EXTERNAL_FIELDS, EXTERNAL_ID, OrderRecord, REQUEST_FIELDS } from './order-fields.ts';
import type { OrderFilter } from './order-store.ts';
import { WORKFLOW_STATUSES } from './status.ts';

const status = () => z.enum(WORKFLOW_STATUSES);

export const NewOrder = z
  .object({
    ...REQUEST_FIELDS,
    ...EXTERNAL_FIELDS,
    workflow_status: status().describe('default: `negotiation`'),
  })
  .partial()
  .extend({ model_name: REQUEST_FIELDS.model_name })
  .refine(({ source = null, external_id = null }) => (source === null) === (external_id === null), {
    path: ['external_id'],
    error: 'must be sent together with `source`, or neither of the two',
  })
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
    ...REQUEST_FIELDS,
    // generated clients learn the listed values from the first part and may send any other because of the second
    workflow_status: z
      .union([status(), z.unknown().describe('any other value resets the order')])
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

/** The fields of a PUT by the ID in another system, which knows nothing of `workflow_status`. */
export const ExternalOrder = z
  .object({ ...REQUEST_FIELDS, external_updated_at: EXTERNAL_FIELDS.external_updated_at })
  .partial()
  .meta({
    id: 'ExternalOrder',
    examples: [
      {
        model_name: 'Wall bracket',
        quantity_pieces: 4,
        customer_name: 'Vera Smith',
        external_updated_at: '2026-11-22T09:30:00Z',
      },
    ],
    description: 'The order as it stands in the other system. `model_name` is required when this creates the order.',
  });
export type ExternalOrder = z.output<typeof ExternalOrder>;

const MAX_CHANGED = 100;

/** One status for several orders. */
export const StatusChange = z
  .object({
    ids: z.array(uuid()).min(1).max(MAX_CHANGED).describe(`up to ${MAX_CHANGED} orders; the results are in this order`),
    workflow_status: status().describe('one of these; nothing is reset here'),
    printer_id: uuid()
      .nullable()
      .optional()
      .describe('a printer of this account; null for none; absent: left as it is'),
  })
  .meta({
    id: 'StatusChange',
    examples: [{ ids: [EXAMPLE_IDS.order], workflow_status: 'assigned', printer_id: EXAMPLE_IDS.printer }],
  });
export type StatusChange = z.output<typeof StatusChange>;

const StatusResult = z
  .object({
    id: uuid(),
    status: z
      .int()
      .describe('as if this order had been changed alone: 200, or that of the error')
      .meta({ example: 200 }),
    workflow_status: status().optional().describe('with 200: the status that the order has now'),
    error: z
      .object({
        type: z.string(),
        title: z.string(),
        status: z.int(),
        detail: z.string(),
        code: z.enum(ERROR_CODES),
        errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
      })
      .optional()
      .describe('otherwise: the members of an error body'),
  })
  .meta({ id: 'StatusResult', example: { id: EXAMPLE_IDS.order, status: 200, workflow_status: 'assigned' } });
export type StatusResult = z.output<typeof StatusResult>;

export const StatusResults = z.object({ results: z.array(StatusResult) }).meta({ id: 'StatusResults' });

export const externalParams = z.object(EXTERNAL_ID);

export const OrderList = listOf(OrderRecord);

/** The value of the column that sorts the list, and the ID. */
const OrderPosition = z.tuple([z.union([z.int(), day()]), uuid()]);

const SearchText = searchText(
  'the model, the notes or the customer',
  'an ID, whole, as on a label, or its last 8 characters',
);

export const FindQuery = z.strictObject({ q: SearchText });

export const FoundOrders = z
  .object({
    ids: z
      .array(uuid())
      .describe('the orders that match, of every status, in no order')
      .meta({ example: [EXAMPLE_IDS.order] }),
  })
  .meta({ id: 'FoundOrders' });

const MAX_IDS = 100;

const exact = (what: string) => text(300).optional().describe(`${what}, exactly as in the order`);

export const OrderQuery = z
  .strictObject({
    ...pageQuery,
    cursor: cursor(OrderPosition).optional(),
    id: repeatable(uuid())
      .default([])
      .refine((ids) => ids.length <= MAX_IDS, `must not be repeated more than ${MAX_IDS} times`)
      .describe(`only these orders, also \`closed\` ones; can be repeated, up to ${MAX_IDS} times`),
    workflow_status: repeatable(status())
      .default([])
      .describe('can be repeated; `closed` orders are left out unless `closed` or `include_closed` is sent'),
    include_closed: flag().default(false),
    printer_id: uuid().optional(),
    source: exact('the shop or other system that the order is from').meta({ example: 'shopify' }),
    external_id: exact('the ID that the order has there').meta({ example: '5001' }),
    material_name: exact('the material'),
    customer_name: exact('the customer'),
    due_before: day().optional().describe('only orders due before this day').meta({ example: '2026-12-31' }),
    due_after: day().optional().describe('only orders due after this day').meta({ example: '2026-11-01' }),
    created_since: timestamp()
      .optional()
      .describe('only orders created at or after this time')
      .meta({ example: '2026-11-01T00:00:00Z' }),
    created_before: timestamp()
      .optional()
      .describe('only orders created before this time')
      .meta({ example: '2026-12-01T00:00:00Z' }),
    updated_since: timestamp()
      .optional()
      .describe('only orders changed at or after this time, for catching up after missed events')
      .meta({ example: '2026-11-22T00:00:00Z' }),
    q: SearchText.optional(),
    sort: z.enum(ORDER_SORTS).default('-created_at').describe('`-`: descending'),
  })
  .refine(({ sort, cursor }) => !cursor || (typeof cursor.position[0] === 'string') === sort.endsWith('due_date'), {
    path: ['cursor'],
    error: 'belongs to a list with another `sort`',
  });

const toTime = (sent: string | undefined): number | undefined => (sent === undefined ? undefined : Date.parse(sent));

export const toFilter = (query: z.output<typeof OrderQuery>): OrderFilter => ({
  ...query,
  include_closed: query.include_closed || query.id.length > 0,
  created_since: toTime(query.created_since),
  created_before: toTime(query.created_before),
  updated_since: toTime(query.updated_since),
});

export const HistoryQuery = z.strictObject({ ...pageQuery, cursor: numberCursor() });

const HistoryEntry = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.entry }),
    kind: z.enum(HISTORY_KINDS).meta({ example: 'status_changed' }),
    at: z.iso.datetime(),
    actor: z.string().describe('the name of the token that made the change'),
    from_status: status().nullable().meta({ example: 'assigned' }),
    to_status: status().nullable().meta({ example: 'printing' }),
    received: z
      .string()
      .nullable()
      .describe('`status_reset`: the value that was received instead of a listed status')
      .meta({ example: null }),
    filament_id: uuid().nullable().meta({ example: null }),
    grams: z
      .number()
      .nullable()
      .describe('`consumption`: the grams used; negative if a deduction was undone')
      .meta({ example: null }),
    cost: z
      .number()
      .nullable()
      .describe("`consumption`: in the account's currency; null if unknown")
      .meta({ example: null }),
    cost_currency: z
      .string()
      .nullable()
      .describe('the currency of `cost`; null without a cost')
      .meta({ example: null }),
    cost_rub: z
      .number()
      .nullable()
      .describe("the same as `cost` if the account's currency is RUB, otherwise null")
      .meta({ example: null }),
    note: z.string().nullable().meta({ example: null }),
  })
  .meta({ id: 'OrderHistoryEntry' });

/** One entry of an order's history. Fields that don't apply to its kind are null. */
export type HistoryEntry = z.output<typeof HistoryEntry>;

export const HistoryList = listOf(HistoryEntry);

/** An order in a path: its id, or the text of its label, `ORDER-<id>`. */
export const orderParams = z.object({
  id: z
    .string()
    .regex(/^(?:[Oo][Rr][Dd][Ee][Rr]-)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/)
    .transform((value) => value.slice(-36).toLowerCase())
    .describe('the ID, or the text of the label: `ORDER-<id>`'),
});
