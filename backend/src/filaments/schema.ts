import { z } from 'zod';
import { color, decimal, flag, listOf, nonBlank, pageQuery, roubles, text, timestamp, uuid } from '../wire.ts';
import { type Batch, type Filament, LEDGER_KINDS, type LedgerEntry } from './filament.ts';
import type { BatchInput, Consumption, FilamentInput } from './service.ts';
import { FILAMENT_SORTS, type FilamentSort } from './store.ts';

export const batchParams = z.object({ id: uuid(), batch_id: uuid() });

const MOST_SPOOLS = 10_000;

const batchFields = {
  spool_price_rub: roubles().nullable().describe('price of one spool in roubles; null: not known'),
  received_at: timestamp().describe(
    'when the spools were received, which decides the order they are used in; default now',
  ),
};

export const NewBatch = z
  .object({ spool_count: z.int().min(1).max(MOST_SPOOLS), ...batchFields })
  .partial()
  .required({ spool_count: true })
  .meta({ id: 'NewFilamentBatch' });

export const NewFilament = z
  .object({
    name: nonBlank(300),
    brand: text(200),
    type_name: text(200)
      .describe('material type')
      .meta({ examples: ['PLA'] }),
    colors: z.array(color()).max(16),
    is_gradient: z.boolean(),
    spool_weight_grams: decimal(1, 100_000).describe('weight of one spool, at most 3 decimals; default 1000'),
    low_stock_threshold_grams: decimal(0, 100_000_000).nullable().describe('0 or null: never low'),
    spool_count: z.int().min(0).max(MOST_SPOOLS).describe('spools of the first batch; 0 or absent: no batch yet'),
    ...batchFields,
  })
  .partial()
  .required({ name: true })
  .refine(
    ({ spool_count, spool_price_rub, received_at }) => spool_count || (spool_price_rub ?? received_at) === undefined,
    {
      path: ['spool_count'],
      error: 'must be at least 1 where spool_price_rub or received_at tell of a first batch',
    },
  )
  .meta({ id: 'NewFilament' });

const toReceivedAt = (received_at: string | undefined): number | undefined =>
  received_at === undefined ? undefined : Date.parse(received_at);

export const toBatchInput = (body: z.output<typeof NewBatch>): BatchInput => ({
  ...body,
  received_at: toReceivedAt(body.received_at),
});

export const toFilamentInput = (body: z.output<typeof NewFilament>): FilamentInput => ({
  ...body,
  received_at: toReceivedAt(body.received_at),
});

const grams = () => decimal(0.001, 1_000_000);

export const ConsumeRequest = z
  .object({
    grams: grams().describe('grams to deduct, at most 3 decimals'),
    use_weight: grams().describe('the same as `grams`, for clients that know it by this name; not both'),
    order_id: uuid().nullable().describe('the order it was used for: noted in its history with the cost'),
    printer_id: uuid().nullable(),
    note: text(500).nullable(),
    idempotency_key: text(128, 1).describe('for callers that cannot set the Idempotency-Key header, which wins'),
    allow_overdraw: z.boolean().describe('book it also when there is not enough; default false'),
  })
  .partial()
  .refine((body) => body.grams === undefined || body.use_weight === undefined, {
    path: ['use_weight'],
    error: 'is another name of grams: send one of the two',
  })
  .refine((body) => body.grams !== undefined || body.use_weight !== undefined, {
    path: ['grams'],
    error: 'is missing: send the grams to deduct',
  })
  .meta({ id: 'ConsumeRequest' });

export const toConsumption = ({ grams, use_weight, ...use }: z.output<typeof ConsumeRequest>): Consumption => ({
  ...use,
  // one of the two is there: the schema saw to it
  grams: grams ?? (use_weight as number),
});

export const FilamentRecord = z
  .object({
    id: uuid(),
    name: z.string(),
    brand: z.string(),
    type_name: z.string(),
    colors: z.array(z.string()),
    is_gradient: z.boolean(),
    spool_weight_grams: z.number(),
    used_grams: z.number().describe('used of the unarchived batches'),
    spool_count: z.int().describe('spools received in the unarchived batches'),
    low_stock_threshold_grams: z.number().describe('0: never low'),
    spool_price_rub: z.number().nullable().describe('price of a spool of the batch now in use; null: not known'),
    remaining_grams: z.number().describe('spool_weight_grams × spool_count − used_grams; negative when overdrawn'),
    is_low_stock: z.boolean().describe('at or below the threshold'),
    needs_review: z.boolean().describe('a batch is overdrawn'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Filament' }) satisfies z.ZodType<Filament>;

export const FilamentList = listOf(FilamentRecord);

export const FilamentQuery = z.strictObject({
  ...pageQuery,
  low_stock: flag().optional().describe('only those at or below their threshold, or only the others'),
  q: text(200, 1).optional().describe('text in the name, the brand or the type'),
  sort: z
    .enum(Object.keys(FILAMENT_SORTS) as [FilamentSort, ...FilamentSort[]])
    .default('-created_at')
    .describe('`-`: descending'),
});

export const FilamentPageQuery = z.strictObject(pageQuery);

export const BatchRecord = z
  .object({
    id: uuid(),
    received_at: z.iso.datetime(),
    spool_count: z.int(),
    used_grams: z.number(),
    remaining_grams: z.number(),
    spool_price_rub: z.number().nullable(),
    needs_review: z.boolean().describe('more was used than it had'),
    archived_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'FilamentBatch' }) satisfies z.ZodType<Batch>;

export const BatchList = listOf(BatchRecord);

export const LedgerList = listOf(
  z
    .object({
      id: uuid(),
      kind: z.enum(LEDGER_KINDS),
      batch_id: uuid(),
      grams: z.number().describe('receipts are positive, consumption negative'),
      cost_rub: z.number().nullable().describe('null: the price is not known'),
      order_id: uuid().nullable(),
      printer_id: uuid().nullable(),
      note: z.string().nullable(),
      overdraw: z.boolean().describe('more was taken than the batch had'),
      actor: z.string().describe('the name of the token that did it'),
      at: z.iso.datetime(),
    })
    .meta({ id: 'FilamentLedgerEntry' }) satisfies z.ZodType<LedgerEntry>,
);
