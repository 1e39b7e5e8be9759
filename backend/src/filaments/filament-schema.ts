import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { numberCursor } from '../shared/cursor.ts';
import {
  color,
  currencyCode,
  decimal,
  flag,
  listOf,
  nonBlank,
  oneNumberOf,
  pageQuery,
  price,
  searchText,
  text,
  timestamp,
  uuid,
  wholeNumber,
} from '../shared/schemas.ts';
import type { Consumption } from './consumption.ts';
import {
  type Batch,
  DEDUCTION_SOURCES,
  FILAMENT_SORTS,
  type Filament,
  LEDGER_KINDS,
  type LedgerEntry,
} from './filament.ts';
import type { BatchInput, FilamentInput } from './filament-service.ts';

export const batchParams = z.object({ id: uuid(), batch_id: uuid() });

const MAX_SPOOLS = 10_000;

const batchFields = {
  spool_price: price()
    .nullable()
    .describe("price of one spool in the account's currency, with no more decimals than it has; null: not known"),
  spool_price_currency: currencyCode().describe("the account's currency; any other is refused"),
  spool_price_rub: price()
    .nullable()
    .describe('the same as `spool_price`, for accounts in roubles; refused in any other'),
  received_at: timestamp().describe(
    'when the spools were received, which decides the order they are used in; default now',
  ),
};

export const NewBatch = z
  .object(batchFields)
  .partial()
  .extend({ spool_count: wholeNumber(1, MAX_SPOOLS) })
  .meta({ id: 'NewFilamentBatch', examples: [{ spool_count: 2, spool_price_rub: 2200 }] });

const filamentFields = {
  name: nonBlank(300),
  brand: text(200),
  type_name: text(200)
    .describe('material type')
    .meta({ examples: ['PLA'] }),
  colors: z.array(color()).max(16),
  is_gradient: z.boolean(),
  low_stock_threshold_grams: decimal(0, 100_000_000).nullable().describe('rounded to 3 decimals; 0 or null: never low'),
};
const spoolWeight = () => decimal(1, 100_000);

export const NewFilament = z
  .object({
    ...filamentFields,
    spool_weight_grams: spoolWeight().describe('weight of one spool, rounded to 3 decimals; default 1000'),
    spool_count: wholeNumber(0, MAX_SPOOLS).describe('spools of the first batch; 0 or absent: no batch yet'),
    ...batchFields,
  })
  .partial()
  .extend({ name: filamentFields.name })
  .refine(
    ({ spool_count, spool_price, spool_price_rub, received_at }) =>
      spool_count || (spool_price ?? spool_price_rub ?? received_at) === undefined,
    {
      path: ['spool_count'],
      error: 'must be at least 1 where spool_price, spool_price_rub or received_at tell of a first batch',
    },
  )
  .meta({
    id: 'NewFilament',
    examples: [
      {
        name: 'PETG black',
        brand: 'Prusament',
        type_name: 'PETG',
        colors: ['#000000'],
        spool_weight_grams: 1000,
        spool_count: 2,
        low_stock_threshold_grams: 500,
      },
    ],
  });

/** Null is accepted only where it is allowed; an absent field keeps its value. */
export const FilamentPatch = z
  .object({
    ...filamentFields,
    spool_weight_grams: spoolWeight().describe(
      'what received spools hold changes with it, so only until grams are deducted or counted, or once all of that is undone',
    ),
  })
  .partial()
  .meta({ id: 'FilamentPatch', examples: [{ name: 'PETG black', low_stock_threshold_grams: 500 }] });

export const ledgerParams = z.object({ id: uuid(), entry_id: uuid() });

const note = () => text(500).nullable();

export const UndoRequest = z
  .object({ note: note() })
  .partial()
  .meta({ id: 'UndoRequest', examples: [{ note: 'Deducted from the wrong filament' }] });

export const StockTake = z
  .object({
    remaining_grams: decimal(0, 1_000_000_000).describe(
      'what is there, without empty spools; rounded to 3 decimals; up to 10 % more than was received',
    ),
    batch_id: uuid().nullable().optional().describe('the one batch that was weighed; absent: all of them together'),
    note: note().optional().describe('why it differs'),
  })
  .meta({ id: 'StockTake', examples: [{ remaining_grams: 1790.5, note: 'Weighed' }] });

export const UsageQuery = z.strictObject({
  days: oneNumberOf([30, 90, 365]).default(30).describe('so many days, today in UTC is the last'),
  filament_id: uuid().optional().describe('of this one alone'),
});

export const Usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    items: z.array(
      z.object({
        filament_id: uuid().nullable().describe('null: all others together'),
        name: z.string().nullable(),
        colors: z.array(z.string()),
        grams: z.number(),
        days: z.array(z.object({ day: z.iso.date(), grams: z.number() })).describe('days without use are left out'),
      }),
    ),
  })
  .meta({ id: 'FilamentUsage' });

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

