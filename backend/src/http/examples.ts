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
const TEST_EVENT = `{"event":"webhook.test","occurred_at":"${EXAMPLE_TIME}","data":{"subscription_id":"${IDS.subscription}","message":"A test of this webhook channel."}}`;

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

/** Examples by schema and field, where a field name has several meanings. */
const BY_SCHEMA = lookupTable<unknown>({
  'OrderEventData.id': IDS.order,
  'Printer.id': IDS.printer,
  'Printer.name': 'Prusa 1',
  'PrinterGroup.id': IDS.group,
  'PrinterGroup.name': 'Workshop',
  'LowStockData.name': 'PETG black',
  'LowStockData.remaining_grams': 480.5,
  'WebhookSubscription.id': IDS.subscription,
  'WebhookSubscription.name': 'n8n',
  'CreatedWebhookSubscription.id': IDS.subscription,
  'CreatedWebhookSubscription.name': 'n8n',
  'DeliveryAttempt.id': IDS.delivery,
  'DeliveryAttempt.event': 'order.status_changed',
  'LoggedDelivery.id': IDS.delivery,
  'EventLogEntry.id': IDS.event,
  'EventLogEntry.event': 'webhook.test',
  'EventLogEntry.body': TEST_EVENT,
  'SentRequest.body': TEST_EVENT,
  'LoggedEvent.id': IDS.event,
  'SequencedEvent.status': 'succeeded',
  'Invoice.id': IDS.invoice,
  'Invoice.status': 'issued',
  'Invoice.total': 4990,
  'InvoiceDetail.total': 4990,
  'Invoice.number': '2026-0001',
  'InvoiceDetail.id': IDS.invoice,
  'InvoiceDetail.status': 'issued',
  'InvoiceDetail.number': '2026-0001',
  'InvoiceDetail.note': 'Thank you for your order.',
  'InvoicePayment.id': IDS.payment,
  'InvoiceLine.description': 'Wall bracket',
  'InvoiceSeller.name': 'Layer Workshop',
  'PaymentProvider.id': IDS.provider,
  'PaymentProvider.name': 'Bank',
  'PaymentProvider.kind': 'notice',
  'PaymentProvider.secret': 'pnsec_0123456789abcdefghijklmnopqrstuvwxyzABCD',
  'PrintReport.id': IDS.report,
  'RefusedReport.id': IDS.refusedReport,
  'RefusedReport.code': 'validation_error',
  'RefusedReport.reason':
    "The end of the print is more than 5 minutes ahead of this service's clock (2026-11-22T09:30:00.000Z).",
  'Agent.id': IDS.agent,
  'Agent.name': 'Agent of Prusa 1',
  'Agent.printer_group_id': null,
  'CreatedAgent.id': IDS.agent,
  'CreatedAgent.name': 'Agent of Prusa 1',
  'CreatedAgent.printer_group_id': null,
  'CreatedAgent.token': 'agt_…',
  'AgentMe.name': 'Agent of Prusa 1',
});

