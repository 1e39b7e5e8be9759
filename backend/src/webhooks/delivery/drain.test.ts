import { startStopwatch } from '../../../../common/src/clock.ts';
import { createSecretBox } from '../../../../common/src/crypto.ts';
import { eventually, expectSoon, settle } from '../../../../test/kit/eventually.ts';
import { createFakeServer, type Sent, SUCCESS } from '../../../../test/kit/fake-sender.ts';
import { createTestLogger } from '../../../../test/kit/logger.ts';
import { forTest } from '../../../../test/kit/opened.ts';
import { createTestFolder, insertTestAccount, openTestStorage, whileUnusable } from '../../../../test/kit/storage.ts';
import { createSubscriptions, secretBox } from '../../../../test/kit/subscriptions.ts';
import type { DrainControl } from '../../shared/drain-control.ts';
import { query } from '../../storage/dialect.ts';
import { sign } from '../formats/signed.ts';
import { createSecret, previousSecretContext, secretContext } from '../subscriptions/subscription.ts';
import { keepSecret, updateSubscription } from '../subscriptions/subscription-store.ts';
import type { AttemptOutcome, DeliveryMetrics } from './attempt.ts';
import { interrupt } from './delivery-store.ts';
import { createDrain, type Drain } from './drain.ts';
import type { RenderedRequest } from './render.ts';

const START = Date.UTC(2026, 10, 21);
const HOUR_MS = 60 * 60 * 1000;
const REFUSED: AttemptOutcome = { status: 'failed', responseStatus: null, error: 'connection_refused', durationMs: 3 };

const folder = forTest(createTestFolder);
const storage = forTest(() => openTestStorage(folder.path('farm.sqlite3')));
let now: number;
let subscriptions: ReturnType<typeof createSubscriptions>;
let subscription: string;
let far: ReturnType<typeof createFakeServer>;
let lines: { level: number; msg: string }[];
let drain: Drain;

const create = (box = secretBox, metrics?: DeliveryMetrics) => {
  const log = createTestLogger();
  lines = log.lines;
  return createDrain({
    storage,
    databaseClock: () => String(now),
    stopwatch: () =>
      startStopwatch(
        () => now,
        () => now,
      ),
    sender: far.sender,
    secretBox: box,
    worker: 'this worker',
    logger: log.logger,
    metrics,
    publishChange: () => undefined,
  });
};

beforeEach(async () => {
  now = START;
  subscriptions = createSubscriptions(storage, await insertTestAccount(storage), () => now);
  subscription = await subscriptions.create();
  far = createFakeServer();
  drain = create();
});

afterEach(() => expect(far.connections.closed).toBe(far.connections.opened));

const never: DrainControl = { stopping: () => false, nextWake: () => new Promise(() => undefined) };
const texts = () => far.sent.map(({ text }) => text);

async function emitMany(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `order ${index}`);
  for (const name of names) await subscriptions.emit(name, name);
  return names;
}

test('sends each pending delivery once with the subscription settings and records its outcome', async () => {
  await emitMany(2);
  far.answerAll();
  await drain(subscription, never);
  const rows = await subscriptions.deliveries(subscription);
  expect(rows).toMatchObject([
    { state: 'succeeded', response_status: 204, error: null, duration_ms: 12, attempted_at: START, sequence: 1 },
    { state: 'succeeded', response_status: 204, error: null, duration_ms: 12, attempted_at: START, sequence: 2 },
  ]);
  const [{ request }] = far.sent as [Sent];
  expect(request.url).toBe('http://127.0.0.1:9/hook');
  expect(request.headers).toMatchObject({
    'X-Svc-Event': 'order.status_changed',
    'X-Svc-Delivery': rows[0]!.id,
    'X-Svc-Signature': sign('whsec_test', request.body),
  });
  await drain(subscription, never);
  expect(far.sent).toHaveLength(2);
});

test('signs with the secret that was replaced until its time, then with the new one alone', async () => {
  const [before, after] = [createSecret(), createSecret()];
  const until = now + 5_000;
  const encrypted = secretBox.encrypt(before, previousSecretContext(subscription));
  await keepSecret(storage.writer, subscription, { encrypted, until });
  const encryptedSecret = secretBox.encrypt(after, secretContext(subscription));
  await updateSubscription(storage.writer, subscription, { encryptedSecret }, now);
  far.answerAll();
  for (const at of [until - 1, until]) {
    now = at;
    await emitMany(1);
    await drain(subscription, never);
  }
  const [during, ended] = far.sent.map(({ request }) => request) as [RenderedRequest, RenderedRequest];
  expect(during.headers['X-Svc-Signature']).toBe(sign(before, during.body));
  expect(ended.headers['X-Svc-Signature']).toBe(sign(after, ended.body));
  const count = ({ headers }: RenderedRequest) => headers['webhook-signature']?.split(' ').length;
  expect([during, ended].map(count)).toEqual([2, 1]);
});

test('records a failure without retrying', async () => {
  await emitMany(1);
  far.answerAll(REFUSED);
  await drain(subscription, never);
  await drain(subscription, never);
  expect(far.sent).toHaveLength(1);
  expect(await subscriptions.deliveries(subscription)).toMatchObject([
    { state: 'failed', error: 'connection_refused' },
  ]);
});

