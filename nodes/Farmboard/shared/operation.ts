import type { IDataObject, IExecuteFunctions, IHttpRequestMethods, INodeProperties } from 'n8n-workflow';
import { toFieldError } from './errors';
import { writeOnce } from './idempotency';
import { getRecords } from './paging';
import { readRecordId } from './record-id';
import { toDay, toTimestamp } from './time';
import { type FarmboardAnswer, farmboardRequest } from './transport';

/** One operation of the node: the fields it shows and what it does for one item. */
export interface Operation {
  fields: INodeProperties[];
  run(item: Item): Promise<IDataObject | IDataObject[]>;
}

/** A resource: its list of operations as the node shows it, and each operation by the name that list gives it. */
export interface Resource {
  operation: INodeProperties;
  operations: Record<string, Operation>;
}

interface WriteOptions {
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export type Item = ReturnType<typeof createItem>;

/** What an operation needs for one input item: its parameters, checked, and ways to ask Farmboard. */
export function createItem(context: IExecuteFunctions, itemIndex: number, fields: INodeProperties[]) {
  const fieldNames = toFieldNames(fields);
  const parameter = <T>(name: string, fallback?: T): T => context.getNodeParameter(name, itemIndex, fallback) as T;

  const fault = (field: string, what: string, way: string) =>
    toFieldError(context.getNode(), field, what, way, itemIndex);

  /** The id in a resource locator (or in a bare value, as an expression may give). */
  const toId = (kind: string, field: string, value: unknown): string => {
    return readRecordId(context.getNode(), field, kind, locatorValue(value), itemIndex);
  };

  async function write(
    method: IHttpRequestMethods,
    path: string,
    body: IDataObject | undefined,
    { idempotencyKey, headers }: WriteOptions = {},
  ): Promise<FarmboardAnswer> {
    return await writeOnce(context, itemIndex, { method, path, body, headers, fieldNames }, idempotencyKey);
  }

  return {
    parameter,
    fault,
    toId,
    write,
    id: (name: string, kind: string, field: string) => toId(kind, field, parameter(name)),
    /** @throws NodeOperationError for a field that an expression leaves undefined: it was added, so it is meant */
    options(name: string): IDataObject {
      const given = parameter<IDataObject>(name, {});
      for (const [key, value] of Object.entries(given)) {
        if (isUndefined(value)) throw fault(displayNameOf(fields, name, key), 'it is empty', EMPTY);
      }
      return given;
    },

    /** @throws NodeOperationError when an expression gives no text */
    text(name: string, field: string): string {
      const value = parameter<unknown>(name);
      if (typeof value === 'string') return value.trim();
      throw fault(
        field,
        value === undefined || value === null ? 'it is empty' : `${JSON.stringify(value)} is no text`,
        EMPTY,
      );
    },

    async read(path: string): Promise<FarmboardAnswer> {
      return await farmboardRequest(context, { method: 'GET', path, itemIndex, fieldNames });
    },

    /** As many records as Return All and Limit ask for. */
    async list(path: string, query?: IDataObject): Promise<IDataObject[]> {
      const limit = parameter('returnAll', false) ? undefined : toLimit(parameter('limit', 50));
      return await getRecords(context, { path, query, itemIndex, fieldNames }, limit);
    },

    /** A number, also where an expression gives it as text. */
    number(field: string, value: unknown): number {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number === 'number' && Number.isFinite(number)) return number;
      throw fault(
        field,
        `${JSON.stringify(value) ?? 'nothing'} is not a number`,
        'Give a number, with a point for decimals.',
      );
    },

    day(field: string, value: unknown): string {
      const day = toDay(value);
      if (day !== undefined) return day;
      throw fault(field, `"${String(value)}" is not a date`, 'Give a date as YYYY-MM-DD; a time after it is ignored.');
    },

    timestamp(field: string, value: unknown): string {
      const timestamp = toTimestamp(value, context.getTimezone());
      if (timestamp !== undefined) return timestamp;
      throw fault(field, `"${String(value)}" is not a time`, 'Give a time in ISO 8601, as in 2026-11-21T09:30:00Z.');
    },
  };

  function toLimit(value: unknown): number {
    const limit = Number(value);
    if (Number.isInteger(limit) && limit >= 1) return limit;
    throw fault('Limit', `"${String(value)}" is not a number from 1`, 'Give a whole number, or turn on Return All.');
  }
}

/** What is chosen in a resource locator, or the bare value that an expression may give in its place. */
export const locatorValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { value?: unknown }).value : value;

const EMPTY = 'Where the value comes from an expression, look at what it gives for this item.';

function isUndefined(value: unknown): boolean {
  const isLocator = typeof value === 'object' && value !== null && '__rl' in value;
  return (isLocator ? (value as { value?: unknown }).value : value) === undefined;
}

const optionsOf = (field: INodeProperties): INodeProperties[] =>
  field.type === 'collection' ? (field.options as INodeProperties[]) : [];

const displayNameOf = (fields: INodeProperties[], collection: string, name: string): string =>
  fields
    .filter((field) => field.name === collection)
    .flatMap(optionsOf)
    .find((option) => option.name === name)?.displayName ?? name;

export const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What the node calls the values that it sends, by their names in requests. */
function toFieldNames(fields: INodeProperties[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const { name, displayName } of fields.flatMap((field) => [field, ...optionsOf(field)])) {
    names[toSnake(name)] = displayName;
  }
  return { ...names, 'Idempotency-Key': 'Idempotency Key' };
}

/** Farmboard keeps grams and hours to three places, and slicers give more. */
export const toThreePlaces = (value: number): number => Math.round(value * 1000) / 1000;

/** Only the fields with these names, in this order. */
export const pick = (record: IDataObject, names: readonly string[]): IDataObject =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

/** All of it, or the few fields that most workflows use. */
export const simplify = (item: Item, record: IDataObject, names: readonly string[]): IDataObject =>
  item.parameter('simple', true) ? pick(record, names) : record;

/** What a node gives for a record that is no more. */
export const DELETED: IDataObject = { deleted: true };
