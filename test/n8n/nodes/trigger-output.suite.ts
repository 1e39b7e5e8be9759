import type { IDataObject } from 'n8n-workflow';
import { eventually, expectSoon } from '../../kit/eventually.ts';
import { DEFAULT_EVENTS, OPT_IN_EVENTS } from '../../kit/farm.ts';
import { startFakeServer } from '../../kit/n8n/fake-server.ts';
import { type Credentials, type Farm, pauses } from '../../kit/n8n/harness.ts';
import {
  attemptHeadersOf,
  createTriggerFarm,
  envelopeOf,
  expectIgnored,
  expectRefused,
  expectRun,
  headersOf,
  type Rule,
  SECRET,
  send,
  startTriggerServer,
  type Trigger,
  toRaw,
} from '../../kit/n8n/trigger-farm.ts';
import { forSuite, forTest } from '../../kit/opened.ts';
import { farmboard } from '../../kit/service.ts';

const UNKNOWN_ID = '0198c2f4-5d3b-7cc2-a3f1-000000000000';
const ALL = [...DEFAULT_EVENTS, ...OPT_IN_EVENTS].sort();

const site = forSuite(createTriggerFarm);
let farm: Farm;
let printer: IDataObject;
let other: IDataObject;
let order: IDataObject;
let filament: IDataObject;

beforeAll(async () => {
  farm = site.farm;
  const filled = await farmboard(['demo', '--email', site.email], site.service.env);
  if (filled.code !== 0) throw new Error(filled.stderr);
  const first = async (path: string) => (await site.client.get<{ items: IDataObject[] }>(path)).body.items;
  [printer, other] = (await first('/printers')) as [IDataObject, IDataObject];
  [filament] = (await first('/filaments')) as [IDataObject];
  order = (await site.client.post('/print-jobs', { model_name: 'Bracket', printer_id: printer.id }))
    .body as IDataObject;
});
afterEach(async () => {
  site.proxy.rule(() => 'forward');
  farm.credentials.baseUrl = site.proxy.baseUrl;
  farm.credentials.accessToken = site.token;
});

function make(parameters: IDataObject = {}): Trigger {
  const trigger = farm.trigger({ events: ['*'], ...parameters });
  trigger.setMemory({ subscriptionId: 's', secret: SECRET });
  return trigger;
}

