import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { numberCursor } from '../shared/cursor.ts';
import { listOf, pageQuery } from '../shared/pagination.ts';
import {
  color,
  currencyCode,
  decimal,
  flag,
  nonBlank,
  oneNumberOf,
  price,
  searchText,
  text,
  timestamp,
  uuid,
  wholeNumber,
} from '../shared/schemas.ts';
import { DEDUCTION_SOURCES, FILAMENT_SORTS, LEDGER_KINDS } from './filament.ts';

export const batchParams = z.object({ id: uuid(), batch_id: uuid().meta({ example: EXAMPLE_IDS.batch }) });

const MAX_SPOOLS = 10_000;

const batchFields = {
  spool_price: price()
    .nullable()
    .describe(
      "price of one spool in the account's currency, with no more decimal places than the currency has; null if unknown",
    ),
  spool_price_currency: currencyCode().describe("must be the account's currency"),
  spool_price_rub: price().nullable().describe('the same as `spool_price`; only in accounts whose currency is RUB'),
  received_at: timestamp().describe(
    'when the spools were received; the oldest are used first; default: the current time',
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
  low_stock_threshold_grams: decimal(0, 100_000_000)
    .nullable()
    .describe('rounded to 3 decimal places; with 0 or null, the filament is never low'),
};
const spoolWeight = () => decimal(1, 100_000);

export const NewFilament = z
  .object({
    ...filamentFields,
    spool_weight_grams: spoolWeight().describe(
      'grams of filament on one spool, rounded to 3 decimal places; default: 1000',
    ),
    spool_count: wholeNumber(0, MAX_SPOOLS).describe(
      'number of spools in the first batch; if absent or 0, the filament is created without a batch',
    ),
    ...batchFields,
  })
  .partial()
  .extend({ name: filamentFields.name })
  .refine(
    ({ spool_count, spool_price, spool_price_rub, received_at }) =>
      spool_count || (spool_price ?? spool_price_rub ?? received_at) === undefined,
    {
      path: ['spool_count'],
      error:
        'must be at least 1 if spool_price, spool_price_rub or received_at is sent, because they describe the first batch',
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
      'changes how much the received spools hold, so it can only be changed while no grams are deducted or counted, or after all of that was undone',
    ),
  })
  .partial()
  .meta({ id: 'FilamentPatch', examples: [{ name: 'PETG black', low_stock_threshold_grams: 500 }] });
export type FilamentPatch = z.output<typeof FilamentPatch>;

export const ledgerParams = z.object({ id: uuid(), entry_id: uuid().meta({ example: EXAMPLE_IDS.entry }) });

const note = () => text(500).nullable();

export const UndoRequest = z
  .object({ note: note() })
  .partial()
  .meta({ id: 'UndoRequest', examples: [{ note: 'Deducted from the wrong filament' }] });

export const Stocktake = z
  .object({
    remaining_grams: decimal(0, 1_000_000_000).describe(
      'grams of filament found, without the weight of the spools; rounded to 3 decimal places; at most 10 % more than was received',
    ),
    batch_id: uuid()
      .nullable()
      .optional()
      .describe('the batch that was weighed; without it, all batches were weighed together'),
    note: note().optional().describe('the reason for the difference'),
  })
  .meta({ id: 'Stocktake', examples: [{ remaining_grams: 1790.5, note: 'Weighed' }] });
export type Stocktake = z.output<typeof Stocktake>;

export const UsageQuery = z.strictObject({
  days: oneNumberOf([30, 90, 365]).default(30).describe('number of days, up to and including today (UTC)'),
  filament_id: uuid().optional().describe('only usage of this filament'),
});

export const Usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    items: z.array(
      z.object({
        filament_id: uuid().nullable().describe('null: all other filaments together'),
        name: z.string().nullable(),
        colors: z.array(z.string()).meta({ example: ['#000000'] }),
        grams: z.number(),
        days: z.array(z.object({ day: z.iso.date(), grams: z.number() })).describe('days without usage are left out'),
      }),
    ),
  })
  .meta({ id: 'FilamentUsage' });
