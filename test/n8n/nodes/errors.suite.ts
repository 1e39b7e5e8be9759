import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { DEFAULT_EVENTS, type Listed, STATUS_NAMES, UNKNOWN_ID, UUID } from '../../kit/farm.ts';
import { type Answer, passOn, problem, type Reply, startFakeServer } from '../../kit/n8n/fake-server.ts';
import { outputsOf } from '../../kit/n8n/harness.ts';
import {
  everythingIn,
  fromItem,
  jsonOf,
  locatorFromItem,
  parametersOf,
  sourcesOf,
  startRig,
} from '../../kit/n8n/rig.ts';
import { forSuite } from '../../kit/opened.ts';
import { freePort } from '../../kit/ports.ts';
import { createDataFolder, startService } from '../../kit/service.ts';

const ID = '0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70';

const rig = forSuite(startRig);
const n8n = forSuite(() => rig.n8n);
const fake = forSuite(startFakeServer);

beforeEach(() => {
  n8n.credentials.baseUrl = fake.baseUrl;
});

const passed = (seen: Parameters<typeof passOn>[1]) => passOn(rig.farm.service.origin, seen);

/** The error of a run that must fail. The token must be neither in it nor in what n8n stores of the run. */
async function told(parameters: IDataObject, items?: IDataObject[]) {
  const error = await n8n.refusal(parameters, items ? { items } : {});
  const everything = `${everythingIn(error)}\n${everythingIn(await n8n.run(parameters, items ? { items } : {}))}`;
  expect(everything).toContain(error.message);
  expect(everything).not.toContain(n8n.credentials.accessToken);
  expect(everything).not.toMatch(/Bearer|authorization/i);
  // a message for people says what happened, not that there was an "error"
  expect(error.message).not.toMatch(/\berror\b|\bproblem\b|\bfail/i);
  return error;
}

interface Expected {
  answer: Reply;
  /** By default an order is read. */
  asked?: [string, IDataObject];
  message: string | RegExp;
  /** The remedy. */
  way: string | RegExp;
  /** What the service says, word for word. */
  detail?: string;
}

const consume: [string, IDataObject] = ['filament consume', { filamentId: ID, grams: 1 }];
const setStatus: [string, IDataObject] = ['order setStatus', { orderId: ID, workflowStatus: '={{ "prnting" }}' }];
const createSubscription: [string, IDataObject] = [
  'webhook create',
  { url: 'http://10.0.0.1/hook', events: DEFAULT_EVENTS },
];

