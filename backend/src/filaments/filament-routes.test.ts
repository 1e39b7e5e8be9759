import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import type { Actor } from '../accounts/token.ts';
import { createApi } from '../http/api.ts';
import { newId } from '../shared/ids.ts';
import type { IdempotencyRequest } from '../storage/idempotency/with-idempotency.ts';
import { filamentRoutes } from './filament-routes.ts';
import type { Consumption } from './filament-schema.ts';
import type { FilamentService } from './filament-service.ts';

// in the names of tests, which are the same in each run
const id = '0198c0de-0000-7000-8000-000000000001';
const calls: { use: Consumption; idempotency: IdempotencyRequest | undefined }[] = [];
const received: unknown[] = [];
let server: Server;
let base: string;

beforeAll((done) => {
  // these tests check how requests are parsed, with a service that only records its arguments
  const service = {
    consume: async (_actor: Actor, _id: string, use: Consumption, idempotency: IdempotencyRequest | undefined) => {
      calls.push({ use, idempotency });
      return { result: { id }, replayed: calls.length > 1 };
    },
    create: async (_actor: Actor, input: unknown) => {
      received.push(input);
      return { result: { id }, replayed: false };
    },
    addBatch: async (_actor: Actor, _id: string, input: unknown) => {
      received.push(input);
      return { result: { id }, replayed: false };
    },
    list: async (_accountId: string, filter: unknown) => {
      received.push(filter);
      return { items: [], total: 0 };
    },
  };
  const api = createApi({
    routes: filamentRoutes(service as unknown as FilamentService),
    authenticate: async () => ({ accountId: newId() }) as Actor,
    rateLimit: undefined,
    failedAuthLimit: undefined,
    stopping: new AbortController().signal,
    logger: pino({ level: 'silent' }),
  });
  server = express()
    .set('query parser', 'simple')
    .use('/api/v1', api)
    .listen(0, '127.0.0.1', () => {
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
      done();
    });
});
afterAll((done) => void server.close(done));
beforeEach(() => {
  calls.length = 0;
  received.length = 0;
});

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(base + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { errors?: { pointer: string }[] },
  };
}
const consume = (body: unknown, headers?: Record<string, string>) =>
  send('POST', `/filaments/${id}/consume`, body, headers);

test.each([
  [{}, '/grams'],
  [{ grams: 1, use_weight: 1 }, '/use_weight'],
  [{ grams: 0 }, '/grams'],
  [{ grams: -1 }, '/grams'],
  [{ grams: 1_000_000.001 }, '/grams'],
  [{ grams: 0.0001 }, '/grams'],
  [{ grams: 1_000_000.0005 }, '/grams'],
  [{ grams: '5' }, '/grams'],
  [{ grams: true }, '/grams'],
  [{ grams: null }, '/grams'],
  [{ use_weight: 0 }, '/use_weight'],
  [{ grams: 1, note: 'x'.repeat(501) }, '/note'],
  [{ grams: 1, order_id: 'no id' }, '/order_id'],
  [{ grams: 1, allow_overdraw: 'yes' }, '/allow_overdraw'],
  [{ grams: 1, idempotency_key: '' }, '/idempotency_key'],
  [{ grams: 1, idempotency_key: 'x'.repeat(129) }, '/idempotency_key'],
  [[], ''],
])('consume refuses %j', async (body, pointer) => {
  const answer = await consume(body);
  expect(answer.status).toBe(422);
  expect(new Set(answer.body.errors?.map((fault) => fault.pointer))).toEqual(new Set([pointer]));
  expect(calls).toEqual([]);
});

test('consume accepts grams or use_weight, and all other fields', async () => {
  const orderId = newId();
  expect((await consume({ grams: 42.5 })).status).toBe(200);
  expect((await consume({ grams: 1_000_000 })).status).toBe(200);
  await consume({
    use_weight: 0.001,
    order_id: orderId,
    printer_id: null,
    note: 'plate',
    allow_overdraw: true,
    unknown: 1,
  });
  expect(calls.map(({ use }) => use)).toEqual([
    { grams: 42.5 },
    { grams: 1_000_000 },
    { grams: 0.001, order_id: orderId, printer_id: null, note: 'plate', allow_overdraw: true },
  ]);
});

test('the idempotency key may be in the body; the header takes precedence; either way the same body is the same request', async () => {
  const body = { grams: 1, idempotency_key: 'in-body' };
  const first = await consume(body);
  const second = await consume(body, { 'Idempotency-Key': 'in-header' });
  await consume({ ...body, grams: 2 });
  await consume({ grams: 1 });
  const [inBody, inHeader, otherBody, without] = calls.map(({ idempotency }) => idempotency);
  expect(inBody).toEqual({ key: 'in-body', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(inHeader).toEqual({ key: 'in-header', hash: inBody?.hash });
  expect(otherBody?.hash).not.toBe(inBody?.hash);
  expect(without).toBeUndefined();
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

test('creating a record returns 201 and its location', async () => {
  const filament = await send('POST', '/filaments', {
    name: 'PLA',
    spool_count: 1,
    received_at: '2026-11-21T15:00:00+03:00',
  });
  expect(filament.status).toBe(201);
  expect(filament.headers.get('location')).toBe(`/api/v1/filaments/${id}`);
  const batch = await send('POST', `/filaments/${id}/batches`, { spool_count: 2, spool_price_rub: 1499.99 });
  expect(batch.status).toBe(201);
  expect(batch.headers.get('location')).toBe(`/api/v1/filaments/${id}/batches/${id}`);
  expect(received).toEqual([
    { name: 'PLA', spool_count: 1, received_at: Date.UTC(2026, 10, 21, 12) },
    { spool_count: 2, spool_price_rub: 1499.99 },
  ]);
});

test.each([
  ['/filaments', { name: ' ' }, '/name'],
  ['/filaments', {}, '/name'],
  ['/filaments', { name: 'PLA', colors: ['red'] }, '/colors/0'],
  ['/filaments', { name: 'PLA', spool_weight_grams: 0 }, '/spool_weight_grams'],
  ['/filaments', { name: 'PLA', spool_price_rub: 5 }, '/spool_count'],
  ['/filaments', { name: 'PLA', spool_count: 0, received_at: '2026-11-21T12:00:00Z' }, '/spool_count'],
  [`/filaments/${id}/batches`, {}, '/spool_count'],
  [`/filaments/${id}/batches`, { spool_count: 0 }, '/spool_count'],
  [`/filaments/${id}/batches`, { spool_count: 1, spool_price_rub: -0.01 }, '/spool_price_rub'],
  [`/filaments/${id}/batches`, { spool_count: 1, received_at: '2026-11-21' }, '/received_at'],
])('POST %s refuses %j', async (path, body, pointer) => {
  const answer = await send('POST', path, body);
  expect(answer.status).toBe(422);
  expect(answer.body.errors?.map((fault) => fault.pointer)).toEqual([pointer]);
  expect(received).toEqual([]);
});

test('the list accepts its filters and refuses unknown parameters', async () => {
  expect((await send('GET', '/filaments?low_stock=true&q=pla&sort=created_at&page=2&per_page=7')).body).toEqual({
    items: [],
    total: 0,
    page: 2,
    per_page: 7,
  });
  expect(received).toEqual([{ low_stock: true, q: 'pla', sort: 'created_at', page: 2, per_page: 7 }]);
  for (const query of ['low=true', 'low_stock=1', 'per_page=201', 'page=0', 'sort=name', 'q=']) {
    expect((await send('GET', `/filaments?${query}`)).status).toBe(422);
  }
});
