import { eventually } from '../kit/eventually.ts';
import { type Attempt, startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { isGenuine, type Received } from '../kit/receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const farm = forSuite(() => startFarm({ ACCESS_LOG_SAMPLE: '1' }));
afterEach(() => farm.clear());

const traced = (traceparent: string) => ({ headers: { traceparent } });

/** Checks that a request continues the trace, with its own parent ID. */
function expectContinued(received: Received | undefined, flags = '01'): void {
  const { traceparent, 'x-svc-delivery': delivery } = received?.headers ?? {};
  expect(traceparent).toBe(`00-${TRACE}-${String(delivery).replaceAll('-', '').slice(16)}-${flags}`);
}

/** What every request had before there were traces. */
const HEADERS = [
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-svc-delivery',
  'x-svc-event',
  'x-svc-sequence',
  'x-svc-signature',
];

function expectUntraced({ headers }: Received): void {
  expect(Object.keys(headers).sort()).toEqual(HEADERS);
}

test('each delivery of what a request causes continues its trace, outside the signature and the event', async () => {
  const [one, other] = [await farm.subscription(), await farm.subscription()];
  const { body: order } = await farm.createOrder({}, traced(SENT));
  await farm.client.put(`/print-jobs/${order.id}`, { workflow_status: 'done' }, traced(SENT));
  for (const subscription of [one, other]) {
    await subscription.until((all) => all.length === 2);
    for (const received of subscription.received) {
      expectContinued(received);
      expect(Object.keys(received.headers).sort()).toEqual([...HEADERS, 'traceparent'].sort());
      expect(isGenuine(subscription.secret, received)).toBe(true);
      expect(received.raw.toString('utf8')).not.toContain(TRACE);
    }
  }
  const parents = [one, other].flatMap(({ received }) => received.map(({ headers }) => headers.traceparent));
  expect(new Set(parents).size).toBe(4);
  const { body: feed } = await farm.client.get('/events');
  expect(JSON.stringify(feed)).not.toContain(TRACE);
});

test.each([
  ['an unsampled trace', SENT.replace(/01$/, '00'), '00'],
  ['a later version', `cc${SENT.slice(2)}-more`, '01'],
])('continues %s', async (_what, traceparent, flags) => {
  const subscription = await farm.subscription();
  await farm.createOrder({}, traced(traceparent));
  await subscription.until((all) => all.length === 1);
  expectContinued(subscription.received[0], flags);
});

test('without a valid traceparent, requests are as they were', async () => {
  const subscription = await farm.subscription();
  const invalid = [
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    SENT.toUpperCase(),
    `${SENT}-more`,
    `ff${SENT.slice(2)}`,
    'nonsense',
    '',
  ];
  await farm.createOrder();
  for (const traceparent of invalid) {
    const { status } = await farm.createOrder({}, traced(traceparent));
    expect(status).toBe(201);
  }
  await subscription.until((all) => all.length === invalid.length + 1);
  for (const received of subscription.received) expectUntraced(received);
});

test('chats get no trace', async () => {
  const subscription = await farm.subscription({ format: 'slack' });
  await farm.createOrder({}, traced(SENT));
  await subscription.until((all) => all.length === 1);
  expect(
    JSON.stringify(subscription.received.map(({ headers, raw }) => [headers, raw.toString('utf8')])),
  ).not.toContain(TRACE);
});

describe('the stock', () => {
  /** A filament that is low if 6 g less are left. */
  const nearlyLow = () =>
    farm.filament({ spool_weight_grams: 10, spool_count: 1, low_stock_threshold_grams: 5 }).then(({ id }) => id);

  test.each([
    ['a deduction', (id: string) => farm.client.post(`/filaments/${id}/consume`, { grams: 6 }, traced(SENT))],
    [
      'a stocktake',
      async (id: string) =>
        (await farm.console()).post(`/filaments/${id}/stocktake`, { remaining_grams: 4 }, traced(SENT)),
    ],
    [
      'a changed threshold',
      async (id: string) =>
        (await farm.console()).put(`/filaments/${id}`, { low_stock_threshold_grams: 10 }, traced(SENT)),
    ],
    [
      'an undone receipt',
      async (id: string) => {
        const { body } = await farm.client.get<{ items: { id: string }[] }>(`/filaments/${id}/ledger`);
        return (await farm.console()).post(`/filaments/${id}/ledger/${body.items[0]?.id}/undo`, {}, traced(SENT));
      },
    ],
  ])('filament.low_stock continues the trace of %s', async (_what, change) => {
    const subscription = await farm.subscription({ events: ['filament.low_stock'] });
    const { status } = await change(await nearlyLow());
    expect(status).toBe(200);
    await subscription.until((all) => all.length === 1);
    expectContinued(subscription.received[0]);
  });
});

test('the console API continues traces, too, and shows the header of an attempt', async () => {
  const owner = await farm.console();
  const subscription = await farm.subscription();
  await owner.post('/print-jobs', { model_name: 'Bracket' }, traced(SENT));
  await subscription.until((all) => all.length === 1);
  const [received] = subscription.received;
  expectContinued(received);
  const { body } = await owner.get<{ headers: Record<string, string> }>(
    `/deliveries/${received?.headers['x-svc-delivery']}`,
  );
  expect(body.headers.traceparent).toBe(received?.headers.traceparent);
});

test('a test continues the trace of its request, a resend that of its event', async () => {
  const subscription = await farm.subscription();
  const tested = await farm.client.post<Attempt>(`${subscription.path}/test`, undefined, traced(SENT));
  await farm.client.post(`${subscription.path}/deliveries/${tested.body.id}/resend`, undefined, {
    headers: { traceparent: SENT.replace(TRACE, '1'.repeat(32)) },
  });
  await farm.client.post(`${subscription.path}/deliveries/${tested.body.id}/resend`);
  expect(subscription.received).toHaveLength(3);
  for (const received of subscription.received) expectContinued(received);
  expect(new Set(subscription.received.map(({ headers }) => headers.traceparent)).size).toBe(3);
});

test('the lines of the request and of its deliveries name the trace', async () => {
  const trace = 'abcdef0123456789abcdef0123456789';
  await farm.subscription();
  const { headers } = await farm.createOrder({}, traced(SENT.replace(TRACE, trace)));
  const lines = await eventually(
    () =>
      farm.service.log
        .filter((line) => line.includes(trace))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ({ length }) => length === 2,
  );
  const byMessage = Object.fromEntries(lines.map((line) => [line.msg, line]));
  expect(byMessage).toMatchObject({
    'request ended': { trace_id: trace, request_id: headers.get('x-request-id'), status: 201 },
    'delivery ended': { trace_id: trace, status: 'succeeded' },
  });
});