const consumeOptions = {
  order_id: uuid().nullable().optional().describe('the order it was used for: noted in its history with the cost'),
  printer_id: uuid().nullable().optional(),
  note: text(500).nullable().optional(),
  idempotency_key: text(128, 1)
    .optional()
    .describe('for callers that cannot set the Idempotency-Key header, which wins'),
  allow_overdraw: z.boolean().optional().describe("deduct even if there isn't enough; default false"),
};
const notBoth = () => z.never('grams and use_weight are the same: send one of the two').optional();

/** A union, so that the OpenAPI document requires one of the two names. */
export const ConsumeRequest = z
  .union([
    z.object({
      grams: grams().describe('grams to deduct, rounded to 3 decimals'),
      use_weight: notBoth(),
      ...consumeOptions,
    }),
    z.object({
      use_weight: grams().describe('the same as `grams`, for clients that know it by this name; not both'),
      grams: notBoth(),
      ...consumeOptions,
    }),
  ])
  .meta({
    id: 'ConsumeRequest',
    examples: [{ grams: 182.5, order_id: EXAMPLE_IDS.order, note: 'Wall bracket, 4 pieces' }],
  });

export const toConsumption = ({ grams, use_weight, ...use }: z.output<typeof ConsumeRequest>): Consumption => ({
  ...use,
  // the schema guarantees one of the two
  grams: (grams ?? use_weight) as number,
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
    used_grams: z
      .number()
      .describe(
        'used of the unarchived batches; negative if a stocktake found more in full spools than their labels say',
      ),
    spool_count: z.int().describe('spools received in the unarchived batches'),
    low_stock_threshold_grams: z.number().describe('0: never low'),
    spool_price: z.number().nullable().describe('price of a spool of the batch now in use; null: not known'),
    spool_price_currency: z.string().describe("the account's currency, ISO 4217"),
    spool_price_rub: z.number().nullable().describe('`spool_price` where the account is in roubles, else null'),
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
  q: searchText('the name, the brand or the type').optional(),
  sort: z.enum(FILAMENT_SORTS).default('-created_at').describe('`-`: descending'),
});

export const FilamentPageQuery = z.strictObject(pageQuery);
export const LedgerQuery = z.strictObject({ ...pageQuery, cursor: numberCursor() });

export const BatchRecord = z
  .object({
    id: uuid(),
    received_at: z.iso.datetime(),
    spool_count: z.int(),
    used_grams: z.number(),
    remaining_grams: z.number(),
    spool_price: z.number().nullable(),
    spool_price_currency: z.string(),
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
      kind: z
        .enum(LEDGER_KINDS)
        .describe('adjustment: a stocktake found more or less than expected; undo: the opposite of another entry'),
      batch_id: uuid(),
      booking_id: uuid().nullable().describe('entries made together, and undone together'),
      undoes_id: uuid().nullable().describe('undo: the line it takes back'),
      undone_by_id: uuid().nullable().describe('the line that took this one back'),
      grams: z
        .number()
        .describe('what the batch gained is positive, what it lost negative; all lines add up to what remains'),
      cost: z
        .number()
        .nullable()
        .describe('what was received or lost is worth so much, negative where it was given back; null: not known'),
      cost_currency: z.string().describe("the account's currency"),
      cost_rub: z.number().nullable().describe('`cost` where the account is in roubles, else null'),
      order_id: uuid().nullable(),
      printer_id: uuid().nullable(),
      note: z.string().nullable(),
      overdraw: z.boolean().describe('more was taken than the batch had'),
      source: z
        .enum(DEDUCTION_SOURCES)
        .nullable()
        .describe('of a consumption: `report` by the rule of a printer, `request` any other; null: not known'),
      also_deducted_grams: z
        .number()
        .nullable()
        .describe(
          'deducted for the same order within 24 hours from the other `source` and not undone, perhaps for the same print; null: nothing',
        ),
      counted_grams: z.number().nullable().describe('adjustment: what the stocktake counted; null: not known'),
      later_stocktake: z
        .object({
          entry_id: uuid(),
          at: z.iso.datetime(),
          counted_grams: z.number().nullable().describe('null: not known'),
          batch_id: uuid().nullable().describe('the one batch that was counted; null: all of them together'),
        })
        .nullable()
        .describe('the newest stocktake after this entry that counted its batch: an undo changes what it counted'),
      actor: z.string().describe('the name of the token that did it'),
      at: z.iso.datetime(),
    })
    .meta({ id: 'FilamentLedgerEntry' }) satisfies z.ZodType<LedgerEntry>,
);
