import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Answer } from '../kit/client.ts';
import { createClient } from '../kit/client.ts';
import { write } from '../kit/database.ts';
import { expectProblem, type Farm, NOBODY, type Order, type Problem, startFarm, UUID, upTo } from '../kit/farm.ts';
import { startService } from '../kit/service.ts';

let farm: Farm;
let order: Order;

beforeAll(async () => {
  farm = await startFarm();
  order = await farm.order();
});
afterAll(() => farm.close());

const paths = () =>
  Object.entries(farm.client.document.paths).map(([path, methods]) => [path, Object.keys(methods)] as const);
const filled = (path: string) => path.replace(/\{\w+\}/g, NOBODY);
const put = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  farm.client.call<Order>('PUT', `/print-jobs/${order.id}`, { raw, headers });

/** The error shape: exactly these members, and nothing of the inside. */
function expectShape(answer: Answer<unknown>) {
  const problem = answer.body as Problem;
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(problem).toMatchObject({
    type: `urn:farmboard:error:${problem.code}`,
    title: expect.any(String),
    status: answer.status,
    detail: expect.any(String),
    request_id: answer.headers.get('x-request-id'),
  });
  expect(answer.text).not.toMatch(/\bat \S+ \(|node_modules|SQLITE|SELECT |INSERT |\/work\/|\.[tj]s:\d+/);
}

describe('methods', () => {
  test('405 + Allow for every path of the document', async () => {
    expect(paths().length).toBeGreaterThan(15);
    for (const [path, methods] of paths()) {
      const allowed = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).sort();
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (allowed.includes(method)) continue;
        const answer = await farm.client.call(method, filled(path));
        expectProblem(answer, 405, 'method_not_allowed');
        expectShape(answer);
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed);
      }
    }
  });

  test('HEAD answers as GET does, without the body', async () => {
    for (const path of ['/print-jobs', `/print-jobs/${order.id}`, '/me', `/print-jobs/${NOBODY}`]) {
      const [head, get] = [await farm.client.call('HEAD', path), await farm.client.get(path)];
      expect([head.status, head.text]).toEqual([get.status, '']);
      for (const name of ['content-type', 'etag']) expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });
});

describe('bodies', () => {
  test('415: anything but JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
      '',
      'x',
    ])
      expectProblem(await put('{}', { 'Content-Type': type }), 415, 'unsupported_media_type');
    expectProblem(await put('{}', { 'Content-Encoding': 'x-unknown' }), 415, 'unsupported_media_type');
    expectProblem(
      await put('{}', { 'Content-Type': 'application/json; charset=koi8-r' }),
      415,
      'unsupported_media_type',
    );
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json'])
      expect((await put('{}', { 'Content-Type': type })).status).toBe(200);
  });

  test('413 over 100 kB (100,000 bytes)', async () => {
    const ofSize = (bytes: number) => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    expect((await put(ofSize(100_000))).status).toBe(200);
    const answer = await put(ofSize(100_001));
    expectProblem(answer, 413, 'body_too_large');
    expectShape(answer);
    const inCyrillic = `{"x":"${'я'.repeat(50_000)}"}`;
    expectProblem(await put(inCyrillic), 413, 'body_too_large');
  });

  test('a gzip bomb → 413; a small gzip body is read', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')));
    expect(bomb.length).toBeLessThan(100_000);
    expectProblem(await put(bomb, headers), 413, 'body_too_large');
    const small = new Uint8Array(gzipSync('{"order_notes":"сжато"}'));
    expect((await put(small, headers)).body.order_notes).toBe('сжато');
    expectProblem(await put('{"order_notes":"not gzip"}', headers), 400, 'malformed_request');
    expect((await farm.client.get('/me')).status).toBe(200);
  });

  test('malformed JSON → 400', async () => {
    for (const raw of [
      '{',
      '{"a":1,}',
      "{'a':1}",
      'undefined',
      '{"a":NaN}',
      '{"a":1}{',
      '\u0000',
      '{"a":"\n"}',
      '[1,]',
      '<a/>',
    ]) {
      const answer = await put(raw);
      expectProblem(answer, 400, 'malformed_json');
      expectShape(answer);
      expect(answer.text).not.toContain('Unexpected');
    }
    expect((await farm.readOrder(order.id)).model_name).toBe(order.model_name);
  });

  test('nested deeper than 32 → 400; 32 is read', async () => {
    const nested = (depth: number, [open, close]: [string, string]) =>
      `{"x":${open.repeat(depth - 1)}${close.repeat(depth - 1)}}`;
    for (const pair of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as [string, string][]) {
      const inner = (depth: number) => nested(depth, pair).replace('{"a":}', '{}');
      expect((await put(inner(32))).status).toBe(200);
      expectProblem(await put(inner(33)), 400, 'json_too_deep');
    }
    expectProblem(await put(`${'['.repeat(49_999)}${']'.repeat(49_999)}`), 400, 'json_too_deep');
    expectProblem(await put(nested(33, ['[', ']']).replace('"x"', '"workflow_status"')), 400, 'json_too_deep');
  });

  test('__proto__ and constructor in a body are fields like others: ignored', async () => {
    const { status, body } = await put(
      '{"__proto__":{"model_name":"x"},"constructor":{"prototype":{}},"order_notes":"n"}',
    );
    expect([status, body.model_name, body.order_notes]).toEqual([200, order.model_name, 'n']);
  });
});

