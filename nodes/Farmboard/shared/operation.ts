import type {
  IBinaryKeyData,
  IDataObject,
  IExecuteFunctions,
  IHttpRequestMethods,
  INodeProperties,
} from 'n8n-workflow';
import { toFieldError } from './errors';
import { withIdempotency } from './idempotency';
import { type Fault, readStatuses, toList } from './list';
import { getRecords } from './paging';
import { readRecordId } from './record-id';
import { toDay, toTimestamp } from './time';
import { type FarmboardAnswer, type FarmboardRequest, farmboardRequest } from './transport';
import { toWorkflowKey } from './vocabulary';

/** Of one item that was sent with others. */
export type TogetherResult = IDataObject | Error;

/** An operation of the node: its fields and its implementation for one item. */
export interface Operation {
  fields: INodeProperties[];
  run(item: Item): Promise<IDataObject | IDataObject[] | FileOutput>;
  /**
   * Runs all items with few requests instead; `run` is then not used.
   * @param stopsAtErrors whether nothing is sent if an item has an invalid field
   * @returns for each item its output, or what went wrong
   */
  runTogether?(context: IExecuteFunctions, items: Item[], stopsAtErrors: boolean): Promise<TogetherResult[]>;
}

/** The output of an operation that downloads a file. */
export class FileOutput {
  constructor(
    readonly json: IDataObject,
    readonly binary: IBinaryKeyData,
  ) {}
}

/** A resource: its operation list and the operations by name. */
export interface Resource {
  operation: INodeProperties;
  operations: Record<string, Operation>;
}

interface WriteOptions {
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export type Item = ReturnType<typeof createItem>;

/** The context of one input item: validated parameters and requests to Farmboard. */
export function createItem(context: IExecuteFunctions, itemIndex: number, fields: INodeProperties[]) {
  const fieldNames = toFieldNames(fields);
  let writes = 0;
  const parameter = <T>(name: string, fallback?: T): T => context.getNodeParameter(name, itemIndex, fallback) as T;

  const fault = (field: string, what: string, remedy: string) =>
    toFieldError(context.getNode(), field, what, remedy, itemIndex);

  /** The limit; undefined with Return All. */
  const limit = () => (parameter('returnAll', false) ? undefined : toLimit(fault, parameter('limit', 50)));

  /** The ID in a resource locator, or in a plain value from an expression. */
  const toId = (kind: string, field: string, value: unknown): string => {
    return readRecordId(context.getNode(), field, kind, locatorValue(value), itemIndex);
  };

  async function write(
    method: IHttpRequestMethods,
    path: string,
    body: IDataObject | undefined,
    { idempotencyKey, headers }: WriteOptions = {},
  ): Promise<FarmboardAnswer> {
    if (readDryRun(context, fault, itemIndex)) {
      const query = { dry_run: 'true' };
      return await farmboardRequest(context, { method, path, query, body, headers, itemIndex, fieldNames });
    }
    const slot = { itemIndex, nth: writes++ };
    return await withIdempotency(context, slot, { method, path, body, headers, fieldNames }, idempotencyKey);
  }

  return {
    limit,
    json: context.getInputData()[itemIndex]?.json ?? {},
    /** begins the client keys of the subscriptions of this workflow's triggers */
    workflowKey: toWorkflowKey(context),
    parameter,
    fault,
    toId,
    write,
    id: (name: string, kind: string, field: string) => toId(kind, field, parameter(name)),
    /**
     * The ID in a locator that may be left empty, also by an expression that returns '' or null.
     * @throws NodeOperationError if an expression returns undefined: the field it reads doesn't exist
     */
    optionalId(name: string, kind: string, field: string): string | undefined {
      const given = locatorValue(parameter<unknown>(name, ''));
      return given === '' || given === null ? undefined : toId(kind, field, given);
    },
    /** @throws NodeOperationError if an expression leaves an added field undefined */
    options(name: string): IDataObject {
      const given = parameter<IDataObject>(name, {});
      for (const [key, value] of Object.entries(given)) {
        if (isUndefined(value)) throw fault(displayNameOf(fields, name, key), 'it is empty', EMPTY);
      }
      return given;
    },

    /** @throws NodeOperationError if an expression doesn't return text */
    text(name: string, field: string): string {
      const value = parameter<unknown>(name);
      if (typeof value === 'string' && value.trim() !== '') return value.trim();
      const isEmpty = value === undefined || value === null || typeof value === 'string';
      throw fault(field, isEmpty ? 'it is empty' : `${JSON.stringify(value)} is not text`, EMPTY);
    },

    /** Workflow statuses to filter by, as values or names; an expression may return a single one. */
    statuses: (field: string, filters: IDataObject, name: string) => readStatuses(fault, field, filters, name),

    ...createReads(context, itemIndex, fieldNames, limit),

    /** A number; expressions may return it as text. */
    number: (field: string, value: unknown) => toNumber(fault, field, value),

    wholeNumber(field: string, value: unknown, remedy = 'Enter a whole number.'): number {
      const number = toNumber(fault, field, value);
      if (isWhole(number)) return Math.round(number);
      throw fault(field, `${number} is not a whole number`, remedy);
    },

    day(field: string, value: unknown): string {
      const day = toDay(value);
      if (day !== undefined) return day;
      throw fault(field, `"${String(value)}" is not a date`, 'Enter a date as YYYY-MM-DD; a time after it is ignored.');
    },

    timestamp(field: string, value: unknown): string {
      const timestamp = toTimestamp(value, context.getTimezone());
      if (timestamp !== undefined) return timestamp;
      const remedy = 'Enter a time in ISO 8601 format, such as 2026-11-21T09:30:00Z.';
      throw fault(field, `"${String(value)}" is not a time`, remedy);
    },
  };
}

/** An option of writes. @throws NodeOperationError for anything but yes or no: a slip must not write */
function readDryRun(context: IExecuteFunctions, fault: Fault, itemIndex: number): boolean {
  const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
  if (!('dryRun' in options)) return false;
  const given = String(options.dryRun);
  if (given === 'true' || given === 'false') return given === 'true';
  throw fault('Dry Run', `${JSON.stringify(options.dryRun) ?? 'it'} is not true or false`, EMPTY);
}

/** Requests that change nothing. */
function createReads(
  context: IExecuteFunctions,
  itemIndex: number,
  fieldNames: Record<string, string>,
  limit: () => number | undefined,
) {
  return {
    async read(path: string): Promise<FarmboardAnswer> {
      return await farmboardRequest(context, { method: 'GET', path, itemIndex, fieldNames });
    },

    /** Downloads a file into the binary field that the parameter of {@link BINARY_FIELD} names. */
    download: async (path: string, fileType: string, query?: IDataObject): Promise<FileOutput> =>
      await downloadFile(context, { method: 'GET', path, query, fileType, itemIndex, fieldNames }),

    /** Reads records according to Return All and Limit. @param key identifies a record */
    async list(path: string, query?: IDataObject, key = 'id'): Promise<IDataObject[]> {
      return await getRecords(context, { path, query, itemIndex, fieldNames }, limit(), key);
    },

    /** Reads every record of a list, ignoring Return All and Limit. */
    async listAll(path: string): Promise<IDataObject[]> {
      return await getRecords(context, { path, itemIndex });
    },
  };
}

async function downloadFile(context: IExecuteFunctions, request: FarmboardRequest): Promise<FileOutput> {
  const field = String(context.getNodeParameter('binaryPropertyName', request.itemIndex ?? 0));
  const { headers, file = Buffer.alloc(0) } = await farmboardRequest(context, request);
  const [, name = 'file'] = /filename="([^"]+)"/.exec(String(headers['content-disposition'] ?? '')) ?? [];
  const data = await context.helpers.prepareBinaryData(file, name, request.fileType);
  return new FileOutput({ file_name: name, mime_type: request.fileType, size: file.length }, { [field]: data });
}

