import { createFakeServer, SUCCESS } from '../../../../test/kit/fake-sender.ts';
import { createTestLogger } from '../../../../test/kit/logger.ts';
import { forTest } from '../../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../../test/kit/storage.ts';
import { createSubscriptions, secretBox } from '../../../../test/kit/subscriptions.ts';
import { lockAccount } from '../../accounts/account-store.ts';
import type { Actor } from '../../accounts/token.ts';
import { insertEvent } from '../../events/event-store.ts';
import type { DrainControl } from '../../shared/drain-control.ts';
import { query } from '../../storage/dialect.ts';
import { createWithIdempotency } from '../../storage/idempotency/with-idempotency.ts';
import { createWebhookService } from '../subscriptions/subscription-service.ts';
import type { AttemptOutcome } from './attempt.ts';
import { createDrain } from './drain.ts';
import { createGuard } from './guard.ts';
import { createSweep } from './sweep.ts';

const URL_WITH_SECRET = 'http://127.0.0.1:9/hook?key=hidden-in-the-url';
const FAILURE: AttemptOutcome = { status: 'failed', responseStatus: 500, error: 'http_status', durationMs: 3 };
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const NOT_SENT = { status: 'failed', response_status: null };
const never: DrainControl = { stopping: () => false, nextWake: () => new Promise(() => undefined) };

const storage = forTest(openTestStorage);
let accountId: string;
let subscription: string;
let now: number;
let subscriptions: ReturnType<typeof createSubscriptions>;
let far: ReturnType<typeof createFakeServer>;
let log: ReturnType<typeof createTestLogger>;

beforeEach(async () => {
  accountId = await insertTestAccount(storage);
  now = Date.UTC(2026, 10, 21);
  subscriptions = createSubscriptions(storage, accountId, () => now);
  subscription = await subscriptions.create(URL_WITH_SECRET);
  far = createFakeServer();
  log = createTestLogger('info');
});

const deps = () => ({
  storage,
  clock: () => now,
  databaseClock: () => String(now),
  secretBox,
  worker: 'this worker',
  logger: log.logger,
  publishChange: () => undefined,
});
const drain = () => createDrain({ ...deps(), sender: far.sender })(subscription, never);

const endLines = () => log.lines.filter(({ msg }) => msg === 'delivery ended');

/** What the line of each delivery must name, in the order in which the deliveries were committed. */
async function expectLines(expected: object[]): Promise<void> {
  const rows = await query<{ delivery_id: string; event_id: string }>(
    storage.read,
    'SELECT d.id AS delivery_id, e.id AS event_id FROM deliveries d JOIN events e ON e.seq = d.event_seq ORDER BY d.seq',
  );
  const lines = rows.map((ids, index) => ({ level: 30, subscription_id: subscription, ...ids, ...expected[index] }));
  expect(endLines()).toHaveLength(lines.length);
  expect(endLines()).toEqual(expect.arrayContaining(lines.map((line) => expect.objectContaining(line))));
}

test('each attempt writes one line with its decision, without the URL and the secret of its subscription', async () => {
  await subscriptions.emit('a', 'a');
  far.answerAll(SUCCESS);
  await drain();
  await subscriptions.emit('b', 'b', TRACEPARENT);
  far.answerAll(FAILURE);
  await drain();
  await subscriptions.emit('c', 'c');
  far.answerAll({ ...SUCCESS, responseCut: 'timeout' });
  await drain();
  await expectLines([
    { status: 'succeeded', response_status: 204, error: null, duration_ms: 12 },
    { status: 'failed', response_status: 500, error: 'http_status', duration_ms: 3, trace_id: TRACE_ID },
    { status: 'succeeded', response_status: 204, error: null, response_cut: 'timeout' },
  ]);
  // the line has no field for a trace that there is not, nor for a response that arrived completely
  expect(endLines().map((line) => ['trace_id' in line, 'response_cut' in line])).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
  expect(JSON.stringify(log.lines)).not.toMatch(/hidden-in-the-url|whsec|127\.0\.0\.1/);
});