describe('the error shape', () => {
  test('on every kind of error, also where there is no route', async () => {
    const call = farm.client.call;
    for (const [status, answer] of [
      [400, await put('{')],
      [401, await call('GET', '/me', { token: null })],
      [404, await call('GET', '/nowhere')],
      [404, await call('POST', '/print-jobs/x/y/z')],
      [404, await call('GET', `/print-jobs/${NOBODY}`)],
      [404, await call('GET', '/')],
      [405, await call('DELETE', '/print-jobs')],
      [409, await call('POST', `/filaments/${(await farm.filament()).id}/consume`, { body: { grams: 1 } })],
      [412, await put('{}', { 'If-Match': '"0"' })],
      [413, await put('x'.repeat(100_001))],
      [415, await put('{}', { 'Content-Type': 'text/plain' })],
      [422, await put('{"model_name":1}')],
      [400, await call('GET', '/print-jobs/%E0%A4%A')],
    ] as const) {
      expect(answer.status).toBe(status);
      expectShape(answer);
    }
    for (const path of ['/nowhere', '/api', '/api/v2/print-jobs', '/docs/nothing.js', '/%E0%A4%A']) {
      const response = await fetch(farm.service.origin + path);
      const text = await response.text();
      expect([400, 404]).toContain(response.status);
      expectShape({ status: response.status, headers: response.headers, text, body: JSON.parse(text) });
    }
  });

  test('on a failure that nobody foresaw: 500 without its reason, which is in the log under the request id', async () => {
    await write(farm.file, 'ALTER TABLE order_history RENAME TO order_history_away');
    const response = await fetch(`${farm.service.baseUrl}/print-jobs/${order.id}/history`, {
      headers: { Authorization: `Bearer ${farm.token}` },
    });
    await write(farm.file, 'ALTER TABLE order_history_away RENAME TO order_history');
    const text = await response.text();
    expect(response.status).toBe(500);
    expectShape({ status: 500, headers: response.headers, text, body: JSON.parse(text) });
    expect(text).not.toContain('order_history');
    const { code, request_id } = JSON.parse(text) as Problem;
    expect(code).toBe('internal_error');
    expect(farm.service.log.filter((line) => line.includes(request_id) && line.includes('order_history'))).toHaveLength(
      1,
    );
  });

  test('a fault names its place: a JSON pointer, or query/… and header/…', async () => {
    const pointers = (answer: Answer<unknown>) => (answer.body as Problem).errors?.map(({ pointer }) => pointer);
    expect(pointers(await put('{"model_name":1,"price":"x"}'))?.sort()).toEqual(['/model_name', '/price']);
    const bad = await farm.client.get('/print-jobs?page=0&a~b/c=1');
    expect(pointers(bad)?.sort()).toEqual(['query/a~0b~1c', 'query/page']);
    const key = { headers: { 'Idempotency-Key': 'x'.repeat(129) } };
    expect(pointers(await farm.createOrder({}, key))).toEqual(['header/Idempotency-Key']);
  });
});

