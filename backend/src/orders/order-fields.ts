import { z } from 'zod';
import { color, currencyCode, day, decimal, nonBlank, text, timestamp, uuid, wholeNumber } from '../shared/schemas.ts';
import { INITIAL_STATUS, WORKFLOW_STATUSES } from './status.ts';

/**
 * The fields of an order, in the order of the API. `record` is what responses contain, `request` what clients may write
 * and `initial` what a new order gets if it isn't sent.
 */
const FIELDS = {
  id: { record: uuid() },
  model_name: { record: z.string(), request: nonBlank(300) },
  quantity_pieces: { record: z.int(), request: wholeNumber(0, 1_000_000), initial: 1 },
  material_name: { record: z.string(), request: text(200), initial: '' },
  color_hex: { record: z.string(), request: color(), initial: '#808080' },
  material_grams: {
    record: z.number(),
    request: decimal(0, 1_000_000).describe('grams of material, rounded to 3 decimal places'),
    initial: 0,
  },
  print_hours: {
    record: z.number(),
    request: decimal(0, 100_000).describe('hours, rounded to 3 decimal places'),
    initial: 0,
  },
  due_date: { record: z.iso.date(), request: day() },
  order_notes: { record: z.string(), request: text(5000), initial: '' },
  // requests to create and to change accept different values
  workflow_status: { record: z.enum(WORKFLOW_STATUSES), initial: INITIAL_STATUS },
  printer_id: {
    record: uuid().nullable(),
    request: uuid().nullable().describe('a printer of this account; null for none'),
    initial: null,
  },
  printer_name: { record: z.string().nullable() },
  customer_name: { record: z.string().nullable(), request: text(300).nullable(), initial: null },
  customer_contact: {
    record: z.string().nullable().meta({ example: 'vera@customer.example' }),
    request: text(300).nullable(),
    initial: null,
  },
  price: {
    record: z.int().nullable().meta({ example: 4990 }),
    request: wholeNumber(0, 1_000_000_000_000).nullable().describe('in minor units of `currency`'),
    initial: null,
  },
  currency: { record: z.string().nullable(), request: currencyCode().nullable().describe('ISO 4217'), initial: null },
  // requests to change an order can't change where it is from
  source: { record: z.string().nullable(), initial: null },
  external_id: { record: z.string().nullable(), initial: null },
  external_updated_at: { record: z.iso.datetime().nullable(), initial: null },
  status_reset_received: {
    record: z
      .string()
      .nullable()
      .describe(
        "the value received when the status was last set to one that isn't listed; null as soon as a listed status is set",
      )
      .meta({ example: null }),
  },
  created_at: { record: z.iso.datetime() },
  updated_at: { record: z.iso.datetime() },
} as const;

type Fields = typeof FIELDS;

/** One part of every field that has it. */
type Part<Name extends string> = {
  [Field in keyof Fields as Fields[Field] extends Record<Name, unknown> ? Field : never]: Fields[Field] extends Record<
    Name,
    infer Value
  >
    ? Value
    : never;
};

function part<Name extends 'record' | 'request' | 'initial'>(name: Name): Part<Name> {
  const fields: Record<string, Record<string, unknown>> = FIELDS;
  const having = Object.entries(fields).filter(([, parts]) => name in parts);
  return Object.fromEntries(having.map(([field, parts]) => [field, parts[name]])) as Part<Name>;
}

const RECORD_FIELDS = part('record');
export const ORDER_FIELDS = Object.keys(RECORD_FIELDS) as (keyof Order)[];
/** An absent field keeps its value; null clears it where null is allowed. */
export const REQUEST_FIELDS = part('request');
/** What a new order gets for fields that aren't sent. */
export const INITIAL_VALUES = part('initial');

/** Which order of another system this one is. */
export const EXTERNAL_ID = {
  source: nonBlank(100).describe('the shop or other system that the order is from'),
  external_id: nonBlank(200).describe('the ID that the order has there, unique with `source`'),
};

export interface ExternalId {
  source: string;
  external_id: string;
}

/** What a new order can say about where it is from. */
export const EXTERNAL_FIELDS = {
  source: EXTERNAL_ID.source.nullable(),
  external_id: EXTERNAL_ID.external_id.nullable(),
  external_updated_at: timestamp().nullable().describe('when the order was last changed there'),
};

export const OrderRecord = z.object(RECORD_FIELDS).meta({ id: 'Order' });

/** An order as the API returns it. Grams and hours are decimals with at most three places. */
export type Order = z.output<typeof OrderRecord>;

const WritableFields = z.object(REQUEST_FIELDS);

/** The fields a client may write. */
export type OrderFields = z.output<typeof WritableFields>;
