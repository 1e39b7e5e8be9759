import fc from 'fast-check';
import { CODE_POINT } from '../code-point.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
}

/** An id that is only known when the request is sent: the n-th of its kind. */
export class PoolId {
  readonly pool: string;
  readonly pick: number;
  constructor(pool: string, pick: number) {
    this.pool = pool;
    this.pick = pick;
  }
}

/** JSON text as it is, for what no JavaScript value can express (`1e999`). */
class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The pool that the ids of a property or parameter come from. */
const POOL_OF: Record<string, string> = { printer_id: 'printers', order_id: 'print-jobs', group_id: 'printer-groups' };

const poolId = (pool: string): fc.Arbitrary<PoolId> => fc.nat(1_000_000).map((pick) => new PoolId(pool, pick));

const DATES = ['0000-01-01', '0001-01-01', '1969-12-31', '2024-02-29', '9999-12-31'];
const TIMES = [
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '1970-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.123456789+05:45',
];
const instant = fc.date({
  min: new Date('2000-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
});

function textOf({ minLength = 0, maxLength = 100 }: Schema): fc.Arbitrary<string> {
  const most = Math.min(maxLength, 60);
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ minLength: Math.max(minLength, 1), maxLength: most }).map((s) => s || 'x') },
    { weight: 2, arbitrary: fc.string({ minLength, maxLength: most, unit: 'grapheme' }) },
    { weight: 1, arbitrary: fc.string({ minLength, maxLength: most, unit: CODE_POINT }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(maxLength), 'ж'.repeat(maxLength), 'x'.repeat(minLength)) },
  );
}

function stringOf(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (name === 'page') return fc.constantFrom('1', '1', '1', '2', '999999999');
  if (name === 'per_page') return fc.constantFrom('1', '2', '7', '20', '200');
  if (name === 'after') return fc.constantFrom('0', '1', '7', '999999999999999');
  switch (schema.format) {
    case 'uuid':
      return poolId(POOL_OF[name] ?? 'print-jobs');
    case 'date':
      return fc.oneof(
        { weight: 5, arbitrary: instant.map((at) => at.toISOString().slice(0, 10)) },
        fc.constantFrom(...DATES),
      );
    case 'date-time':
      return fc.oneof({ weight: 5, arbitrary: instant.map((at) => at.toISOString()) }, fc.constantFrom(...TIMES));
  }
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  return textOf(schema);
}

/** Values that the schema allows. Where the service requires more (3 decimals), most values satisfy that too. */
export function arbitraryOf(schema: Schema, resolve: (ref: string) => Schema, name = ''): fc.Arbitrary<unknown> {
  if (schema.$ref) return arbitraryOf(resolve(schema.$ref), resolve, name);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => arbitraryOf(choice, resolve, name)));
  const { minimum = -1e6, maximum = 1e6 } = schema;
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 50) }) },
        fc.integer({ min: minimum, max: maximum }),
        fc.constantFrom(minimum, maximum),
      );
    case 'number':
      return fc.oneof(
        {
          weight: 6,
          arbitrary: fc
            .integer({ min: Math.ceil(minimum * 100), max: Math.floor(Math.min(maximum, minimum + 500) * 100) })
            .map((n) => n / 100),
        },
        fc.integer({ min: Math.ceil(minimum * 1000), max: Math.floor(maximum * 1000) }).map((n) => n / 1000),
        fc.constantFrom(minimum, maximum),
      );
    case 'string':
      return stringOf(schema, name);
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, resolve, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object': {
      const properties = Object.entries(schema.properties ?? {});
      const shape = Object.fromEntries(properties.map(([key, value]) => [key, arbitraryOf(value, resolve, key)]));
      return fc.record(shape, { requiredKeys: schema.required ?? [] });
    }
  }
  return fc.jsonValue();
}

const NASTY_STRINGS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u202egnp.exe',
  '\u200b',
  '👩‍👩‍👧‍👦'.repeat(60),
  'x'.repeat(10_000),
  'ж'.repeat(10_000),
  "' OR '1'='1",
  "'; DROP TABLE orders; --",
  '%',
  '_',
  '!',
  '\\',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'null',
  'true',
  '5',
  'NaN',
  '2026-02-30',
  '2026-13-01',
  '+275760-09-13T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '#GGGGGG',
  '#fff',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'DONE',
  'closed ',
];
const NASTY_NUMBERS = [
  '1e999',
  '-1e999',
  '-0',
  '-1',
  '0',
  '0.0001',
  '1e-9',
  '5e-324',
  '0.1234',
  '0.30000000000000004',
  '1.5',
  '1e21',
  '1.7976931348623157e308',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  `1${'0'.repeat(400)}`,
];

/** JSON nested this deep, as text: building it from values would overflow the stack. */
const nested = (depth: number, open: string, close: string): RawJson =>
  new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);

/** Values of the wrong type. */
export const nasty: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_STRINGS) },
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_NUMBERS).map((text) => new RawJson(text)) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom(30, 31, 32, 33, 500, 5_000).map((depth) => nested(depth, '[', ']')) },
  { weight: 1, arbitrary: fc.constantFrom(31, 33, 5_000).map((depth) => nested(depth, '{"a":', '}')) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 1_000 }, (_, i) => i)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '{"__proto__":{"polluted":1}}',
        '{"constructor":{"prototype":{"polluted":1}}}',
        '{"toJSON":1,"toString":null,"valueOf":null,"length":-1}',
      )
      .map((text) => new RawJson(text)),
  },
  { weight: 2, arbitrary: fc.jsonValue() },
);

/** JSON text with ids filled in and raw pieces unchanged. */
export function toJson(value: unknown, idOf: (id: PoolId) => string): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof PoolId) return JSON.stringify(idOf(value));
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item, idOf)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${toJson(item, idOf)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
