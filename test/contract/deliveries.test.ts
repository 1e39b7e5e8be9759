import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { eventually, expectSoon } from '../kit/eventually.ts';
import {
  type Attempt,
  about,
  expectProblem,
  type Listed,
  names,
  range,
  type Subscription,
  sequenceOf,
  startFarm,
  UNKNOWN_ID,
  UTC_TIME,
  UUID,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { isGenuine, type Received } from '../kit/receiver.ts';

interface Sequenced {
  sequence: number;
  delivery_id: string;
  status: string;
  error: string | null;
  event: { event: string; occurred_at: string };
}

const farm = forSuite(startFarm);
afterEach(() => farm.clear());

const requestTest = (path: string, options = {}) => farm.client.post<Attempt>(`${path}/test`, undefined, options);
const attempts = async (path: string) => (await farm.client.get<Listed<Attempt>>(`${path}/deliveries`)).body;
const eventsAfter = async (path: string, after: number | string, more = '') =>
  (await farm.client.get<Listed<Sequenced>>(`${path}/events?after=${after}${more}`)).body;

describe('POST /webhook-subscriptions/{id}/test', () => {
  test('returns the attempt of a receiver that answers 2xx', async () => {
    const subscription = await farm.subscription();
    const { status, body } = await requestTest(subscription.path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      event: 'webhook.test',
      status: 'succeeded',
      response_status: 204,
      error: null,
      sequence: 1,
    });
    expect([body.id, body.attempted_at]).toEqual([expect.stringMatching(UUID), expect.stringMatching(UTC_TIME)]);
    expect(subscription.received.map(({ headers }) => headers['x-svc-delivery'])).toEqual([body.id]);
    expect((await attempts(subscription.path)).items).toEqual([body]);
  });

  const answers: [string, (res: ServerResponse) => unknown, number | null, string][] = [
    ['500', (res) => res.writeHead(500).end('no'), 500, 'http_status'],
    ['404', (res) => res.writeHead(404).end(), 404, 'http_status'],
    ['410', (res) => res.writeHead(410).end(), 410, 'http_status'],
    ['a closed connection', (res) => res.destroy(), null, 'connection_reset'],
    ['what is not HTTP', (res) => res.socket?.end('hello\r\n\r\n'), null, 'invalid_response'],
  ];
  test.each(answers)(
    'returns the attempt of a receiver that answers %s',
    async (_what, answer, response_status, error) => {
      const subscription = await farm.subscription({ answer });
      const { status, body } = await requestTest(subscription.path);
      expect([status, body]).toEqual([200, expect.objectContaining({ status: 'failed', response_status, error })]);
      expect(subscription.received).toHaveLength(1);
      expect((await attempts(subscription.path)).items).toEqual([body]);
    },
  );

  test('returns the attempt at a refused port', async () => {
    const subscription = await farm.subscription();
    await subscription.stop();
    const { status, body } = await requestTest(subscription.path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', response_status: null, error: 'connection_refused' });
  });

  test('returns the attempt at an https URL without TLS', async () => {
    const subscription = await farm.subscription();
    await farm.client.put(subscription.path, { url: subscription.url.replace('http:', 'https:') });
    expect((await requestTest(subscription.path)).body).toMatchObject({ status: 'failed', error: 'tls_error' });
    expect(subscription.received).toEqual([]);
  });

  test.each([301, 302, 307, 308])('returns the attempt of a redirect %i, which isn’t followed', async (code) => {
    const target = await farm.subscription();
    const subscription = await farm.subscription({
      answer: (res) => res.writeHead(code, { Location: target.url }).end(),
    });
    const { body } = await requestTest(subscription.path);
    expect(body).toMatchObject({ status: 'failed', response_status: code, error: 'redirect' });
    await requestTest(target.path);
    expect(target.received.map((one) => one.body.data.subscription_id)).toEqual([target.id]);
  });

  test('sends one request for a repeated Idempotency-Key', async () => {
    const subscription = await farm.subscription();
    const options = { headers: { 'Idempotency-Key': `test ${subscription.id}` } };
    const [first, again] = [
      await requestTest(subscription.path, options),
      await requestTest(subscription.path, options),
    ];
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    await requestTest(subscription.path);
    expect(subscription.received.map(sequenceOf)).toEqual([1, 2]);
  });
});

describe('GET /webhook-subscriptions/{id}/deliveries', () => {
  test('returns exactly the last 20 attempts of the subscription, newest first, each with status, error and time', async () => {
    let code = 204;
    const subscription = await farm.subscription({ answer: (res) => res.writeHead(code).end() });
    const other = await farm.subscription();
    await requestTest(other.path);
    const made: Attempt[] = [];
    for (const n of range(23)) {
      code = n % 2 ? 204 : 503;
      made.push((await requestTest(subscription.path)).body);
    }
    const body = await attempts(subscription.path);
    expect(body).toEqual({ items: made.slice(-20).reverse(), total: 20, page: 1, per_page: 20 });
    expect(body.items.map(({ sequence }) => sequence)).toEqual(range(23).slice(-20).reverse());
    expect(new Set(body.items.map(({ status, error }) => `${status} ${error}`))).toEqual(
      new Set(['succeeded null', 'failed http_status']),
    );
    expect((await attempts(other.path)).total).toBe(1);
  });
});

describe('a subscription with a client_key', () => {
  let kept: { client_key: string; events: string[] };
  // what a test leaves behind can be continued, too
  beforeEach(() => {
    kept = { client_key: randomUUID(), events: ['order.created', 'order.status_changed'] };
  });
  const recreate = (url: string, more = {}) =>
    farm.client.post<Subscription>('/webhook-subscriptions', { url, ...kept, ...more });

  test('continues after its deletion, with what it missed as failed deliveries', async () => {
    const subscription = await farm.subscription(kept);
    const other = await farm.subscription({ events: ['order.created'] });
    const { id } = await farm.order();
    await subscription.until((all) => all.length === 1);
    await farm.client.delete(subscription.path);
    const missedOrder = await farm.order();
    await farm.setStatus(id, 'confirmed');
    await farm.filament();
    await farm.client.delete(`/print-jobs/${missedOrder.id}`);
    const again = await recreate(subscription.url, { events: ['order.status_changed'], name: 'New name' });
    expect([again.status, again.body]).toEqual([
      201,
      expect.objectContaining({
        id: subscription.id,
        client_key: kept.client_key,
        name: 'New name',
        url: subscription.url,
      }),
    ]);
    expect(again.body.secret).not.toBe(subscription.secret);
    await farm.setStatus(id, 'assigned');
    await subscription.until((all) => all.length === 2);
    expect(subscription.received.map(sequenceOf)).toEqual([1, 4]);
    expect(isGenuine(again.body.secret as string, subscription.received[1] as Received)).toBe(true);
    const all = (await eventsAfter(subscription.path, 0)).items;
    expect(all.map(({ sequence, error, event }) => [sequence, error, event.event])).toEqual([
      [1, null, 'order.created'],
      [2, 'unsubscribed', 'order.created'],
      [3, 'unsubscribed', 'order.status_changed'],
      [4, null, 'order.status_changed'],
    ]);
    expect((await eventsAfter(subscription.path, 0, '&missed=true')).items).toEqual(all.slice(1, 3));
    await expectSoon(async () => (await eventsAfter(other.path, 0)).total, 2);
    const resent = await farm.client.post<Attempt>(`${subscription.path}/deliveries/${all[1]?.delivery_id}/resend`);
    expect(resent.body).toMatchObject({ status: 'succeeded', sequence: 5 });
    expect((await eventsAfter(subscription.path, 0, '&missed=true')).items).toEqual([all[2]]);
  });

  test('keeps what it missed before, and what was pending, over several deletions', async () => {
    let release: (() => void) | undefined;
    const subscription = await farm.subscription({
      ...kept,
      answer: (res) => {
        release = () => res.writeHead(204).end();
      },
    });
    const { id } = await farm.order();
    await subscription.until((all) => all.length === 1);
    // waits for the first, which is about the same order
    await farm.setStatus(id, 'confirmed');
    await farm.client.delete(subscription.path);
    release?.();
    for (const status of ['assigned', 'printing', 'packing']) {
      await farm.setStatus(id, status);
      expect((await recreate(subscription.url, { enabled: false })).body.id).toBe(subscription.id);
      await farm.client.delete(subscription.path);
    }
    await recreate(subscription.url, { enabled: false });
    const { items } = await eventually(
      () => eventsAfter(subscription.path, 0),
      (all) => all.items[0]?.status !== 'sending',
    );
    expect(items.map(({ sequence, status, error }) => [sequence, status, error])).toEqual([
      [1, 'succeeded', null],
      ...[2, 3, 4, 5].map((sequence) => [sequence, 'failed', 'unsubscribed']),
    ]);
    expect(subscription.received).toHaveLength(1);
  });

  test('is not found while it is deleted, and shows nothing of its address', async () => {
    const subscription = await farm.subscription(kept);
    await farm.order();
    await subscription.until((all) => all.length === 1);
    const [attempt] = await subscription.untilRecorded(1);
    await farm.client.delete(subscription.path);
    for (const path of ['', '/deliveries', '/events'])
      expectProblem(await farm.client.get(`${subscription.path}${path}`), 404, 'not_found');
    for (const path of ['/test', '/secret', `/deliveries/${attempt?.id}/resend`])
      expectProblem(await farm.client.post(`${subscription.path}${path}`), 404, 'not_found');
    expectProblem(await farm.client.put(subscription.path, { enabled: true }), 404, 'not_found');
    expectProblem(await farm.client.delete(subscription.path), 404, 'not_found');
    expect((await farm.client.get<Listed<Subscription>>('/webhook-subscriptions')).body.total).toBe(0);
    await farm.order();
    expect(subscription.received).toHaveLength(1);
  });
});

describe('the health of a subscription', () => {
  const read = async (path: string) => {
    const { health, consecutive_failures, last_success_at, last_error } = (await farm.client.get<Subscription>(path))
      .body;
    return { health, consecutive_failures, last_success_at, last_error };
  };

  test('follows its attempts: failures are counted until one succeeds', async () => {
    let code = 404;
    const subscription = await farm.subscription({ answer: (res) => res.writeHead(code).end() });
    expect(await read(subscription.path)).toEqual({
      health: 'ok',
      consecutive_failures: 0,
      last_success_at: null,
      last_error: null,
    });
    for (const n of range(3)) {
      await requestTest(subscription.path);
      expect(await read(subscription.path)).toEqual({
        health: 'failing',
        consecutive_failures: n,
        last_success_at: null,
        last_error: 'http_status',
      });
    }
    code = 204;
    await requestTest(subscription.path);
    const healthy = await read(subscription.path);
    expect(healthy).toEqual({
      health: 'ok',
      consecutive_failures: 0,
      last_success_at: expect.stringMatching(UTC_TIME),
      last_error: null,
    });
    await subscription.stop();
    await requestTest(subscription.path);
    expect(await read(subscription.path)).toEqual({
      ...healthy,
      health: 'failing',
      consecutive_failures: 1,
      last_error: 'connection_refused',
    });
    const { items } = (await farm.client.get<Listed<Subscription>>('/webhook-subscriptions')).body;
    expect(items[0]).toMatchObject({ health: 'failing', consecutive_failures: 1 });
  });

  test('counts attempts that end together, and no delivery that was not attempted', async () => {
    const subscription = await farm.subscription({ answer: (res) => res.writeHead(500).end() });
    await Promise.all(range(12).map(() => farm.order()));
    await subscription.untilRecorded(12);
    expect(await read(subscription.path)).toMatchObject({ health: 'failing', consecutive_failures: 12 });
    await farm.client.put(subscription.path, { enabled: false });
    await farm.order();
    expect(await read(subscription.path)).toMatchObject({ consecutive_failures: 12, last_error: 'http_status' });
  });
});

describe('failed deliveries', () => {
  test('get exactly one request per event, and each attempt is recorded', async () => {
    const subscription = await farm.subscription({ answer: (res) => res.writeHead(500).end() });
    const { id } = await farm.order();
    for (const status of ['confirmed', 'assigned', 'printing', 'done']) await farm.setStatus(id, status);
    const items = await subscription.untilRecorded(5);
    expect(items.map(({ status, error, response_status }) => [status, error, response_status])).toEqual(
      Array(5).fill(['failed', 'http_status', 500]),
    );
    // the next event of the subscription has the next number, so nothing was sent in between
    const marker = await farm.subscription({ events: ['order.created'] });
    await farm.order();
    await marker.until((all) => all.length === 1);
    await requestTest(subscription.path);
    await subscription.until((all) => names(all).includes('order.created') && all.length >= 7);
    expect(about(subscription.received, id).map(({ body }) => body.data.workflow_status)).toEqual([
      'negotiation',
      'confirmed',
      'assigned',
      'printing',
      'done',
    ]);
    expect(subscription.received.map(sequenceOf).sort((a, b) => a - b)).toEqual(range(7));
    expect(new Set(subscription.received.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(7);
  });
});

describe('resend', () => {
  test('sends the same bytes with a new delivery ID and the next sequence number', async () => {
    const subscription = await farm.subscription();
    const { id } = await farm.order({ order_notes: 'ещё раз' });
    const [first] = await subscription.untilRecorded(1);
    await farm.setStatus(id, 'done');
    await subscription.untilRecorded(2);
    const { status, body } = await farm.client.post<Attempt>(`${subscription.path}/deliveries/${first?.id}/resend`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ event: 'order.created', status: 'succeeded', sequence: 3 });
    expect(body.id).not.toBe(first?.id);
    const [created, , resent] = subscription.received;
    expect(resent?.raw).toEqual(created?.raw);
    expect(resent?.headers['x-svc-delivery']).toBe(body.id);
    expect(isGenuine(subscription.secret, resent!)).toBe(true);
    const other = await farm.subscription();
    for (const [path, delivery] of [
      [subscription.path, UNKNOWN_ID],
      [subscription.path, 'x'],
      [other.path, first?.id],
    ])
      expectProblem(await farm.client.post(`${path}/deliveries/${delivery}/resend`), 404, 'not_found');
  });
});

test('counts an event as missed until a resend has arrived', async () => {
  let isUp = false;
  const subscription = await farm.subscription({ answer: (res) => res.writeHead(isUp ? 204 : 500).end() });
  await farm.order();
  const missed = async () => (await eventsAfter(subscription.path, 0, '&missed=true')).items;
  const [first] = await eventually(missed, (items) => items.length === 1);
  const resend = (id: string | undefined) => farm.client.post<Attempt>(`${subscription.path}/deliveries/${id}/resend`);
  const { body } = await resend(first?.delivery_id);
  expect((await missed()).map(({ delivery_id }) => delivery_id)).toEqual([body.id]);
  isUp = true;
  await resend(body.id);
  expect(await missed()).toEqual([]);
});

describe('POST /webhook-subscriptions/{id}/secret', () => {
  test('returns a new secret once, and the old one is invalid at once', async () => {
    const subscription = await farm.subscription();
    const headers = { 'Idempotency-Key': `secret ${subscription.id}` };
    const made = await farm.client.post<Subscription>(`${subscription.path}/secret`, undefined, { headers });
    const secret = made.body.secret as string;
    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(secret).toMatch(/^whsec_.{32,}$/);
    expect(secret).not.toBe(subscription.secret);
    const again = await farm.client.post<Subscription>(`${subscription.path}/secret`, undefined, { headers });
    expect([again.headers.get('idempotency-replayed'), again.body.secret]).toEqual(['true', undefined]);
    await farm.order();
    await requestTest(subscription.path);
    await subscription.until((all) => all.length === 2);
    for (const received of subscription.received)
      expect([isGenuine(secret, received), isGenuine(subscription.secret, received)]).toEqual([true, false]);
  });

  test('keeps the old secret valid for up to 168 hours if asked to', async () => {
    const { path } = await farm.subscription();
    const renew = (body?: unknown) =>
      farm.client.post<Subscription & { previous_secret_valid_until?: string }>(`${path}/secret`, body);
    for (const overlap_hours of [-1, 168.5, 169, '24', null])
      expectProblem(await renew({ overlap_hours }), 422, 'validation_error');
    for (const body of [undefined, {}, { overlap_hours: 0 }])
      expect((await renew(body)).body).not.toHaveProperty('previous_secret_valid_until');
    for (const overlap_hours of [1, 168]) {
      const { body, status } = await renew({ overlap_hours });
      expect([status, body.secret]).toEqual([200, expect.stringMatching(/^whsec_/)]);
      const until = Date.parse(String(body.previous_secret_valid_until));
      expect(until - Date.parse(String(body.updated_at))).toBe(overlap_hours * 3_600_000);
    }
  });
});

describe('X-Svc-Sequence', () => {
  test('numbers 30 events and the tests among them from 1 to 33, and GET …/events?after= returns each in order with its body', async () => {
    const arrives = (received: Received) => sequenceOf(received) % 2 === 1;
    const subscription = await farm.subscription({
      answer: (res, received) => res.writeHead(arrives(received) ? 204 : 500).end(),
    });
    const beside = await farm.subscription({ events: ['order.created'] });
    await Promise.all([...range(30).map(() => farm.order()), ...range(3).map(() => requestTest(subscription.path))]);
    await Promise.all([subscription.until((all) => all.length === 33), beside.until((all) => all.length === 30)]);
    expect(subscription.received.map(sequenceOf).sort((a, b) => a - b)).toEqual(range(33));
    expect(beside.received.map(sequenceOf).sort((a, b) => a - b)).toEqual(range(30));

    const all = await eventually(
      () => eventsAfter(subscription.path, 0),
      ({ items }) => items.every(({ status }) => status !== 'sending'),
    );
    expect(all.items.map(({ sequence }) => sequence)).toEqual(range(33));
    for (const received of subscription.received) {
      const item = all.items[sequenceOf(received) - 1];
      expect(item?.delivery_id).toBe(received.headers['x-svc-delivery']);
      expect(item?.event).toEqual(received.body);
      expect(item?.status).toBe(arrives(received) ? 'succeeded' : 'failed');
    }
    expect((await eventsAfter(subscription.path, 31)).items).toEqual(all.items.slice(31));
    expect(await eventsAfter(subscription.path, 33)).toMatchObject({ items: [], total: 0 });
    // a failed test doesn't count as missed
    const failed = all.items.filter(({ status, event }) => status === 'failed' && event.event !== 'webhook.test');
    const missed = () => eventsAfter(subscription.path, 0, '&missed=true&per_page=200');
    expect((await missed()).items).toEqual(failed);
    expect((await eventsAfter(subscription.path, 0, '&event=webhook.test')).total).toBe(3);
    const last = failed.at(-1)?.event.occurred_at as string;
    expect((await eventsAfter(subscription.path, 0, `&missed=true&occurred_since=${last}`)).items).toEqual(
      failed.filter(({ event }) => event.occurred_at >= last),
    );
    const page = await eventsAfter(subscription.path, 10, '&per_page=5&page=2');
    expect(page).toEqual({ items: all.items.slice(15, 20), total: 23, page: 2, per_page: 5 });
    for (const after of ['-1', 'x', '1.5', ''])
      expectProblem(await farm.client.get(`${subscription.path}/events?after=${after}`), 422, 'validation_error');
  });
});

describe('events selected by a subscription', () => {
  test('include filament.low_stock only if it is selected', async () => {
    const standard = await farm.subscription();
    const stock = await farm.subscription({ events: ['filament.low_stock'] });
    const spool = { spool_weight_grams: 100, spool_count: 1, low_stock_threshold_grams: 50 };
    const { id } = await farm.filament(spool);
    await farm.client.post(`/filaments/${id}/consume`, { grams: 60 });
    await stock.until((all) => all.length === 1);
    const marker = await farm.order();
    await standard.until((all) => about(all, marker.id).length === 1);
    expect([names(standard.received), standard.received.map(sequenceOf)]).toEqual([['order.created'], [1]]);
    await farm.client.put(standard.path, { events: ['filament.low_stock'] });
    await farm.setStatus(marker.id, 'done');
    const second = await farm.filament(spool);
    await farm.client.post(`/filaments/${second.id}/consume`, { grams: 60 });
    await standard.until((all) => all.length >= 2);
    expect([names(standard.received), standard.received.map(sequenceOf)]).toEqual([
      ['order.created', 'filament.low_stock'],
      [1, 2],
    ]);
  });

  test('aren’t sent with enabled=false, and pending ones are given up (channel_disabled)', async () => {
    let release: (() => void) | undefined;
    const subscription = await farm.subscription({
      answer: (res) => {
        if (release) res.writeHead(204).end();
        else release = () => res.writeHead(204).end();
      },
    });
    const { id } = await farm.order();
    await subscription.until((all) => all.length === 1);
    // both wait for the first, which is about the same order
    for (const status of ['confirmed', 'assigned']) await farm.setStatus(id, status);
    await farm.client.put(subscription.path, { enabled: false });
    expect((await attempts(subscription.path)).items.map(({ error, sequence }) => [error, sequence])).toEqual([
      ['channel_disabled', 3],
      ['channel_disabled', 2],
    ]);
    release?.();
    await farm.setStatus(id, 'printing');
    await farm.order();
    await farm.client.put(subscription.path, { enabled: true });
    await farm.setStatus(id, 'done');
    await subscription.until((all) => all.length >= 2);
    expect(subscription.received.map(({ body }) => body.data.workflow_status)).toEqual(['negotiation', 'done']);
    expect(subscription.received.map(sequenceOf)).toEqual([1, 4]);
    const made = await farm.subscription({ enabled: false });
    await farm.setStatus(id, 'closed');
    expect(await eventsAfter(made.path, 0)).toMatchObject({ items: [], total: 0 });
  });
});