/** For every code of docs/reference/errors.md, the response and what n8n must show. */
const CODES: Record<string, Expected> = {
  malformed_json: {
    answer: problem(400, 'malformed_json', { title: 'The body is not JSON', detail: 'Send JSON.' }),
    message: 'The body is not JSON',
    way: 'Send JSON.',
  },
  json_too_deep: {
    answer: problem(400, 'json_too_deep', { title: 'The body is nested too deeply', detail: 'At most 32 levels.' }),
    message: 'The body is nested too deeply',
    way: 'At most 32 levels.',
  },
  malformed_request: {
    answer: problem(400, 'malformed_request', { title: 'The request cannot be read', detail: 'Look at its encoding.' }),
    message: 'The request cannot be read',
    way: 'Look at its encoding.',
  },
  unauthorized: {
    answer: problem(401, 'unauthorized'),
    message: 'Farmboard did not accept the access token',
    way: /mistyped, revoked or expired.*farmboard token create/,
  },
  read_only_token: {
    answer: problem(403, 'read_only_token'),
    asked: consume,
    message: 'The access token can only read',
    way: /Nothing was changed.*full access/,
  },
  not_found: {
    answer: problem(404, 'not_found'),
    message: `There is no order with the ID ${ID}`,
    way: /deleted.*different account.*Choose the order from the list/,
  },
  method_not_allowed: {
    answer: problem(405, 'method_not_allowed', { title: 'This method is not allowed here', detail: 'Use GET.' }),
    message: 'This method is not allowed here',
    way: 'Use GET.',
  },
  insufficient_stock: {
    answer: problem(409, 'insufficient_stock', { requested_grams: 12.5, available_grams: 3, shortage_grams: 9.5 }),
    asked: consume,
    message: 'Not enough filament: 12.5 g requested, 3 g available',
    way: /Nothing was deducted.*Allow Overdraw/,
  },
  idempotency_conflict: {
    answer: problem(409, 'idempotency_conflict'),
    asked: ['filament consume', { filamentId: ID, grams: 1, options: { idempotencyKey: 'mine' } }],
    message: 'This Idempotency Key was already used for a different request',
    way: /Nothing was written.*another key/,
  },
  client_key_in_use: {
    answer: problem(409, 'client_key_in_use'),
    asked: createSubscription,
    message: 'The channel of this trigger was created by another publish at the same moment',
    way: 'Publish the workflow again.',
  },
  external_id_in_use: {
    answer: problem(409, 'external_id_in_use'),
    asked: ['order create', { modelName: 'Bracket' }],
    message: 'There is an order with this source and external ID already',
    way: /Nothing was written.*Update that order/,
  },
  version_conflict: {
    answer: problem(409, 'version_conflict'),
    asked: consume,
    message: 'The record was changed by someone else at the same moment',
    way: /Nothing was written.*Run it again.*Retry On Fail/,
  },
  precondition_failed: {
    answer: problem(412, 'precondition_failed'),
    asked: ['order setStatus', { orderId: ID, workflowStatus: 'done', options: { ifMatch: '"1"' } }],
    message: 'The order has changed since it was read',
    way: /Nothing was written.*Include ETag/,
  },
  body_too_large: {
    answer: problem(413, 'body_too_large', { title: 'The body is too large', detail: 'At most 100,000 bytes.' }),
    asked: consume,
    message: 'The body is too large',
    way: 'At most 100,000 bytes.',
  },
  unsupported_media_type: {
    answer: problem(415, 'unsupported_media_type', { title: 'The body must be JSON', detail: 'Declare it as JSON.' }),
    asked: consume,
    message: 'The body must be JSON',
    way: 'Declare it as JSON.',
  },
  validation_error: {
    answer: problem(422, 'validation_error', {
      errors: [
        { pointer: '/grams', detail: 'must be more' },
        { pointer: '/printer_id', detail: 'is nobody' },
      ],
    }),
    asked: consume,
    message: 'Grams: must be more',
    way: /^Printer: is nobody\nNothing was written\./,
  },
  unknown_workflow_status: {
    answer: problem(422, 'unknown_workflow_status', { allowed: STATUS_NAMES }),
    asked: setStatus,
    message: '"prnting" is not a workflow status',
    way: `The order was not changed. Use one of: ${STATUS_NAMES.join(', ')}.`,
  },
  unknown_event: {
    answer: problem(422, 'unknown_event', { detail: '"order.made" is not an event.', allowed: DEFAULT_EVENTS }),
    asked: createSubscription,
    message: '"order.made" is not an event.',
    way: `Use only these names: ${DEFAULT_EVENTS.join(', ')}.`,
  },
  channel_limit_reached: {
    answer: problem(422, 'channel_limit_reached'),
    asked: createSubscription,
    message: 'All 10 webhook channels of this Farmboard account are in use',
    way: /Delete a channel.*Webhook > Get Many/,
  },
  blocked_address: {
    answer: problem(422, 'blocked_address', { setting: 'WEBHOOK_ALLOWED_HOSTS' }),
    asked: createSubscription,
    message: 'Farmboard is not allowed to send webhooks to http://10.0.0.1/hook',
    way: /Detail of blocked_address\..*WEBHOOK_ALLOWED_HOSTS/,
  },
  rate_limited: {
    answer: problem(429, 'rate_limited', {}, { 'Retry-After': '61' }),
    message: 'Farmboard received too many requests',
    way: /Try again in 61 seconds.*RATE_LIMIT_PER_MINUTE/,
  },
  internal_error: {
    answer: problem(500, 'internal_error', {
      title: 'Something went wrong on our side',
      detail: 'The log has the same request_id.',
    }),
    message: 'Something went wrong on our side',
    way: 'The log has the same request_id.',
  },
  unavailable: {
    answer: problem(503, 'unavailable', {}, { 'Retry-After': '17' }),
    message: 'Farmboard cannot answer right now',
    way: /Try again in 17 seconds.*\/readyz/,
  },
};