test('keeps at most four requests in flight across processes', async () => {
  const names = await emitMany(15);
  const first = drain(subscription, never);
  await expectSoon(() => far.open.length, 4);
  // a second drain of the same subscription, as another process would run it, finds no capacity
  await create()(subscription, never);
  expect(far.open).toHaveLength(4);
  // when one ends, the next starts
  far.open[2]!.answer();
  await expectSoon(() => far.sent.length, 5);
  expect(far.open).toHaveLength(4);
  far.answerAll();
  await first;
  expect(far.most).toBe(4);
  expect(texts()).toEqual(names);
});

test('processes that claim concurrently share the four slots without gaps in the sequence', async () => {
  const together = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 6 }, work));
  // open all connections beforehand: otherwise the drains would wait for them one by one
  await together(() => query(storage.read, 'SELECT 1'));
  far.onSend = () => settle();
  far.answerAll();
  for (let round = 0; round < 5; round++) {
    await emitMany(8);
    await together(() => create()(subscription, never));
  }
  expect(far.most).toBe(4);
  expect(far.sent.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
});

test('uses free slots for new deliveries when the subscription is woken while a request hangs', async () => {
  let wake: () => void = () => undefined;
  const control: DrainControl = {
    ...never,
    nextWake: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
  };
  await subscriptions.emit('slow order', 'slow');
  const run = drain(subscription, control);
  await eventually(texts, (all) => all.length === 1);
  await subscriptions.emit('another order', 'second');
  await subscriptions.emit('slow order', 'waits for its own');
  wake();
  await eventually(texts, (all) => all.length === 2);
  await subscriptions.emit('third order', 'third');
  wake();
  await eventually(texts, (all) => all.length === 3);
  far.answerAll();
  await run;
  expect(texts()).toEqual(['slow', 'second', 'third', 'waits for its own']);
});

test('sends events of one subject one at a time in commit order while other subjects overtake them', async () => {
  for (let round = 0; round < 6; round++) {
    for (const subject of ['a', 'b', 'c']) await subscriptions.emit(subject, `${subject}${round}`);
  }
  const underWay: string[] = [];
  const twice: string[] = [];
  far.onSend = async ({ text }) => {
    const subject = text.slice(0, 1);
    if (underWay.includes(subject)) twice.push(text);
    underWay.push(subject);
    await settle();
    // the first request is slow: the other subjects overtake it
    if (text === 'a0') await eventually(texts, (all) => all.includes('b5') && all.includes('c5'));
    underWay.splice(underWay.indexOf(subject), 1);
  };
  far.answering = SUCCESS;
  await drain(subscription, never);
  expect(twice).toEqual([]);
  for (const subject of ['a', 'b', 'c']) {
    const own = texts().filter((text) => text.startsWith(subject));
    expect(own).toEqual(Array.from({ length: 6 }, (_, round) => `${subject}${round}`));
  }
});

test('sends tests and resends first', async () => {
  await emitMany(8);
  await subscriptions.emitUrgent(subscription, 'test:1', 'urgent');
  far.answerAll();
  await drain(subscription, never);
  expect(texts()[0]).toBe('urgent');
  expect(far.sent[0]!.sequence).toBe(1);
  expect(texts().slice(1)).toEqual(Array.from({ length: 8 }, (_, index) => `order ${index}`));
});

test('assigns sequences without gaps, in claim order', async () => {
  await emitMany(11);
  await subscriptions.emitUrgent(subscription, 'test:1', 'urgent');
  far.answerAll();
  await drain(subscription, never);
  await emitMany(5);
  await drain(subscription, never);
  const numbers = Array.from({ length: 17 }, (_, index) => index + 1);
  expect(far.sent.map(({ sequence }) => sequence)).toEqual(numbers);
  const stored = (await subscriptions.deliveries(subscription)).map(({ sequence }) => sequence as number);
  expect(stored.toSorted((a, b) => a - b)).toEqual(numbers);
  expect(await subscriptions.lastSequence(subscription)).toBe(17);
});