function toLimit(fault: Fault, value: unknown): number {
  const limit = Number(value);
  if (isWhole(limit) && Math.round(limit) >= 1) return Math.round(limit);
  const what = `"${String(value)}" is not a whole number from 1 up`;
  throw fault('Limit', what, 'Enter a whole number, or turn on Return All.');
}

/** Whether it differs from a whole number only by what an expression calculated in doubles leaves. */
const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

function toNumber(fault: Fault, field: string, value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  const isEmpty = value === undefined || value === null || value === '';
  const what = isEmpty ? 'it is empty' : `${JSON.stringify(value)} is not a number`;
  throw fault(field, what, 'Enter a number, with a point for decimals.');
}

/** The value of a resource locator, or a plain value from an expression. */
export const locatorValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { value?: unknown }).value : value;

const EMPTY = 'If the value comes from an expression, check what it returns for this item.';

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

/** The node's field names by request member, used in errors. */
function toFieldNames(fields: INodeProperties[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const { name, displayName } of fields.flatMap((field) => [field, ...optionsOf(field)])) {
    names[toSnake(name)] = displayName;
  }
  return { ...names, 'Idempotency-Key': 'Idempotency Key' };
}

/** Only the fields with these names, in this order. */
const pick = (record: IDataObject, names: readonly string[]): IDataObject =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

/** Output fields of a record type. */
export interface RecordFields {
  all: readonly string[];
  /** the fields of simplified output */
  simplified: readonly string[];
}

/** Selects the output fields of a record. */
export function toOutput(item: Item, record: IDataObject, { all, simplified }: RecordFields): IDataObject {
  if (isDryRun(record)) return record;
  switch (item.parameter<string>('output', 'simplified')) {
    case 'raw':
      return record;
    case 'selected':
      return pick(record, readSelection(item, record, all));
    default:
      return pick(record, simplified);
  }
}

/** Whether an answer says what would have happened. */
export const isDryRun = (answer: IDataObject): boolean => answer.dry_run === true;

function readSelection(item: Item, record: IDataObject, all: readonly string[]): string[] {
  const selection = toList(item.parameter('outputFields', []));
  const known = new Set([...all, ...Object.keys(record)]);
  const unknown = selection.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw item.fault('Fields', `${JSON.stringify(unknown)} is not a field`, `Use one of: ${all.join(', ')}.`);
  }
  if (selection.length > 0) return selection;
  throw item.fault('Fields', 'none is selected', 'Select at least one field, or set Output to Simplified.');
}

/** Output for a deleted record. */
export const DELETED: IDataObject = { deleted: true };

/** Headers that make the write fail if the record has changed since the given version. */
export const toIfMatch = (options: IDataObject): Record<string, string> =>
  options.ifMatch ? { 'If-Match': String(options.ifMatch) } : {};