describe('every code of docs/reference/errors.md', () => {
  test('is covered by these tests', () => {
    const page = readFileSync(resolve(__dirname, '../../../docs/reference/errors.md'), 'utf8');
    const [table = ''] = page.split('\n## ');
    // codes that only the console API returns never reach the nodes
    const rows = [...table.matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| (?!Console API only)/gm)];
    const codes = rows.map(([, code, status]) => [code, Number(status)]);
    expect(codes.length).toBeGreaterThan(15);
    expect(Object.entries(CODES).map(([code, { answer }]) => [code, answer.status])).toEqual(codes);
  });

  test.each(Object.entries(CODES))(
    '%s is explained',
    async (code, { answer, asked = ['order get', { orderId: ID }], message, way }) => {
      const [operation, parameters] = asked;
      fake.answerWith(() => answer);
      const error = await told(parametersOf(operation, parameters));
      expect(error.name).toBe('NodeApiError');
      expect(error.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
      expect(error.description).toEqual(
        typeof way === 'string' ? expect.stringContaining(way) : expect.stringMatching(new RegExp(way, 's')),
      );
      expect(error.description).toContain(`Request ID: request-of-${code}`);
      expect(error.context).toMatchObject({ code, itemIndex: 0 });
      expect(error.httpCode).toBe(String(answer.status));
    },
  );

  test.each(Object.entries(CODES))(
    '%s names the failed one of several items',
    async (code, { answer, asked = ['order get', { orderId: ID }] }) => {
      const [operation, parameters] = asked;
      const items = [{ n: 0 }, { n: 1 }, { n: 2 }];
      fake.answerWith((_seen, nth) => (nth % 2 === 1 ? { body: { id: ID } } : answer));
      const error = await told(parametersOf(operation, parameters), items);
      expect(error.message).toMatch(/ \[item 1\]$/);
      expect(error.context).toMatchObject({ code, itemIndex: 1 });
    },
  );
});

