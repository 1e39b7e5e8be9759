import { lookupTable } from '../../../common/src/lookup-table.ts';

/**
 * Example values for the OpenAPI documents, by field name, of fields that several features have, so that an order, its
 * events and its history describe the same order. Other fields have theirs beside them (`example` in `meta`), as whole
 * request bodies do (`examples`).
 */

const id = (last: string): string => `01996f3e-7d4a-7c11-9b52-3f0a6c8e1d${last}`;

/** Ids of the example records. */
export const EXAMPLE_IDS = {
  account: id('01'),
  order: id('02'),
  printer: id('03'),
  group: id('04'),
  filament: id('05'),
  batch: id('06'),
  entry: id('07'),
  subscription: id('08'),
  delivery: id('09'),
  event: id('0a'),
  lead: id('0b'),
  photo: id('0c'),
  invoice: id('0d'),
  payment: id('0e'),
  provider: id('0f'),
  agent: id('10'),
  report: id('11'),
  token: id('12'),
  session: id('13'),
  refusedReport: id('14'),
} as const;

const IDS = EXAMPLE_IDS;
const EXAMPLE_TIME = '2026-11-22T09:30:00.000Z';

/** The example of `{id}` by the first path segment. */
export const PATH_IDS = lookupTable<string>({
  'print-jobs': IDS.order,
  printers: IDS.printer,
  'printer-groups': IDS.group,
  filaments: IDS.filament,
  'webhook-subscriptions': IDS.subscription,
  deliveries: IDS.delivery,
  leads: IDS.lead,
  profile: IDS.photo,
  invoices: IDS.invoice,
  'invoice-payments': IDS.payment,
  'payment-providers': IDS.provider,
  agents: IDS.agent,
  tokens: IDS.token,
  sessions: IDS.session,
});

/** Examples by field name. Each stands for fields of several features. */
const BY_NAME = lookupTable<unknown>({
  // orders
  model_name: 'Wall bracket',
  quantity_pieces: 4,
  material_name: 'PETG',
  color_hex: '#1E90FF',
  material_grams: 182.5,
  print_hours: 6.25,
  due_date: '2026-12-04',
  order_notes: 'Countersunk holes',
  workflow_status: 'printing',
  customer_name: 'Vera Smith',
  currency: 'EUR',
  source: 'shopify',
  external_id: '5001',
  actor: 'n8n',
  // filaments
  type_name: 'PETG',
  grams: 182.5,
  // printers and reports
  printer_name: 'Prusa 1',
  filename: 'bracket.gcode',
  hint: 'x7Qk',
  // webhooks
  url: 'http://127.0.0.1:8000/',
  enabled: true,
  response_status: 204,
  error: null,
  message: 'A test of this webhook channel.',
  // leads
  description: 'A bracket for a shelf, 10 pieces',
  contact: 'Anna, +1 555 0100',
  client_email: 'anna@client.example',
  budget: 'up to 100',
  deadline: 'next Friday',
  // invoices
  amount: 4990,
  // ids
  order_id: IDS.order,
  order_ids: [IDS.order],
  printer_id: IDS.printer,
  filament_id: IDS.filament,
  subscription_id: IDS.subscription,
  id: IDS.order,
  name: 'Prusa 1',
});

/** Examples of headers. */
const HEADER_EXAMPLES = lookupTable<string>({
  'If-Match': '"1"',
  'If-None-Match': '"1"',
  Prefer: 'handling=strict',
  'Idempotency-Key': '8f14e45f-ceea-467f-a8d8-5f3b1c2d9e70',
  'X-Svc-Signature': `sha256=${'0123456789abcdef'.repeat(4)}`,
  'X-Svc-Delivery': IDS.delivery,
  'X-Svc-Sequence': '42',
  'webhook-id': IDS.event,
  'webhook-timestamp': '1795339800',
  'webhook-signature': `v1,${'0123456789abcdef'.repeat(4).slice(0, 43)}=`,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-9f436d1f7c0e8a25-01',
  'X-Agent-Signature': `t=1795339800,v1=${'0123456789abcdef'.repeat(4)}`,
});

/** The example of a header on a path. The version of an order is a number, that of other records is a time. */
export const headerExampleOf = (name: string, path = ''): string | undefined =>
  name.startsWith('If-') && !path.startsWith('/print-jobs') ? '"2026-11-21T09:30:00.000Z"' : HEADER_EXAMPLES.get(name);

interface Schema {
  example?: unknown;
  $ref?: string;
  examples?: unknown[];
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const FORMATS = lookupTable<string>({ date: '2026-11-22', 'date-time': EXAMPLE_TIME });

/** The example of a schema that lists its values; undefined for others. */
function listedExample({ examples, const: only, enum: values, default: usual }: Schema, named: unknown): unknown {
  if (examples) return examples[0];
  if (only !== undefined || !values) return only;
  if (values.includes(named)) return named;
  return values.find((value) => String(value) === String(usual)) ?? values[0];
}

/** @param label names the field in the error */
function stringExample(schema: Schema, named: unknown, label: string): string {
  const text = named ?? schema.default ?? FORMATS.get(schema.format ?? '');
  if (typeof text === 'string') return text;
  throw new Error(`No example for ${label}`);
}

function scalarExample(type: string | undefined, usual: unknown, named: unknown): unknown {
  if (named !== undefined && typeof named === (type === 'integer' ? 'number' : type)) return named;
  if (usual !== undefined) return usual;
  if (type === 'integer' || type === 'number') return 1;
  return type === 'boolean' ? false : {};
}

const typesOf = ({ type, anyOf = [] }: Schema): (string | undefined)[] =>
  [type, ...anyOf.map((one) => one.type)].flat();

const isNullable = (schema: Schema): boolean => typesOf(schema).includes('null');

const isListOfStrings = ({ items }: Schema): boolean => items?.type === 'string' || items?.enum !== undefined;

/**
 * Builds an example of a schema: its own `example`, or one composed of its fields' examples.
 * @param resolve returns the name and schema of a reference
 * @throws Error naming the field without an example
 */
export function exampleOf(
  schema: Schema,
  resolve: (ref: string) => { name: string; schema: Schema },
  owner = '',
  field = '',
): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref) {
    const found = resolve(schema.$ref);
    return exampleOf(found.schema, resolve, found.name, field);
  }
  const named = BY_NAME.get(field);
  if (named === null && isNullable(schema)) return null;
  const listed = listedExample(schema, named);
  if (listed !== undefined) return listed;
  const of = (part: Schema, name = field) => exampleOf(part, resolve, owner, name);
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return of(first);
  const type = typesOf(schema).find((one) => one !== 'null');
  switch (type) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, part]) => [name, of(part, name)]));
    case 'array':
      return Array.isArray(named) && isListOfStrings(schema) ? named : [of(schema.items ?? {})];
    case 'string':
      return stringExample(schema, named, `${owner}.${field}`);
    default:
      return scalarExample(type, schema.default, named);
  }
}