test('counts the sequence per subscription', async () => {
  const other = await subscriptions.create();
  await emitMany(3);
  far.answerAll();
  await Promise.all([drain(subscription, never), drain(other, never)]);
  for (const id of [subscription, other]) {
    expect((await subscriptions.deliveries(id)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  }
});

test('commits `sending` before sending', async () => {
  await emitMany(6);
  const seen: unknown[] = [];
  const other = await openTestStorage(storage.file);
  far.onSend = async ({ request }) => {
    const id = request.headers['X-Svc-Delivery'] as string;
    seen.push(
      ...(await query(other.read, 'SELECT state, claimed_by, claimed_until FROM deliveries WHERE id = ?', [id])),
    );
  };
  far.answering = SUCCESS;
  await drain(subscription, never);
  await other.close();
  const claim = { state: 'sending', claimed_by: 'this worker', claimed_until: START + 14_000 };
  expect(seen).toEqual(Array.from({ length: 6 }, () => claim));
});

test('expires deliveries older than an hour with a sequence and sends the rest', async () => {
  await subscriptions.emit('old 1', 'old 1');
  await subscriptions.emit('old 2', 'old 2');
  now += 1;
  await subscriptions.emit('just in time', 'just in time');
  now += HOUR_MS;
  await subscriptions.emit('new', 'new');
  far.answerAll();
  await drain(subscription, never);
  expect(texts()).toEqual(['just in time', 'new']);
  expect(far.sent.map(({ sequence }) => sequence)).toEqual([3, 4]);
  expect(await subscriptions.deliveries(subscription)).toMatchObject([
    { state: 'failed', error: 'expired', sequence: 1, attempted_at: now, duration_ms: 0 },
    { state: 'failed', error: 'expired', sequence: 2 },
    { state: 'succeeded', sequence: 3 },
    { state: 'succeeded', sequence: 4 },
  ]);
});

test('a long queue of expired deliveries does not delay newer ones', async () => {
  await emitMany(100);
  now += 2 * HOUR_MS;
  await subscriptions.emit('new', 'new');
  far.answerAll();
  await drain(subscription, never);
  expect(texts()).toEqual(['new']);
  expect(far.sent[0]!.sequence).toBe(101);
});

test('does not overwrite what another process recorded', async () => {
  await emitMany(2);
  const run = drain(subscription, never);
  await expectSoon(() => far.open.length, 2);
  // as the sweep of another process would, if this one was suspended past its claim
  await storage.inTransaction(({ db }) => interrupt(db, 'this worker', 'all', String(now + 20_000)));
  far.answerAll();
  await run;
  const interrupted = { state: 'failed', error: 'interrupted', response_status: null, duration_ms: 20_000 };
  expect(await subscriptions.deliveries(subscription)).toMatchObject([interrupted, interrupted]);
});

test('sends a claimed delivery only while its claim is valid', async () => {
  await emitMany(1);
  const job = drain(subscription, never);
  await expectSoon(() => far.sent.length, 1);
  const [{ mayBegin }] = far.sent as [Sent];
  const [row] = await subscriptions.deliveries(subscription);
  now = Number(row!.claimed_until) - 1;
  expect(mayBegin()).toBe(true);
  now += 1;
  expect(mayBegin()).toBe(false);
  far.answerAll();
  await job;
});

test('measures the time from the commit to the first byte, in the time of the database and then of its own claim', async () => {
  const observed: number[] = [];
  const none = () => undefined;
  const metrics = { countEnded: none, observeDuration: none, countSentAgain: none, countLate: none };
  await emitMany(1);
  now += 250;
  const job = create(secretBox, { ...metrics, observeFirstByte: (ms) => void observed.push(ms) })(subscription, never);
  await expectSoon(() => far.sent.length, 1);
  const [{ mayBegin }] = far.sent as [Sent];
  expect(observed).toEqual([]);
  // connecting took this long
  now += 40;
  expect(mayBegin()).toBe(true);
  now += 14_000;
  expect(mayBegin()).toBe(false);
  expect(observed).toEqual([290]);
  far.answerAll();
  await job;
});

test('claims nothing more when stopping, and records the requests in flight', async () => {
  await emitMany(10);
  let stopping = false;
  const run = drain(subscription, { ...never, stopping: () => stopping });
  await expectSoon(() => far.open.length, 4);
  stopping = true;
  far.answerAll();
  await run;
  expect(far.sent).toHaveLength(4);
  const states = (await subscriptions.deliveries(subscription)).map(({ state }) => state);
  expect(states).toEqual([...Array<string>(4).fill('succeeded'), ...Array<string>(6).fill('pending')]);
  expect(await subscriptions.lastSequence(subscription)).toBe(4);
});

test('picks up an event that arrives while it runs', async () => {
  await emitMany(1);
  const run = drain(subscription, never);
  await expectSoon(() => far.open.length, 1);
  await subscriptions.emit('late', 'late');
  far.answerAll();
  await run;
  expect(texts()).toEqual(['order 0', 'late']);
});

test('does not lose an outcome when the database is briefly unavailable', async () => {
  await emitMany(1);
  const run = drain(subscription, never);
  await expectSoon(() => far.open.length, 1);
  await whileUnusable(storage, async () => {
    far.answerAll();
    await eventually(
      () => lines.length,
      (count) => count >= 1,
    );
  });
  await run;
  expect(await subscriptions.deliveries(subscription)).toMatchObject([{ state: 'succeeded', response_status: 204 }]);
  expect(far.sent).toHaveLength(1);
});

test('sends nothing with a different secret key and fails every delivery', async () => {
  await emitMany(5);
  await create(createSecretBox('another key that is long enough'))(subscription, never);
  expect(far.sent).toEqual([]);
  expect((await subscriptions.deliveries(subscription)).map(({ state }) => state)).toEqual(Array(5).fill('failed'));
  expect(lines).toHaveLength(5);
  expect(JSON.stringify(lines)).not.toContain('whsec');
});

test('ends immediately for a deleted subscription and for one without pending deliveries', async () => {
  await drain('nowhere', never);
  await drain(subscription, never);
  expect(far.sent).toEqual([]);
});