describe('a refusal by the real service', () => {
  beforeEach(() => fake.answerWith(passed));
  afterEach(() => rig.farm.clear());

  test('explains an unknown access token', async () => {
    const before = n8n.credentials.accessToken;
    n8n.credentials.accessToken = 'pat_nobodyEverHadThisOne';
    const error = await told(parametersOf('order getAll')).finally(() => {
      n8n.credentials.accessToken = before;
    });
    expect(error.message).toBe('Farmboard did not accept the access token');
    expect(error.httpCode).toBe('401');
  });

  test.each([
    ['order get', 'order', { orderId: UNKNOWN_ID }],
    ['order getHistory', 'order', { orderId: UNKNOWN_ID }],
    ['order update', 'order', { orderId: UNKNOWN_ID, updateFields: { orderNotes: 'x' } }],
    ['order setStatus', 'order', { orderId: UNKNOWN_ID, workflowStatus: 'done' }],
    ['order delete', 'order', { orderId: UNKNOWN_ID }],
    ['printer get', 'printer', { printerId: UNKNOWN_ID }],
    ['filament get', 'filament', { filamentId: UNKNOWN_ID }],
    ['filament consume', 'filament', { filamentId: UNKNOWN_ID, grams: 1 }],
    ['filament addBatch', 'filament', { filamentId: UNKNOWN_ID, spoolCount: 1 }],
    ['webhook get', 'webhook', { subscriptionId: UNKNOWN_ID }],
    ['webhook update', 'webhook', { subscriptionId: UNKNOWN_ID, updateFields: { name: 'x' } }],
    ['webhook delete', 'webhook', { subscriptionId: UNKNOWN_ID }],
    ['webhook sendTest', 'webhook', { subscriptionId: UNKNOWN_ID }],
    ['webhook getDeliveries', 'webhook', { subscriptionId: UNKNOWN_ID }],
  ])('explains %s of a missing record', async (operation, kind, parameters) => {
    const error = await told(parametersOf(operation, parameters));
    expect(error.message).toBe(`There is no ${kind} with the ID ${UNKNOWN_ID}`);
    expect(error.description).toContain(`Choose the ${kind} from the list`);
    expect(error.description).toMatch(new RegExp(`Request ID: ${UUID.source.slice(1, -1)}`));
  });

  test('explains a blocked webhook URL', async () => {
    const url = 'http://169.254.169.254/latest/meta-data';
    const error = await told(parametersOf('webhook create', { url, events: DEFAULT_EVENTS }));
    expect(error.context.code).toBe('blocked_address');
    expect(error.message).toContain(url);
    expect(error.description).toContain('WEBHOOK_ALLOWED_HOSTS');
  });

  test('explains an unknown event', async () => {
    const error = await told(
      parametersOf('webhook create', { url: 'http://127.0.0.1:9/', events: '={{ ["order.made"] }}' }),
    );
    expect(error.context.code).toBe('unknown_event');
    expect(error.message).toBe('"order.made" is not an event that a subscription can select');
    for (const event of DEFAULT_EVENTS) expect(error.description).toContain(event);
  });

  test('explains notes that are too long', async () => {
    const error = await told(
      parametersOf('order create', { modelName: 'x', additionalFields: { orderNotes: 'x'.repeat(110_000) } }),
    );
    expect(error.context.code).toBe('body_too_large');
    expect(error.httpCode).toBe('413');
    expect(error.description).toContain('100');
  });

  test('explains too many requests within a minute', async () => {
    // with the same tokens
    const folder = createDataFolder();
    const slow = await startService({ ...folder.env, RATE_LIMIT_PER_MINUTE: '2' });
    n8n.credentials.baseUrl = slow.baseUrl;
    await n8n.give(parametersOf('printer getAll'));
    await n8n.give(parametersOf('printer getAll'));
    const error = await n8n.refusal(parametersOf('printer getAll'));
    await slow.stop();
    folder.remove();
    expect(error.context.code).toBe('rate_limited');
    expect(error.description).toMatch(/Try again in \d+ seconds/);
  });
});