export type Usage = z.output<typeof Usage>;

/** As sent, with its time in milliseconds. */
type Input<T> = Omit<T, 'received_at'> & { received_at?: number | undefined };

export type BatchInput = Input<z.output<typeof NewBatch>>;
/** With a `spool_count` above 0, the first batch is received at once. */
export type FilamentInput = Input<z.output<typeof NewFilament>>;

export const toInput = <T extends { received_at?: string | undefined }>({ received_at, ...body }: T): Input<T> => ({
  ...body,
  received_at: received_at === undefined ? undefined : Date.parse(received_at),
});

const grams = () => decimal(0.001, 1_000_000);

const consumeOptions = {
  order_id: uuid()
    .nullable()
    .optional()
    .describe('the order the material was used for; its history gets an entry with the grams and their cost'),
  printer_id: uuid().nullable().optional(),
  note: text(500).nullable().optional(),
  idempotency_key: text(128, 1)
    .optional()
    .describe("for clients that can't set the `Idempotency-Key` header, which takes precedence"),
  allow_overdraw: z.boolean().optional().describe("deduct even if there isn't enough in stock; default: false"),
};
const notBoth = () => z.never('grams and use_weight are the same: send one of the two').optional();

/** A union, so that the OpenAPI document requires one of the two names. */
export const ConsumeRequest = z
  .union([
    z.object({
      grams: grams().describe('grams to deduct, rounded to 3 decimal places'),
      use_weight: notBoth(),
      ...consumeOptions,
    }),
    z.object({
      use_weight: grams().describe('another name for `grams`; send only one of the two'),
      grams: notBoth(),
      ...consumeOptions,
    }),
  ])
  .meta({
    id: 'ConsumeRequest',
    examples: [{ grams: 182.5, order_id: EXAMPLE_IDS.order, note: 'Wall bracket, 4 pieces' }],
  });

export const toConsumption = ({ grams, use_weight, ...use }: z.output<typeof ConsumeRequest>) => ({
  ...use,
  // the schema guarantees one of the two
  grams: (grams ?? use_weight) as number,
});
export type Consumption = ReturnType<typeof toConsumption>;

export const FilamentRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.filament }),
    name: z.string().meta({ example: 'PETG black' }),
    brand: z.string().meta({ example: 'Prusament' }),
    type_name: z.string(),
    colors: z.array(z.string()).meta({ example: ['#000000'] }),
    is_gradient: z.boolean(),
    spool_weight_grams: z.number().meta({ example: 1000 }),
    used_grams: z
      .number()
      .describe(
        "grams used from batches that aren't archived; negative if a stocktake found more in full spools than their labels say",
      )
      .meta({ example: 182.5 }),
    spool_count: z.int().describe("number of spools received in batches that aren't archived").meta({ example: 2 }),
    low_stock_threshold_grams: z.number().describe('with 0, the filament is never low').meta({ example: 500 }),
    spool_price: z
      .number()
      .nullable()
      .describe('price of one spool of the batch in use; null if unknown')
      .meta({ example: 2200 }),
    spool_price_currency: z.string().describe("the account's currency, ISO 4217").meta({ example: 'RUB' }),
    spool_price_rub: z
      .number()
      .nullable()
      .describe("the same as `spool_price` if the account's currency is RUB, otherwise null")
      .meta({ example: 2200 }),
    remaining_grams: z
      .number()
      .describe('`spool_weight_grams` × `spool_count` − `used_grams`; negative if overdrawn')
      .meta({ example: 1817.5 }),
    is_low_stock: z.boolean().describe('`remaining_grams` is at or below the threshold'),
    needs_review: z.boolean().describe('at least one batch is overdrawn'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Filament' });
export type Filament = z.output<typeof FilamentRecord>;

export const FilamentList = listOf(FilamentRecord);

export const FilamentQuery = z.strictObject({
  ...pageQuery,
  low_stock: flag().optional().describe('true: only filaments at or below their threshold; false: only the others'),
  q: searchText('the name, the brand or the type').optional(),
  sort: z.enum(FILAMENT_SORTS).default('-created_at').describe('`-`: descending'),
});

export const FilamentPageQuery = z.strictObject(pageQuery);
export const LedgerQuery = z.strictObject({ ...pageQuery, cursor: numberCursor() });

export const BatchRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.batch }),
    received_at: z.iso.datetime(),
    spool_count: z.int().meta({ example: 2 }),
    used_grams: z.number().meta({ example: 182.5 }),
    remaining_grams: z.number().meta({ example: 1817.5 }),
    spool_price: z.number().nullable().meta({ example: 2200 }),
    spool_price_currency: z.string().meta({ example: 'RUB' }),
    spool_price_rub: z.number().nullable().meta({ example: 2200 }),
    needs_review: z.boolean().describe('more was used than the batch held'),
    archived_at: z.iso.datetime().nullable().meta({ example: null }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'FilamentBatch' });