describe('the output', () => {
  const event = envelopeOf('order.created', { id: UNKNOWN_ID, model_name: 'Bracket', tags: ['a', { b: null }] });

  test('has exactly event, occurred_at, data, delivery_id and sequence', async () => {
    const item = expectRun(await send(make(), event, { 'x-svc-delivery': 'd-1', 'x-svc-sequence': '42' }));
    expect(item).toStrictEqual({
      event: 'order.created',
      occurred_at: event.occurred_at,
      data: { id: UNKNOWN_ID, model_name: 'Bracket', tags: ['a', { b: null }] },
      delivery_id: 'd-1',
      sequence: 42,
    });
    expect(Object.keys(item)).toStrictEqual(['event', 'occurred_at', 'data', 'delivery_id', 'sequence']);
  });

  test('omits what else the envelope has and uses the signed event, not the header', async () => {
    const item = expectRun(await send(make(), { ...event, more: 1 }, { 'x-svc-event': 'invoice.paid' }));
    expect(item.event).toBe('order.created');
    expect(item).not.toHaveProperty('more');
  });

  test.each<[string | undefined, number | null]>([
    ['0', 0],
    ['1', 1],
    ['9007199254740991', 9_007_199_254_740_991],
    [undefined, null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['x', null],
    ['1, 2', null],
  ])('reads sequence %j as %j', async (given, expected) => {
    const raw = toRaw(event);
    const headers = headersOf(raw);
    delete headers['x-svc-sequence'];
    if (given !== undefined) headers['x-svc-sequence'] = given;
    expect(expectRun(await make().receive(raw, headers)).sequence).toBe(expected);
  });

  test('uses null for a missing delivery_id', async () => {
    const raw = toRaw(event);
    expect(expectRun(await make().receive(raw, attemptHeadersOf(raw, [SECRET])))).toMatchObject({
      delivery_id: null,
      sequence: null,
    });
  });

  test('includes headers only with the option', async () => {
    const raw = toRaw(event);
    const headers = headersOf(raw, SECRET, { 'user-agent': 'Farmboard' });
    expect(expectRun(await make({ options: { includeHeaders: true } }).receive(raw, headers)).headers).toStrictEqual(
      headers,
    );
    for (const options of [{}, { includeHeaders: false }]) {
      expect(expectRun(await make({ options }).receive(raw, headers))).not.toHaveProperty('headers');
    }
  });

  test('sends no request unless Fetch Full Record is on', async () => {
    expect(expectRun(await send(make(), event))).not.toHaveProperty('record');
    expect(site.proxy.seen.length).toBe(0);
  });
});

describe('Fetch Full Record', () => {
  const options = { fetchRecord: true };

  test('reads the current order', async () => {
    const item = expectRun(await send(make({ options }), envelopeOf('order.created', { id: order.id })));
    const { body } = await site.client.get(`/print-jobs/${order.id}`);
    expect(item.record).toStrictEqual(body);
    expect(item.record).toMatchObject({ id: order.id, printer_id: printer.id, customer_name: null });
    expect(item).not.toHaveProperty('record_error');
    expect(site.proxy.seen.map(({ method, path }) => `${method} ${path}`)).toStrictEqual([
      `GET /print-jobs/${order.id}`,
    ]);
    expect(Object.keys(item)).toStrictEqual(['event', 'occurred_at', 'data', 'delivery_id', 'sequence', 'record']);
  });

  test('reads order, printer and filament, each by its own ID', async () => {
    const cases: [string, IDataObject, string][] = [
      ['order.status_changed', { id: order.id, printer_id: other.id }, `/print-jobs/${order.id}`],
      ['printer.print_finished', { printer_id: printer.id }, `/printers/${printer.id}`],
      ['printer.print_failed', { printer_id: other.id }, `/printers/${other.id}`],
      ['filament.low_stock', { filament_id: filament.id }, `/filaments/${filament.id}`],
    ];
    for (const [event, data, path] of cases) {
      const item = expectRun(await send(make({ options }), envelopeOf(event, data)));
      expect([event, item.record]).toStrictEqual([event, (await site.client.get(path)).body]);
    }
  });

  test('reads lead and invoice, each by its own ID', async () => {
    const cases: [string, IDataObject, string][] = [
      ['lead.created', { lead_id: UNKNOWN_ID }, `/leads/${UNKNOWN_ID}`],
      ['invoice.paid', { document_id: UNKNOWN_ID, order_ids: [order.id] }, `/invoices/${UNKNOWN_ID}`],
    ];
    for (const [event, data, path] of cases) {
      site.proxy.seen.length = 0;
      const item = expectRun(await send(make({ options }), envelopeOf(event, data)));
      expect(site.proxy.seen.map((seen) => seen.path)).toStrictEqual([path]);
      // the output says which record was deleted
      expect(item).toMatchObject({ record: null, record_error: expect.stringContaining(UNKNOWN_ID) });
    }
  });

  test('returns null for events without a record', async () => {
    const probe = envelopeOf('webhook.test', { subscription_id: UNKNOWN_ID });
    expect(expectRun(await send(make({ options: { ...options, runOnTest: true } }), probe)).record).toBeNull();
    expect(site.proxy.seen.length).toBe(0);
  });

  test('validates the ID in the event', async () => {
    for (const id of ['../me', 'x/../../me', '%2e%2e/me', '?a=b', '#', '', undefined, null, 7, ['a']]) {
      site.proxy.rule(() => 'forward');
      const item = expectRun(await send(make({ options }), envelopeOf('order.created', { id } as IDataObject)));
      expect(item.record).toBeNull();
      expect(item.record_error).toEqual(expect.any(String));
      for (const { path } of site.proxy.seen) {
        expect(path).toMatch(/^\/print-jobs\/[^/?#]*$/);
        expect(path).not.toContain('..%2Fme/');
      }
    }
  });

  const data = () => ({ id: order.id });
  const answers = (rule: Rule) => () => site.proxy.rule(() => rule);
  const wrong = (more: Partial<Credentials>) => () => Object.assign(farm.credentials, more);
  const unreadable: [string, () => unknown, RegExp][] = [
    ['nothing listens', wrong({ baseUrl: 'http://127.0.0.1:9/api/v1' }), /nothing is listening there/],
    ['the base URL is none', wrong({ baseUrl: 'farm' }), /Base URL/],
    ['the token is not accepted', wrong({ accessToken: 'pat_of-nobody-at-all' }), /access token/],
    ['the connection breaks', answers('cut'), /connection was closed/],
    ['the service fails', answers({ status: 500, body: { code: 'internal_error', title: 'Our fault' } }), /Our fault/],
    ['a proxy answers', answers({ status: 502, body: '<html>Bad gateway</html>' }), /502/],
    [
      'another program answers',
      answers({ status: 200, body: '<html>Router</html>' }),
      /There is no Farmboard at .* \(status 200\)/,
    ],
    [
      'the service asks to wait a minute',
      answers({ status: 503, body: { code: 'unavailable' }, headers: { 'Retry-After': '60' } }),
      /cannot answer right now/,
    ],
  ];

  test.each(unreadable)('runs with an explanation when %s', async (_name, fail, text) => {
    fail();
    const item = expectRun(await send(make({ options }), envelopeOf('order.created', data())));
    expect(item.record).toBeNull();
    expect(item.record_error).toMatch(text);
    expect(JSON.stringify(item)).not.toContain(site.token);
    expect(JSON.stringify(item)).not.toContain('pat_of-nobody');
    expect(site.proxy.seen.length).toBeLessThanOrEqual(1);
    expect(pauses).toEqual([]);
  });

  test('runs when the record is deleted', async () => {
    for (const [event, gone, what] of [
      ['order.created', { id: UNKNOWN_ID }, 'order'],
      ['printer.print_failed', { printer_id: UNKNOWN_ID }, 'printer'],
      ['filament.low_stock', { filament_id: UNKNOWN_ID }, 'filament'],
    ] as const) {
      const item = expectRun(await send(make({ options }), envelopeOf(event, gone)));
      expect(item).toMatchObject({ record: null, record_error: `There is no ${what} with the ID ${UNKNOWN_ID}` });
    }
  });

  test.each(['hang', 'drip'] as const)('keeps well within the 10 seconds that the service waits (%s)', async (rule) => {
    const deadline = new AbortController();
    const deadlines = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    // ten times sooner than the node asks, to keep the test short, but not before the request has arrived
    site.proxy.rule(() => {
      setTimeout(() => deadline.abort(new DOMException('The deadline has passed.', 'TimeoutError')), 500);
      return rule;
    });
    try {
      const item = expectRun(await send(make({ options }), envelopeOf('order.created', data())));
      expect(item.record).toBeNull();
      expect(item.record_error).toMatch(/did not answer in time/);
      expect(deadlines.mock.calls).toEqual([[5_000]]);
      expect(site.proxy.seen.length).toBe(1);
      expect(pauses).toEqual([]);
    } finally {
      deadlines.mockRestore();
    }
  });
});

describe('Trigger On', () => {
  test('acknowledges other events without a run', async () => {
    for (const chosen of ALL) {
      const trigger = make({ events: [chosen] });
      for (const event of ALL) {
        const came = await send(trigger, envelopeOf(event));
        if (event === chosen) expect(expectRun(came).event).toBe(chosen);
        else expectIgnored(came);
      }
    }
  });

  test('chooses exactly the events in the description of the service with All Events', async () => {
    const documented = Object.keys(site.client.document.webhooks).filter((event) => event !== 'webhook.test');
    expect(documented.sort()).toStrictEqual(ALL);
    for (const event of ALL) expectRun(await send(make({ events: ['*'] }), envelopeOf(event)));
    for (const event of ALL) expectRun(await send(make({ events: ['*', 'order.created'] }), envelopeOf(event)));
  });

  test('acknowledges unknown events with 200', async () => {
    for (const event of ['order.deleted', 'x', '', '*', 'constructor', '__proto__', 'ORDER.CREATED', 'order.created '])
      expectIgnored(await send(make({ events: ['*'] }), envelopeOf(event)));
  });
});

describe('test events', () => {
  const probe = envelopeOf('webhook.test', { subscription_id: UNKNOWN_ID, message: 'This is a test' });

  test('are acknowledged without a run in production', async () => {
    for (const options of [{}, { runOnTest: false }]) expectIgnored(await send(make({ options }), probe));
  });

  test('run in production with the option, in the shape of every event', async () => {
    const item = expectRun(await send(make({ options: { runOnTest: true } }), probe, { 'x-svc-delivery': 'd' }));
    expect(item).toStrictEqual({ ...probe, delivery_id: 'd', sequence: 7 });
  });

  test('run while listening, whatever is chosen and filtered', async () => {
    const trigger = make({ events: ['invoice.paid'], filters: { workflowStatus: ['done'], printerIds: [UNKNOWN_ID] } });
    expect(expectRun(await send(trigger, probe, {}, 'manual')).event).toBe('webhook.test');
    expectIgnored(await send(trigger, envelopeOf('order.created'), {}, 'manual'));
  });
});

describe('Execute Step', () => {
  const server = forTest(startTriggerServer);
  beforeEach(() => {
    server.settings.mode = 'manual';
  });
  afterEach(() => site.reset());

  async function listen(parameters: IDataObject): Promise<Trigger> {
    const trigger = farm.trigger({ events: ['*'], ...parameters }, { webhookBaseUrl: server.url });
    server.settings.trigger = trigger;
    await trigger.publish('manual');
    return trigger;
  }

  const sampleOf = async (parameters: IDataObject): Promise<IDataObject> => {
    await listen(parameters);
    const [item] = await eventually(
      () => server.runs,
      (runs) => runs.length > 0,
    );
    expect(item).toMatchObject({ sample: true, delivery_id: null, sequence: null });
    return { event: item?.event, occurred_at: item?.occurred_at, data: item?.data };
  };

  const logged = async (event: string): Promise<IDataObject[]> =>
    (await site.client.get<{ items: IDataObject[] }>(`/events?event=${event}&per_page=200`)).body.items.map(
      ({ event, occurred_at, data }) => ({ event, occurred_at, data }) as IDataObject,
    );

  const documented = (event: string): unknown => {
    const { 'application/json': content } = site.client.document.webhooks[event]?.post.requestBody.content ?? {};
    return (content as unknown as { example: unknown }).example;
  };

  test.each(['order.created', 'order.status_changed', 'printer.print_finished'])(
    'shows the last %s of the account',
    async (event) => {
      const [last] = await logged(event);
      expect(last).toBeDefined();
      expect(await sampleOf({ events: [event] })).toEqual(last);
    },
  );

  test('shows the last of all chosen events that passes the filters', async () => {
    const all = (await Promise.all(['order.created', 'printer.print_finished'].map(logged))).flat();
    const fitting = all.filter(({ data }) => (data as IDataObject).printer_id === other.id);
    const [last] = fitting.sort((a, b) => String(b.occurred_at).localeCompare(String(a.occurred_at)));
    const events = ['order.created', 'printer.print_finished'];
    expect(await sampleOf({ events, filters: { printerIds: [other.id] } })).toEqual(last);
  });

  test('shows the documented example where there is no such event', async () => {
    const failed = (await logged('printer.print_failed')).map(({ data }) => (data as IDataObject).printer_id);
    const printers = (await site.client.get<{ items: IDataObject[] }>('/printers')).body.items.map(({ id }) => id);
    const printerIds = [printers.find((id) => !failed.includes(id))] as string[];
    const parameters = { events: ['printer.print_failed'], filters: { printerIds } };
    expect(await sampleOf(parameters)).toEqual(documented('printer.print_failed'));
  });

  test('shows the documented example where the log cannot be read', async () => {
    site.proxy.rule(({ path }) => (path === '/events' ? { status: 404, body: 'Not Found' } : 'forward'));
    expect(await sampleOf({ events: ['order.created'] })).toEqual(documented('order.created'));
  });

  test('is tried again until n8n has opened the test URL and stored the secret', async () => {
    const statuses = [404, 401, 200];
    const n8n = await startFakeServer((_seen, nth) => ({ status: statuses[nth - 1] ?? 500 }));
    try {
      const more = { webhookBaseUrl: n8n.origin };
      await farm.trigger({ events: ['order.created'] }, more).publish('manual');
      await expectSoon(() => n8n.seen.length, statuses.length);
      expect(pauses).toEqual(statuses.map(() => 500));
      expect(new Set(n8n.seen.map(({ raw }) => raw.toString())).size).toBe(1);
    } finally {
      await n8n.stop();
    }
  });

  test('waits for an event with Next Event', async () => {
    site.proxy.seen.length = 0;
    const trigger = await listen({ executeStep: 'next' });
    await trigger.delete('manual');
    expect(site.proxy.seen.map(({ path }) => path)).not.toContain('/events');
    expect(server.statuses).toEqual([]);
  });

  test('sends nothing when the workflow is published', async () => {
    site.proxy.seen.length = 0;
    const trigger = farm.trigger({ events: ['*'] }, { webhookBaseUrl: server.url });
    await trigger.publish();
    await trigger.delete();
    expect(site.proxy.seen.map(({ path }) => path)).not.toContain('/events');
  });

  test('accepts samples only in the editor', async () => {
    const sample = { ...envelopeOf('order.created', {}, '2020-01-01T00:00:00Z'), sample: true };
    expectIgnored(await send(make({ options: { runOnTest: true } }), sample));
    expect(expectRun(await send(make(), sample, {}, 'manual'))).toMatchObject({ sample: true });
    // what only looks like one is an event like others
    expectRefused(await send(make(), { ...sample, sample: 'true' }, {}, 'manual'));
  });
});

describe('filters', () => {
  const orderEvent = (more: IDataObject) => envelopeOf('order.status_changed', { id: UNKNOWN_ID, ...more });

  test('pass orders that now have one of the statuses', async () => {
    const trigger = make({ filters: { workflowStatus: ['printing', 'done'] } });
    for (const workflow_status of ['printing', 'done']) expectRun(await send(trigger, orderEvent({ workflow_status })));
    for (const workflow_status of ['confirmed', 'print_error', 'print', '', null, undefined])
      expectIgnored(await send(trigger, orderEvent({ workflow_status } as IDataObject)));
    expectRun(await send(trigger, envelopeOf('order.created', { workflow_status: 'done' })));
    expectIgnored(await send(trigger, envelopeOf('order.created', { workflow_status: 'negotiation' })));
  });

  test('pass events of the printer and those of orders assigned to it', async () => {
    const trigger = make({ filters: { printerIds: [printer.id as string] } });
    expectRun(await send(trigger, orderEvent({ printer_id: printer.id })));
    expectIgnored(await send(trigger, orderEvent({ printer_id: other.id })));
    expectIgnored(await send(trigger, orderEvent({ printer_id: null })));
    for (const event of ['printer.print_finished', 'printer.print_failed']) {
      expectRun(await send(trigger, envelopeOf(event, { printer_id: printer.id })));
      expectIgnored(await send(trigger, envelopeOf(event, { printer_id: other.id })));
      expectIgnored(await send(trigger, envelopeOf(event, {})));
    }
  });

  test('must all match, and events without the field pass', async () => {
    const trigger = make({ filters: { printerIds: [printer.id as string], workflowStatus: ['done'] } });
    expectRun(await send(trigger, orderEvent({ printer_id: printer.id, workflow_status: 'done' })));
    expectIgnored(await send(trigger, orderEvent({ printer_id: printer.id, workflow_status: 'printing' })));
    expectIgnored(await send(trigger, orderEvent({ printer_id: other.id, workflow_status: 'done' })));
    expectRun(await send(trigger, envelopeOf('printer.print_failed', { printer_id: printer.id })));
    for (const event of ['filament.low_stock', 'lead.created', 'invoice.paid'])
      expectRun(await send(trigger, envelopeOf(event, {})));
  });

  test('fetch nothing for filtered events', async () => {
    const trigger = make({ filters: { workflowStatus: ['done'] }, options: { fetchRecord: true } });
    expectIgnored(await send(trigger, orderEvent({ workflow_status: 'printing' })));
    expect(site.proxy.seen.length).toBe(0);
  });
});