test('a delivery that expired writes one line', async () => {
  await subscriptions.emit('a', 'a', TRACEPARENT);
  now += 60 * 60 * 1000 + 1;
  await drain();
  await drain();
  await expectLines([{ ...NOT_SENT, error: 'expired', duration_ms: 0, trace_id: TRACE_ID }]);
});

test('a delivery of a subscription that was turned off writes one line', async () => {
  const webhooks = createWebhookService({
    ...deps(),
    withIdempotency: createWithIdempotency({ storage, clock: () => now }),
    guard: createGuard({ allowedHosts: 'loopback', signUp: 'closed', ownServices: [] }),
    wake: () => undefined,
    accounts: { lockAccount },
    events: { insertEvent },
    printers: { listExisting: async () => [] },
    findMaterials: async () => [],
  });
  await subscriptions.emit('a', 'a', TRACEPARENT);
  await subscriptions.emit('a', 'b', TRACEPARENT);
  await webhooks.update({ accountId } as Actor, subscription, { enabled: false });
  await drain();
  const cancelled = { ...NOT_SENT, error: 'channel_disabled', duration_ms: 0, trace_id: TRACE_ID };
  await expectLines([cancelled, cancelled]);
});

test('an interrupted delivery writes one line; its late outcome is a warning', async () => {
  await subscriptions.emit('a', 'a', TRACEPARENT);
  far.onSend = async () => {
    now += 20_000;
    await createSweep(deps())();
    far.answerAll();
  };
  await drain();
  await expectLines([{ ...NOT_SENT, error: 'interrupted', duration_ms: 20_000, trace_id: TRACE_ID }]);
  const [row] = await subscriptions.deliveries(subscription);
  expect(log.lines.filter(({ level }) => level === 40)).toEqual([
    expect.objectContaining({ worker: 'this worker', attempts: 1 }),
    expect.objectContaining({ delivery_ids: [row?.id] }),
  ]);
});

test('a subscription that keeps failing writes a warning at 10, 50 and 100 failures in a row, once each', async () => {
  const emit = async (from: number, to: number) => {
    for (let number = from; number <= to; number++) await subscriptions.emit(`order:${number}`, `${number}`);
  };
  await emit(1, 9);
  far.answerAll(FAILURE);
  await drain();
  expect(log.lines.filter(({ level }) => level === 40)).toEqual([]);
  await emit(10, 110);
  await drain();
  const warning = (place: number) =>
    expect.objectContaining({
      msg: 'a subscription keeps failing',
      subscription_id: subscription,
      consecutive_failures: place,
      event: 'order.status_changed',
      subject: expect.stringMatching(/^order:\d+$/),
      error: 'http_status',
      response_status: 500,
    });
  const warnings = () => log.lines.filter(({ level }) => level === 40);
  expect(warnings()).toEqual([10, 50, 100].map(warning));
  // counted again after a success
  await emit(111, 111);
  far.answerAll(SUCCESS);
  await drain();
  await emit(112, 121);
  far.answerAll(FAILURE);
  await drain();
  expect(warnings()).toEqual([10, 50, 100, 10].map(warning));
});

test('a subscription that is paused writes one line', async () => {
  await query(storage.writer, 'UPDATE subscriptions SET pause_after_failures = 2', []);
  for (const subject of ['a', 'b', 'c', 'd', 'e', 'f']) await subscriptions.emit('order:1', subject);
  far.answerAll(FAILURE);
  await drain();
  expect(log.lines.filter(({ level }) => level === 40)).toEqual([
    expect.objectContaining({ msg: 'a subscription was paused', subscription_id: subscription, subject: 'order:1' }),
  ]);
  expect(far.sent).toHaveLength(2);
  const failed = { ...NOT_SENT, error: 'channel_disabled' };
  await expectLines([{ error: 'http_status' }, { error: 'http_status' }, ...Array.from({ length: 4 }, () => failed)]);
});