/** Spools received together, at one price. */
export type Batch = z.output<typeof BatchRecord>;

export const BatchList = listOf(BatchRecord);

const LedgerRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.entry }),
    kind: z
      .enum(LEDGER_KINDS)
      .describe('`adjustment`: a stocktake found more or less than expected; `undo`: reverses another entry')
      .meta({ example: 'consumption' }),
    batch_id: uuid().meta({ example: EXAMPLE_IDS.batch }),
    deduction_id: uuid()
      .nullable()
      .describe('shared by entries that were made together and are undone together')
      .meta({ example: EXAMPLE_IDS.entry }),
    undoes_id: uuid().nullable().describe('`undo`: the entry that it reverses').meta({ example: null }),
    undone_by_id: uuid().nullable().describe('the `undo` entry that reversed this one').meta({ example: null }),
    grams: z
      .number()
      .describe('positive: added to the batch; negative: taken from it. All entries add up to what remains')
      .meta({ example: -182.5 }),
    cost: z
      .number()
      .nullable()
      .describe('what the grams are worth; negative if a deduction was undone; null if unknown')
      .meta({ example: -401.5 }),
    cost_currency: z.string().describe("the account's currency").meta({ example: 'RUB' }),
    cost_rub: z
      .number()
      .nullable()
      .describe("the same as `cost` if the account's currency is RUB, otherwise null")
      .meta({ example: -401.5 }),
    order_id: uuid().nullable(),
    printer_id: uuid().nullable(),
    note: z.string().nullable().meta({ example: 'Wall bracket, 4 pieces' }),
    overdraw: z.boolean().describe('more was taken than the batch held').meta({ example: false }),
    source: z
      .enum(DEDUCTION_SOURCES)
      .nullable()
      .describe("`consumption`: `report` if a printer's rule deducted it, otherwise `request`; null if unknown"),
    also_deducted_grams: z
      .number()
      .nullable()
      .describe(
        'grams deducted for the same order within 24 hours by the other `source` and not undone, so perhaps for the same print; null if none',
      ),
    counted_grams: z.number().nullable().describe('`adjustment`: the grams that the stocktake found; null if unknown'),
    later_stocktake: z
      .object({
        entry_id: uuid().meta({ example: EXAMPLE_IDS.entry }),
        at: z.iso.datetime(),
        counted_grams: z.number().nullable().describe('null if unknown'),
        batch_id: uuid()
          .nullable()
          .describe('the batch that was counted; null if all were counted together')
          .meta({ example: EXAMPLE_IDS.batch }),
      })
      .nullable()
      .describe(
        'the latest stocktake of this batch after this entry; undoing the entry would contradict what was counted',
      ),
    actor: z.string().describe('the name of the token that made the change'),
    at: z.iso.datetime(),
  })
  .meta({ id: 'FilamentLedgerEntry' });
export type LedgerEntry = z.output<typeof LedgerRecord>;

export const LedgerList = listOf(LedgerRecord);
