import {
  about,
  expectProblem,
  type Filament,
  farmIn,
  type Listed,
  names,
  type Order,
  sequenceOf,
  startFarm,
  UNKNOWN_ID,
  UTC_TIME,
  UUID,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { isGenuine, type Received } from '../kit/receiver.ts';

interface LoggedEvent {
  id: string;
  event: string;
  occurred_at: string;
  data: Record<string, unknown>;
}

const farm = forSuite(startFarm);

afterEach(() => farm.clear());

/** `data` of the order events (interface specification, Events). */
const ORDER_FIELDS = [
  'id',
  'model_name',
  'quantity_pieces',
  'material_name',
  'color_hex',
  'material_grams',
  'print_hours',
  'due_date',
  'order_notes',
  'workflow_status',
  'printer_id',
  'printer_name',
] as const;

const FULL = {
  model_name: 'Кронштейн 🖨️',
  quantity_pieces: 3,
  material_name: 'PETG',
  color_hex: '#1E90FF',
  material_grams: 45.125,
  print_hours: 1.5,
  due_date: '2030-01-31',
  order_notes: '"quoted" \\ \u2028 line',
  customer_name: 'not for receivers',
  price: 100,
  currency: 'EUR',
};

const sorted = (record: object) => Object.keys(record).sort();

/** What every event has in common. */
function expectEnvelope(received: Received, secret: string, event: string, fields: readonly string[]) {
  const { body, headers, raw } = received;
  expect(headers['content-type']).toBe('application/json');
  expect(headers['x-svc-event']).toBe(event);
  expect(headers['x-svc-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
  expect(isGenuine(secret, received)).toBe(true);
  expect(isGenuine(`${secret}x`, received)).toBe(false);
  expect(isGenuine(secret, { headers, raw: Buffer.concat([raw, Buffer.from(' ')]) })).toBe(false);
  expect(headers['x-svc-delivery']).toMatch(UUID);
  expect(headers['x-svc-sequence']).toMatch(/^[1-9]\d*$/);
  expect(sorted(body)).toEqual(['data', 'event', 'occurred_at']);
  expect(body.event).toBe(event);
  expect(body.occurred_at).toMatch(UTC_TIME);
  expect(sorted(body.data)).toEqual([...fields].sort());
  farm.client.checkPushed(event, body);
}

const view = (order: Order) => Object.fromEntries(ORDER_FIELDS.map((field) => [field, order[field]]));

const logOf = async (query = '') =>
  (await farm.client.get<Listed<LoggedEvent>>(`/events?per_page=200${query}`)).body.items;

/** The event log has exactly what was sent. */
async function expectLogged({ body }: Received) {
  const [newest] = await logOf();
  expect(newest).toEqual({ id: newest?.id, ...body });
}

describe('each event, end to end', () => {
  test('sends order.created when an order is created', async () => {
    const subscription = await farm.subscription({ events: ['order.created'] });
    const order = await farm.order(FULL);
    await subscription.until((all) => all.length === 1);
    const [received] = subscription.received as [Received];
    expectEnvelope(received, subscription.secret, 'order.created', ORDER_FIELDS);
    expect(received.body.data).toEqual(view(order));
    expect(received.body.occurred_at).toBe(order.created_at);
    await expectLogged(received);
  });

  test('sends order.status_changed for every change of workflow_status, with the new value', async () => {
    const printer = await farm.printer();
    const subscription = await farm.subscription({ events: ['order.status_changed'] });
    const { id } = await farm.order(FULL);
    const steps: [unknown, string][] = [
      ['assigned', 'assigned'],
      ['printing', 'printing'],
      ['typo', 'negotiation'],
    ];
    for (const [index, [sent, stored]] of steps.entries()) {
      const { body: order } = await farm.client.put<Order>(`/print-jobs/${id}`, {
        workflow_status: sent,
        printer_id: printer.id,
        quantity_pieces: index,
      });
      await subscription.until((all) => all.length === index + 1);
      const received = subscription.received[index] as Received;
      expectEnvelope(received, subscription.secret, 'order.status_changed', ORDER_FIELDS);
      expect(received.body.data).toEqual(view(order));
      expect(received.body.data).toMatchObject({ workflow_status: stored, printer_name: printer.name });
      expect(received.body.occurred_at).toBe(order.updated_at);
      await expectLogged(received);
    }
  });

  test('sends filament.low_stock when a filament falls to its low-stock threshold', async () => {
    const subscription = await farm.subscription({ events: ['filament.low_stock'] });
    const spool = { name: 'PETG «чёрный»', spool_weight_grams: 750, spool_count: 1, low_stock_threshold_grams: 100.5 };
    const { id } = await farm.filament(spool);
    const { body } = await farm.client.post<Filament & { updated_at: string }>(`/filaments/${id}/consume`, {
      grams: 649.625,
    });
    await subscription.until((all) => all.length === 1);
    const [received] = subscription.received as [Received];
    const fields = ['filament_id', 'name', 'remaining_grams', 'threshold_grams'];
    expectEnvelope(received, subscription.secret, 'filament.low_stock', fields);
    const data = { filament_id: id, name: spool.name, remaining_grams: 100.375, threshold_grams: 100.5 };
    expect(received.body).toEqual({ event: 'filament.low_stock', occurred_at: body.updated_at, data });
    await expectLogged(received);
  });

  test.each([
    ['printer.print_finished', 'finished'],
    ['printer.print_failed', 'failed'],
  ])('sends %s when the agent of a printer reports that a print %s', async (event, outcome) => {
    const printer = await farm.printer({ name: 'Анна «1»' });
    const agent = await farm.agent({ printer_id: printer.id, signed_only: true });
    const subscription = await farm.subscription({ events: [event] });
    const filename = 'Кронштейн \u{1F5A8} "2".gcode';
    const { status, body } = await agent.signed({ outcome, filename, at: '2026-11-21T12:30:00.5+03:00', grams: 5 });
    expect([status, body]).toEqual([201, expect.objectContaining({ outcome, filename })]);
    await subscription.until((all) => all.length === 1);
    const [received] = subscription.received as [Received];
    expectEnvelope(received, subscription.secret, event, ['printer_id', 'printer_name', 'filename', 'at']);
    const at = '2026-11-21T09:30:00.500Z';
    expect(received.body.data).toEqual({ printer_id: printer.id, printer_name: 'Анна «1»', filename, at });
    await expectLogged(received);
  });

  test('sends webhook.test on request without touching orders', async () => {
    const subscription = await farm.subscription({ events: ['order.created'] });
    const before = (await farm.client.get('/print-jobs?include_closed=true')).text;
    expect((await farm.client.post(`${subscription.path}/test`)).status).toBe(200);
    expect(subscription.received).toHaveLength(1);
    const [received] = subscription.received as [Received];
    expectEnvelope(received, subscription.secret, 'webhook.test', ['message', 'subscription_id']);
    expect(received.body.data).toEqual({ subscription_id: subscription.id, message: expect.any(String) });
    expect((await farm.client.get('/print-jobs?include_closed=true')).text).toBe(before);
    await expectLogged(received);
  });
});

describe('event data (interface specification, Events)', () => {
  const report = { printer_id: 'string', printer_name: 'string', filename: 'string', at: 'string' };
  const order = {
    id: 'string',
    model_name: 'string',
    quantity_pieces: 'integer',
    material_name: 'string',
    color_hex: 'string',
    material_grams: 'number',
    print_hours: 'number',
    due_date: 'string',
    order_notes: 'string',
    workflow_status: 'string',
    printer_id: 'string|null',
    printer_name: 'string|null',
  };
  const shapes: Record<string, Record<string, string>> = {
    'order.created': order,
    'order.status_changed': order,
    'printer.print_finished': report,
    'printer.print_failed': report,
    'filament.low_stock': {
      filament_id: 'string',
      name: 'string',
      remaining_grams: 'number',
      threshold_grams: 'number',
    },
    'lead.created': {
      lead_id: 'string',
      description: 'string',
      contact: 'string',
      client_email: 'string',
      budget: 'string',
      deadline: 'string',
      has_file: 'boolean',
      created_at: 'string',
    },
    'invoice.paid': {
      document_id: 'string',
      number: 'string',
      amount: 'number',
      paid_at: 'string',
      order_ids: 'array',
      needs_review: 'boolean',
    },
    'webhook.test': { subscription_id: 'string', message: 'string' },
  };

  interface Schema {
    $ref?: string;
    type?: string | string[];
    anyOf?: Schema[];
    properties?: Record<string, Schema>;
    required?: string[];
    additionalProperties?: boolean;
  }
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? (farm.client.document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema;
  const typeOf = ({ type, anyOf }: Schema): string => [type ?? anyOf?.map((one) => one.type)].flat(2).join('|');

  test.each(Object.entries(shapes))('has exactly the specified fields: %s', (event, fields) => {
    const { schema } = farm.client.document.webhooks[event]?.post.requestBody.content['application/json'] ?? {};
    const envelope = resolve(schema as Schema);
    const data = resolve(envelope.properties?.data as Schema);
    expect(sorted(envelope.properties ?? {})).toEqual(['data', 'event', 'occurred_at']);
    const types = Object.entries(data.properties ?? {}).map(([name, field]) => [name, typeOf(resolve(field))]);
    expect(Object.fromEntries(types)).toEqual(fields);
    for (const { properties, required, additionalProperties } of [envelope, data]) {
      expect([...(required ?? [])].sort()).toEqual(sorted(properties ?? {}));
      expect(additionalProperties).toBe(false);
    }
  });

  test('is sent for no other events', () => {
    expect(sorted(farm.client.document.webhooks)).toEqual(sorted(shapes));
  });
});

describe('changes without an event', () => {
  test('are other fields, the same status, a refused change and a deletion', async () => {
    const subscription = await farm.subscription();
    const { id } = await farm.order();
    const path = `/print-jobs/${id}`;
    await farm.client.put(path, { order_notes: 'x', quantity_pieces: 5 });
    await farm.client.put(path, { workflow_status: 'negotiation' });
    await farm.client.put(path, { workflow_status: 'done', quantity_pieces: 'x' });
    await farm.client.put(path, { workflow_status: 'done' }, { headers: { 'If-Match': '"0"' } });
    await farm.client.put(path, { workflow_status: 'nope' }, { headers: { Prefer: 'handling=strict' } });
    await farm.createOrder({ model_name: '' });
    await farm.setStatus(id, 'confirmed');
    await farm.client.delete(path);
    const marker = await farm.order();
    await subscription.until((all) => all.length === 3);
    expect(names(about(subscription.received, id))).toEqual(['order.created', 'order.status_changed']);
    expect(names(about(subscription.received, marker.id))).toEqual(['order.created']);
    expect(subscription.received.map(sequenceOf).sort()).toEqual([1, 2, 3]);
    expect((await logOf()).slice(0, 3).map(({ data }) => data.id)).toEqual([marker.id, id, id]);
  });
});

describe('GET /events', () => {
  test('lists all events newest first, filtered by event=…', async () => {
    const first = await farm.order();
    await farm.setStatus(first.id, 'done');
    const second = await farm.order();
    const items = await logOf();
    expect(items.slice(0, 3).map(({ event, data }) => [event, data.id])).toEqual([
      ['order.created', second.id],
      ['order.status_changed', first.id],
      ['order.created', first.id],
    ]);
    expect(await logOf('&event=order.created')).toEqual(items.filter(({ event }) => event === 'order.created'));
    const page = await farm.client.get<Listed<LoggedEvent>>('/events?per_page=2&page=2');
    expect(page.body).toEqual({ items: items.slice(2, 4), total: items.length, page: 2, per_page: 2 });
    const oldestFirst = await farm.client.get<Listed<LoggedEvent>>('/events?per_page=200&sort=occurred_at');
    expect(oldestFirst.body.items).toEqual([...items].reverse());
    const since = items[2]?.occurred_at as string;
    expect(await logOf(`&occurred_since=${since}`)).toEqual(items.filter(({ occurred_at }) => occurred_at >= since));
    expect(await logOf('&occurred_since=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await logOf(`&from=${items[2]?.id}`)).toEqual(items.slice(0, 3));
    expect(await logOf(`&from=${items[2]?.id}&sort=occurred_at`)).toEqual(items.slice(0, 3).reverse());
    expect(await logOf(`&from=${items[2]?.id}&event=order.status_changed`)).toEqual(items.slice(1, 2));
    const stranger = await farmIn(farm.service, farm.file);
    const theirs = `/events?from=${items[0]?.id}`;
    expectProblem(await stranger.client.get(theirs), 422, 'validation_error');
    await stranger.close();
    for (const query of [
      'from=1',
      `from=${UNKNOWN_ID}`,
      'occurred_since=yesterday',
      'sort=created_at',
      'event=order.deleted',
      'page=0',
      'per_page=201',
      'name=x',
    ])
      expectProblem(await farm.client.get(`/events?${query}`), 422, 'validation_error');
  });
});