/** Examples by field name. */
const BY_NAME = lookupTable<unknown>({
  // of the list of orders
  cursor: 'WyI5YzU2Y2M1MWIzNzRjM2JhIiwyLFsxNzk1MzM5ODAwMDAwLCIwMTlhYTlkNC00YTAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiXV0',
  // orders
  model_name: 'Wall bracket',
  order_name: 'Wall bracket',
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
  actor: 'n8n',
  // filaments
  type_name: 'PETG',
  remaining_grams: 1817.5,
  threshold_grams: 500,
  grams: 182.5,
  note: 'Wall bracket, 4 pieces',
  // printers and reports
  internal_name: 'P1',
  model: 'Prusa MK4S',
  technology: 'fdm',
  group_name: 'Workshop',
  printer_name: 'Prusa 1',
  filament_name: 'PETG black',
  filename: 'bracket.gcode',
  reason: null,
  agent_name: 'Agent of Prusa 1',
  deducted_grams: 182.5,
  booked_grams: 182.5,
  moved_to: 'done',
  notes: [],
  grams_text: null,
  held_until: null,
  event_id: 'job-000123',
  hint: 'x7Qk',
  received_count: 1,
  refused: 1,
  can_retry: true,
  refused_report_id: IDS.refusedReport,
  ignored: 'The title “started” is not the end of a print: only complete, error and cancelled are reported.',
  // webhooks
  url: 'http://127.0.0.1:8000/',
  events: ['order.created', 'order.status_changed'],
  enabled: true,
  secret: 'whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU=',
  response_status: 204,
  error: null,
  duration_ms: 38,
  sequence: 42,
  client_key: 'n8n:5d41402a/Wq3k9dX/0f1e2d3c',
  health: 'ok',
  consecutive_failures: 0,
  last_success_at: EXAMPLE_TIME,
  last_error: null,
  message: 'A test of this webhook channel.',
  subject: `order:${IDS.order}`,
  subscription_name: 'n8n',
  headers: { 'Content-Type': 'application/json', 'X-Svc-Event': 'webhook.test' },
  // leads
  description: 'A bracket for a shelf, 10 pieces',
  contact: 'Anna, +1 555 0100',
  client_email: 'anna@client.example',
  budget: 'up to 100',
  deadline: 'next Friday',
  has_file: true,
  // invoices
  number: '2026-0001',
  customer_details: 'Example Street 1, Berlin',
  amount: 4990,
  amount_due: 4990,
  unit_price: 4990,
  quantity: 1,
  issued_at: EXAMPLE_TIME,
  paid_at: EXAMPLE_TIME,
  voided_at: null,
  issue_date: '2026-11-22',
  pay_url: 'http://127.0.0.1:3000/pay/2vYfGkq8TzR1sXbN',
  document_sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  payer: 'Vera Smith',
  named_invoice: null,
  payment_id: 'b-2026-11-22-0001',
  reviewed_at: null,
  address: 'Example Street 1, Berlin',
  tax_id: 'DE123456789',
  bank_details: 'IBAN DE02 1203 0000 0000 2020 51',
  payment_note: 'Please name the number of the invoice.',
  default_currency: 'EUR',
  notification_url: `http://127.0.0.1:3000/payments/notice/${IDS.provider}`,
  // accounts
  token: 'pat_…',
  // queries and paging
  page: 1,
  per_page: 50,
  q: 'bracket',
  after: 41,
  time_zone: 'Europe/Berlin',
  // ids
  account_id: IDS.account,
  order_id: IDS.order,
  order_ids: [IDS.order],
  ids: [IDS.order],
  printer_id: IDS.printer,
  group_id: IDS.group,
  printer_group_id: IDS.group,
  filament_id: IDS.filament,
  loaded_filament_id: IDS.filament,
  batch_id: IDS.batch,
  entry_id: IDS.entry,
  deduction_id: IDS.entry,
  booking_id: IDS.entry,
  subscription_id: IDS.subscription,
  delivery_id: IDS.delivery,
  agent_id: IDS.agent,
  lead_id: IDS.lead,
  document_id: IDS.invoice,
  invoice_id: IDS.invoice,
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
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-9f436d1f7c0e8a25-01',
  'X-Agent-Signature': `t=1795339800,v1=${'0123456789abcdef'.repeat(4)}`,
});

/** The example of a header on a path. The version of an order is a number, that of other records is a time. */
export const headerExampleOf = (name: string, path = ''): string | undefined =>
  name === 'If-Match' && !path.startsWith('/print-jobs') ? '"2026-11-21T09:30:00.000Z"' : HEADER_EXAMPLES.get(name);

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
  const named = [BY_SCHEMA.get(`${owner}.${field}`), BY_NAME.get(field)].find((value) => value !== undefined);
  if (named === null && isNullable(schema)) return null;
  const listed = listedExample(schema, named);
  if (listed !== undefined) return listed;
  if (typeof named === 'object' && named !== null && !Array.isArray(named)) return named;
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