describe('a value refused by the service', () => {
  beforeEach(() => fake.answerWith(passed));

  const long = (length: number) => 'x'.repeat(length);
  const order = (name: string, value: unknown): IDataObject => ({
    modelName: 'x',
    additionalFields: { [name]: value } as IDataObject,
  });
  const subscription = (more: IDataObject): IDataObject => ({
    url: 'http://127.0.0.1:9/',
    events: DEFAULT_EVENTS,
    ...more,
  });

  const WRITES: [string, string, IDataObject][] = [
    ['order create', 'Model Name', { modelName: long(501) }],
    ['order create', 'Color', order('colorHex', 'red')],
    ['order create', 'Currency', order('currency', 'euro')],
    ['order create', 'Customer Contact', order('customerContact', long(301))],
    ['order create', 'Customer Name', order('customerName', long(301))],
    ['order create', 'Due Date', order('dueDate', '2027-02-30')],
    ['order create', 'Material Grams', order('materialGrams', '={{ -1 }}')],
    ['order create', 'Material Name', order('materialName', long(201))],
    ['order create', 'Order Notes', order('orderNotes', long(5001))],
    ['order create', 'Price', order('price', '={{ -1 }}')],
    ['order create', 'Print Hours', order('printHours', '={{ 1000000 }}')],
    ['order create', 'Printer', order('printerId', UNKNOWN_ID)],
    ['order create', 'Quantity', order('quantityPieces', '={{ 1e12 }}')],
    ['order create', 'Workflow Status', order('workflowStatus', '={{ "prnting" }}')],
    ['webhook create', 'URL', subscription({ url: 'nonsense' })],
    ['webhook create', 'Events', subscription({ events: '={{ [] }}' })],
    ['webhook create', 'Name', subscription({ additionalFields: { name: long(101) } })],
    ['webhook create', 'Format', subscription({ additionalFields: { format: '={{ "telegraph" }}' } })],
    ['webhook create', 'Enabled', subscription({ additionalFields: { enabled: '={{ "yes" }}' } })],
  ];

  test.each(WRITES)('%s: is reported under the display name %s', async (operation, displayName, parameters) => {
    const error = await told(parametersOf(operation, parameters));
    expect(error.message).toMatch(new RegExp(`^${displayName}: .`));
    expect(error.description).toContain('Nothing was written.');
    expect(error.context.code).toBe('validation_error');
  });

  test.each([
    ['Grams', '={{ 2000000 }}', {}],
    ['Note', 1, { note: long(501) }],
    ['Printer', 1, { printerId: UNKNOWN_ID }],
    ['Idempotency Key', 1, { idempotencyKey: long(129) }],
  ])('filament consume: is reported under the display name %s', async (displayName, grams, options) => {
    const { id } = await rig.farm.filament({ spool_count: 1 });
    const error = await told(parametersOf('filament consume', { filamentId: id, grams, options } as IDataObject));
    expect(error.message).toMatch(new RegExp(`^${displayName}: .`));
  });

  test.each([
    ['Spool Count', { spoolCount: '={{ 1.5 }}' }],
    ['Spool Price', { spoolCount: 1, additionalFields: { spoolPrice: '={{ -1 }}' } }],
    ['Received At', { spoolCount: 1, additionalFields: { receivedAt: '9999-12-31T23:59:59-12:00' } }],
  ])('filament addBatch: is reported under the display name %s', async (displayName, parameters) => {
    const { id } = await rig.farm.filament();
    const error = await told(parametersOf('filament addBatch', { filamentId: id, ...parameters } as IDataObject));
    expect(error.message.startsWith(`${displayName}: `)).toBe(true);
  });

  test.each([
    ['order getAll', 'Search', { filters: { q: long(201) } }],
    ['order getAll', 'Workflow Statuses', { filters: { workflowStatus: '={{ ["prnting"] }}' } }],
    ['order getAll', 'Due After', { filters: { dueAfter: '={{ "2027-02-30" }}' } }],
    ['order getAll', 'Due Before', { filters: { dueBefore: '={{ "2027-02-30" }}' } }],
    ['order getAll', 'Sort By', { options: { sort: '={{ "name" }}' } }],
    ['filament getAll', 'Low Stock', { filters: { lowStock: '={{ "maybe" }}' } }],
    ['filament getAll', 'Search', { filters: { q: long(201) } }],
  ])('%s: is reported in a filter under the display name %s', async (operation, displayName, parameters) => {
    const error = await told(parametersOf(operation, parameters as IDataObject));
    expect(error.message).toMatch(new RegExp(`^${displayName}: .`));
    // a read writes nothing
    expect(error.description).not.toContain('written');
  });

  test('reports several errors at once', async () => {
    const error = await told(
      parametersOf('order create', {
        modelName: 'x',
        additionalFields: { colorHex: 'red', currency: 'euro', quantityPieces: '={{ -1 }}' },
      }),
    );
    const all = `${error.message}\n${error.description}`;
    for (const displayName of ['Color', 'Currency', 'Quantity']) {
      expect(all).toMatch(new RegExp(`^${displayName}: .`, 'm'));
    }
  });
});