describe('headers', () => {
  test('X-Request-Id: echoed, also in an error; what cannot stand in a log is replaced', async () => {
    for (const id of ['abc', 'A-1_2.3:4', 'x'.repeat(64)]) {
      const headers = { 'X-Request-Id': id };
      expect((await farm.client.get('/me', { headers })).headers.get('x-request-id')).toBe(id);
      expect((await farm.client.get<Problem>('/nowhere', { headers })).body.request_id).toBe(id);
    }
    for (const id of ['', 'x'.repeat(65), 'a b', '<script>', '{"a":1}']) {
      const answer = await farm.client.get<Problem>('/nowhere', { headers: { 'X-Request-Id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    }
    const ids = await Promise.all(upTo(5).map(async () => (await farm.client.get('/me')).headers.get('x-request-id')));
    expect(new Set(ids).size).toBe(5);
  });

  test('security headers on every kind of answer', async () => {
    const token = { headers: { Authorization: `Bearer ${farm.token}` } };
    for (const [path, init] of [
      ['/api/v1/me', token],
      ['/api/v1/me', {}],
      ['/api/v1/print-jobs?page=0', token],
      ['/api/v1/nowhere', token],
      ['/api/v1/me', { ...token, method: 'DELETE' }],
      ['/api/v1/openapi.json', {}],
      ['/docs/', {}],
      ['/docs/swagger-ui.css', {}],
      ['/healthz', {}],
      ['/readyz', {}],
      ['/nowhere', {}],
      ['/', { redirect: 'manual' }],
    ] as [string, RequestInit][]) {
      const { headers } = await fetch(farm.service.origin + path, init);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-request-id')).toMatch(UUID);
      expect([headers.get('x-powered-by'), headers.get('server'), headers.get('strict-transport-security')]).toEqual(
        Array(3).fill(null),
      );
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('Idempotency-Key has 1 to 128 characters', async () => {
    const post = (key: string) => farm.createOrder({}, { headers: { 'Idempotency-Key': key } });
    expect((await post('k'.repeat(128))).status).toBe(201);
    for (const key of ['', 'k'.repeat(129)]) expectProblem(await post(key), 422, 'validation_error');
  });

  test('unknown query parameters of a list → 422', async () => {
    const lists = paths().filter(([path, methods]) => methods.includes('get') && !path.includes('{'));
    const paged = lists.filter(([path]) => JSON.stringify(farm.client.document.paths[path]?.get).includes('per_page'));
    expect(paged.length).toBeGreaterThanOrEqual(6);
    for (const [path] of paged)
      for (const query of ['limit=5', 'offset=1', 'PAGE=1', 'page[]=1', 'page%00=1'])
        expectProblem(await farm.client.get(`${path}?${query}`), 422, 'validation_error');
  });
});

describe('compression', () => {
  /** As it is sent: `fetch` would unpack it. */
  const ask = (path: string, encoding: string) =>
    new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${farm.token}`, 'Accept-Encoding': encoding };
      get(`${farm.service.origin}${path}`, { headers }, async (res) =>
        resolve({ headers: res.headers, body: Buffer.concat(await res.toArray()) }),
      ).on('error', reject);
    });
  const size = ({ body }: { body: Buffer }) => body.length;

  test('JSON of more than 1 kB is compressed for who takes it, less is not, and an ETag stays as it is', async () => {
    for (let n = 0; n < 5; n += 1) await farm.order();
    const list = await ask('/api/v1/print-jobs', 'identity');
    expect([list.headers['content-encoding'], list.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    const zipped = await ask('/api/v1/print-jobs', 'gzip');
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body)).toEqual(list.body);
    expect(size(zipped)).toBeLessThan(size(list) / 2);
    const brotli = await ask('/api/v1/print-jobs', 'gzip, br');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body)).toEqual(list.body);
    expect((await ask('/api/v1/me', 'gzip, br')).headers['content-encoding']).toBeUndefined();

    const path = `/api/v1/print-jobs/${(await farm.order({ order_notes: 'x'.repeat(2_000) })).id}`;
    const [plain, small] = [await ask(path, 'identity'), await ask(path, 'gzip')];
    expect([plain.headers['content-encoding'], small.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(small.headers.etag).toBe(plain.headers.etag);
    expect(small.headers.etag).toMatch(/^"\d+"$/);
  });

  test('assets of the console lie ready in every encoding, and are kept for ever', async () => {
    const html = (await ask('/console/', 'identity')).body.toString();
    for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)) {
      const plain = await ask(path, 'identity');
      const sent = [
        await ask(path, 'gzip'),
        await ask(path, 'gzip, deflate, br, zstd'),
        await ask(path, 'br;q=0, gzip'),
      ];
      expect(sent.map(({ headers }) => headers['content-encoding'])).toEqual(['gzip', 'br', 'gzip']);
      expect([gunzipSync(sent[0]?.body ?? ''), brotliDecompressSync(sent[1]?.body ?? '')]).toEqual([
        plain.body,
        plain.body,
      ]);
      for (const { headers } of [plain, ...sent]) {
        expect(headers).toMatchObject({
          'content-type': plain.headers['content-type'],
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'Accept-Encoding',
        });
      }
      expect(new Set([plain, ...sent].map(({ headers }) => headers.etag)).size).toBe(3);
    }
  });
});

describe('the rate limit per account', () => {
  test('RATE_LIMIT_PER_MINUTE=5: RateLimit headers, then 429 + Retry-After; another account is not held up', async () => {
    const service = await startService({ ...farm.env, RATE_LIMIT_PER_MINUTE: '5' });
    try {
      const { token } = await farm.newAccount();
      const client = await createClient(service.origin, farm.token);
      for (const n of upTo(5)) {
        const { status, headers } = await client.get('/me');
        expect([status, headers.get('ratelimit-policy')]).toEqual([200, expect.stringContaining('q=5; w=60')]);
        expect(headers.get('ratelimit')).toContain(`r=${5 - n}; t=`);
      }
      for (const path of ['/me', '/print-jobs', '/nowhere']) {
        const answer = await client.get(path);
        expectProblem(answer, 429, 'rate_limited');
        expectShape(answer);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      }
      expect((await client.get('/me', { token })).status).toBe(200);
      expectProblem(await client.get('/me', { token: null }), 401, 'unauthorized');
      expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