describe('a response of another program', () => {
  const PAGE = '<!doctype html><html><title>Welcome</title></html>';
  const FOREIGN: [string, Answer, string | RegExp, string | RegExp][] = [
    ['a page with status 200', { body: PAGE }, /There is no Farmboard at/, /Base URL.*\/api\/v1/],
    ['nothing with status 200', {}, /There is no Farmboard at/, /Base URL.*\/api\/v1/],
    ['a list of JSON', { body: [1, 2] }, /There is no Farmboard at/, /Base URL.*\/api\/v1/],
    ['a 404 page', { status: 404, body: PAGE }, /There is no Farmboard at .* \(status 404\)/, /Base URL.*\/api\/v1/],
    ['JSON with status 404', { status: 404, body: { message: 'x' } }, /\(status 404\)/, /Base URL.*\/api\/v1/],
    ['a 401 page', { status: 401, body: PAGE }, /\(status 401\)/, /Base URL/],
    ['a 403 page', { status: 403, body: PAGE }, /\(status 403\)/, /Base URL/],
    ['a 500 page', { status: 500, body: PAGE }, /\(status 500\)/, /./],
    ['a 301', { status: 301, headers: { Location: 'https://x' } }, /redirects to another address/, /in the credential/],
    ['a 308', { status: 308, headers: { Location: 'https://x' } }, /redirects to another address/, /in the credential/],
    ['a 429 page', { status: 429, body: PAGE }, /cannot be reached right now \(status 429/, /Try again later/],
    ['a 502 page', { status: 502, body: PAGE }, /cannot be reached right now \(status 502/, /Retry On Fail/],
    ['a 503 page', { status: 503, body: PAGE }, /cannot be reached right now \(status 503/, /Retry On Fail/],
    [
      'a 503 page that says when',
      { status: 503, body: PAGE, headers: { 'Retry-After': '120' } },
      /cannot be reached right now \(status 503/,
      /Try again in 120 seconds/,
    ],
    ['a 504 page', { status: 504, body: PAGE }, /cannot be reached right now \(status 504/, /Retry On Fail/],
    [
      'a connection that is cut',
      'cut',
      /the connection was closed without an answer/,
      /Check that Farmboard is running/,
    ],
    ['half an answer', 'half', /cannot be reached/, /Check that Farmboard is running/],
  ];

  test.each(FOREIGN)('is explained: %s', async (_what, answer, message, way) => {
    fake.answerWith(() => answer);
    const error = await told(parametersOf('order get', { orderId: ID }));
    expect(error.message).toMatch(message);
    expect(error.message).toContain(fake.baseUrl);
    expect(error.description).toMatch(way);
    expect(error.description).not.toContain('Request ID');
    // HTML is for browsers
    expect(everythingIn(error)).not.toContain('Welcome');
    expect(error.description).not.toContain('may still have been made');
    expect(error.context.itemIndex).toBe(0);
  });

  test.each([
    ['with another version', (origin: string) => `${origin}/api/v2`],
    ['of its pages', (origin: string) => `${origin}/docs`],
  ])('blames the Base URL, not a missing record, for the service at %s', async (_what, toUrl) => {
    n8n.credentials.baseUrl = toUrl(rig.farm.service.origin);
    for (const [operation, parameters] of [
      ['order getAll', {}],
      ['order get', { orderId: ID }],
      ['order create', { modelName: 'x' }],
      ['webhook create', { url: 'http://x', events: DEFAULT_EVENTS }],
    ] as [string, IDataObject][]) {
      const error = await told(parametersOf(operation, parameters));
      expect(error.description).toMatch(/Base URL.*\/api\/v1/);
      expect(error.message).not.toMatch(/the ID $/);
    }
  });

  /** Makes every look-up of a name fail without using the network. */
  function failLookups(code: string): void {
    jest.spyOn(dns, 'lookup').mockImplementation(((
      hostname: string,
      _options: unknown,
      done: (error: Error) => void,
    ) => {
      const error = new Error(`getaddrinfo ${code} ${hostname}`);
      setImmediate(done, Object.assign(error, { code, hostname, syscall: 'getaddrinfo' }));
    }) as never);
  }
  afterEach(() => jest.restoreAllMocks());

  test('explains that nothing listens', async () => {
    n8n.credentials.baseUrl = `http://127.0.0.1:${await freePort()}/api/v1`;
    const error = await told(parametersOf('order get', { orderId: ID }));
    expect(error.message).toBe(`Farmboard cannot be reached at ${n8n.credentials.baseUrl}: nothing is listening there`);
    expect(error.description).toMatch(/Check that Farmboard is running.*container/);
    expect(error.context.code).toBe('ECONNREFUSED');
  });

  test.each([
    ['nothing that listens', async () => `http://127.0.0.1:${await freePort()}/api/v1`],
    [
      'no such host',
      async () => {
        failLookups('ENOTFOUND');
        return 'http://farmboard.invalid/api/v1';
      },
    ],
  ])('%s: doesn’t claim that an unsent write may have been carried out', async (_what, toUrl) => {
    n8n.credentials.baseUrl = await toUrl();
    const error = await told(parametersOf('filament consume', { filamentId: ID, grams: 1 }));
    expect(error.description).not.toContain('may still have been made');
    expect(error.context.outcomeUnknown).toBe(false);
  });

  test('says that a write without a response may have been carried out', async () => {
    for (const answer of ['cut', 'half', { status: 502, body: PAGE }, { status: 504, body: PAGE }] as Answer[]) {
      fake.answerWith(() => answer);
      const error = await told(parametersOf('filament consume', { filamentId: ID, grams: 1 }));
      expect(error.description).toContain('may still have been made');
      expect(error.context.outcomeUnknown).toBe(true);
    }
  });

  test.each([
    ['ENOTFOUND', 'the host name does not exist'],
    ['EAI_AGAIN', 'the host name could not be looked up'],
  ])('explains an unknown host: %s', async (code, words) => {
    failLookups(code);
    n8n.credentials.baseUrl = 'http://farmboard.invalid/api/v1';
    const error = await told(parametersOf('order get', { orderId: ID }));
    expect(error.message).toBe(`Farmboard cannot be reached at http://farmboard.invalid/api/v1: ${words}`);
    expect(error.description).toContain('Base URL');
    expect(error.description).not.toContain('container');
  });

  test('explains a host name that contains an error name of n8n', async () => {
    failLookups('ENOTFOUND');
    n8n.credentials.baseUrl = 'http://enotfound.eperm.invalid/api/v1';
    const error = await told(parametersOf('order get', { orderId: ID }));
    expect(error.message).toContain('http://enotfound.eperm.invalid/api/v1');
  });

  test('explains https to an http server', async () => {
    n8n.credentials.baseUrl = fake.baseUrl.replace('http://127.0.0.1', 'https://localhost');
    const error = await told(parametersOf('order get', { orderId: ID }));
    expect(error.message).toContain('cannot be reached');
    expect(error.message).toContain('it does not use HTTPS');
    expect(error.description).toContain('Base URL');
  });

  test('reports an access token that can’t be a header value', async () => {
    const before = n8n.credentials.accessToken;
    n8n.credentials.accessToken = 'pat_…';
    const error = await told(parametersOf('order get', { orderId: ID })).finally(() => {
      n8n.credentials.accessToken = before;
    });
    expect(`${error.message} ${error.description}`).toContain('access token');
    expect(fake.seen.filter(({ headers }) => headers.authorization?.includes('…'))).toEqual([]);
  });
});

describe('with Continue On Fail', () => {
  let filamentId: string;

  beforeEach(async () => {
    fake.answerWith(passed);
    filamentId = (await rig.farm.filament({ spool_count: 1 })).id;
  });

  /** The second has too little stock, the fourth is not a number, the fifth has an unknown filament. */
  const items = (): IDataObject[] => [
    { id: filamentId, grams: 1, name: 'good one' },
    { id: filamentId, grams: 5000, name: 'too much' },
    { id: filamentId, grams: 2, name: 'good two' },
    { id: filamentId, grams: 'many', name: 'no number', message: 'of the input' },
    { id: UNKNOWN_ID, grams: 1, name: 'nobody' },
  ];
  const MESSAGES = [
    /^Not enough filament: 5000 g requested, 99\d g available \[item 1\]$/,
    /^Grams: "many" is not a number \[item 3\]$/,
    new RegExp(`^There is no filament with the ID ${UNKNOWN_ID} \\[item 4\\]$`),
  ];

  async function outputs(onError: INode['onError'], given: IDataObject[]) {
    const run = await n8n.run(
      parametersOf('filament consume', { filamentId: locatorFromItem('id'), grams: fromItem('grams') }),
      { items: given, node: { onError } },
    );
    expect(everythingIn(run)).not.toContain(n8n.credentials.accessToken);
    return outputsOf(run) as INodeExecutionData[][];
  }

  /** The text for a person, in whichever form the item has it. */
  const messageOf = ({ error }: IDataObject): string =>
    typeof error === 'object' && error !== null ? String((error as IDataObject).message) : String(error);

  test('outputs for each item its result or its error, paired to its input', async () => {
    const [output = [], ...more] = await outputs('continueRegularOutput', items());
    expect(more).toEqual([]);
    expect(sourcesOf(output)).toEqual([0, 1, 2, 3, 4]);
    const failed = [1, 3, 4].map((index) => output[index]?.json as IDataObject);
    for (const [index, json] of failed.entries()) expect(messageOf(json)).toMatch(MESSAGES[index] as RegExp);
    // the details for programs and support
    expect(JSON.stringify(failed[0])).toContain('insufficient_stock');
    expect(JSON.stringify(failed[0])).toContain('Allow Overdraw');
    expect(JSON.stringify(failed[2])).toContain('not_found');
    for (const index of [0, 2]) expect(output[index]?.json).toMatchObject({ id: filamentId });
    for (const index of [0, 2]) expect(output[index]?.json).not.toHaveProperty('error');
    expect((await rig.farm.client.get<{ used_grams: number }>(`/filaments/${filamentId}`)).body.used_grams).toBe(3);
  });

  test('uses a separate error output with input data, pairing and code', async () => {
    const given = items();
    const [good = [], failed = []] = await outputs('continueErrorOutput', given);
    expect(sourcesOf(good)).toEqual([0, 2]);
    expect(jsonOf(good).map(({ id }) => id)).toEqual([filamentId, filamentId]);
    expect(sourcesOf(failed)).toEqual([1, 3, 4]);
    for (const [index, { json }] of failed.entries()) {
      const { message: _message, ...input } = given[[1, 3, 4][index] as number] as IDataObject;
      expect(json).toMatchObject(input);
      expect(messageOf(json)).toMatch(MESSAGES[index] as RegExp);
    }
    expect(JSON.stringify(failed[0]?.json)).toContain('insufficient_stock');
    expect(JSON.stringify(failed[0]?.json)).toContain('Allow Overdraw');
    expect(JSON.stringify(failed[2]?.json)).toContain('not_found');
  });

  test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
    '%s: outputs an error for each item if all fail',
    async (onError) => {
      const all = [1, 2, 3].map((n) => ({ id: UNKNOWN_ID, grams: n }));
      const result = await outputs(onError, all);
      const failed = result[onError === 'continueErrorOutput' ? 1 : 0] as INodeExecutionData[];
      if (onError === 'continueErrorOutput') expect(result[0]).toEqual([]);
      expect(sourcesOf(failed)).toEqual([0, 1, 2]);
      for (const { json } of failed) expect(json.error).toBeDefined();
    },
  );

  test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
    '%s: outputs results alone if none fails',
    async (onError) => {
      const [good = [], failed = []] = await outputs(
        onError,
        [1, 2, 3].map((grams) => ({ id: filamentId, grams })),
      );
      expect(failed).toEqual([]);
      expect(sourcesOf(good)).toEqual([0, 1, 2]);
      for (const { json } of good) expect(json).not.toHaveProperty('error');
    },
  );

  test('handles lists: complete ones in full, a failed one as one item', async () => {
    const order = await rig.farm.order();
    await rig.farm.setStatus(order.id, 'confirmed');
    const { total } = (await rig.farm.client.get<Listed<unknown>>(`/print-jobs/${order.id}/history`)).body;
    const run = await n8n.run(parametersOf('order getHistory', { orderId: locatorFromItem('id'), returnAll: true }), {
      items: [{ id: order.id }, { id: 'nonsense' }, { id: order.id }],
      node: { onError: 'continueErrorOutput' },
    });
    const [good = [], failed = []] = outputsOf(run) as INodeExecutionData[][];
    expect(sourcesOf(good)).toEqual([...Array(total).fill(0), ...Array(total).fill(2)]);
    expect(sourcesOf(failed)).toEqual([1]);
    expect(messageOf(failed[0]?.json as IDataObject)).toBe('Order: there is no ID in "nonsense" [item 1]');
  });

  test('doesn’t number a single item', async () => {
    const [output = []] = await outputs('continueRegularOutput', [{ id: UNKNOWN_ID, grams: 1 }]);
    expect(messageOf(output[0]?.json as IDataObject)).toBe(`There is no filament with the ID ${UNKNOWN_ID}`);
  });
});
