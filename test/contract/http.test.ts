import { readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { SUBSCRIPTION_FORMATS } from '../../backend/src/webhooks/formats/formats.ts';
import type { Answer } from '../kit/checker.ts';
import { write } from '../kit/database.ts';
import {
  expectProblem,
  type Order,
  type Problem,
  range,
  STATUS_NAMES,
  startFarm,
  UNKNOWN_ID,
  UUID,
} from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(startFarm);
let order: Order;

beforeAll(async () => {
  order = await farm.order();
});

const paths = () =>
  Object.entries(farm.client.document.paths).map(([path, methods]) => [path, Object.keys(methods)] as const);
const filled = (path: string) => path.replace(/\{\w+\}/g, UNKNOWN_ID);
const put = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  farm.client.call<Order>('PUT', `/print-jobs/${order.id}`, { raw, headers });

/** The error format: exactly these members and no internal details. */
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
  test('answers 405 with Allow for every documented path', async () => {
    expect(paths().length).toBeGreaterThan(15);
    for (const [path, methods] of paths()) {
      const allowed = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).sort();
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (allowed.includes(method)) continue;
        const answer = await farm.client.call(method, filled(path));
        expectProblem(answer, 405, 'method_not_allowed');
        expectShape(answer);
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed);
        const { detail } = answer.body as unknown as Problem;
        if (path === '/print-jobs/{id}')
          expect(detail).toBe(`This path accepts GET, HEAD, PUT and DELETE, not ${method}.`);
      }
    }
  });

  test('answers HEAD like GET without a body', async () => {
    for (const path of ['/print-jobs', `/print-jobs/${order.id}`, '/me', `/print-jobs/${UNKNOWN_ID}`]) {
      const [head, get] = [await farm.client.call('HEAD', path), await farm.client.get(path)];
      expect([head.status, head.text]).toEqual([get.status, '']);
      for (const name of ['content-type', 'etag']) expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });
});

test('answers /favicon.ico with the icon, because browsers ask for it on pages that link to none', async () => {
  const { origin } = farm.service;
  const icon = readFileSync(join(__dirname, '../../backend/web/public/icon.svg'), 'utf8');
  const ask = async (method: string, headers = {}) => {
    const answer = await fetch(`${origin}/favicon.ico`, { method, headers });
    return [answer.status, answer.headers.get('content-type'), await answer.text(), answer.headers] as const;
  };
  // what Chromium sends
  const [status, type, text, headers] = await ask('GET', { Accept: 'image/avif,image/webp,image/*,*/*;q=0.8' });
  expect([status, type, text]).toEqual([200, 'image/svg+xml', icon]);
  expect(headers.get('cache-control')).toBe('public, max-age=3600');
  expect((await ask('HEAD')).slice(0, 3)).toEqual([200, 'image/svg+xml', '']);
  // fetch would ask past all caches otherwise
  const again = { 'If-Modified-Since': headers.get('last-modified'), 'Cache-Control': 'max-age=0' };
  expect((await ask('GET', again))[0]).toBe(304);
});

describe('bodies', () => {
  test('refuses anything but JSON with 415', async () => {
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
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json'])
      expect((await put('{}', { 'Content-Type': type })).status).toBe(200);
  });

  test('reads UTF-8 by any of its names, and says which header declares another charset', async () => {
    const withCharset = (text: string, notes = 'Größe 😊') =>
      put(JSON.stringify({ order_notes: notes }), { 'Content-Type': `application/json${text}` });
    for (const name of ['UTF8', 'utf8', 'Utf-8', '"UTF-8"', '"utf8"', "'utf-8'", 'unicode-1-1-utf-8', 'us-ascii', '']) {
      const { status, body } = await withCharset(`; a=b;CharSet = ${name} ; c=d`);
      expect([name, status, body.order_notes]).toEqual([name, 200, 'Größe 😊']);
    }
    for (const name of [
      'ISO-8859-1',
      'koi8-r',
      '"latin1"',
      'windows-1252',
      'UTF-16',
      'utf-16le',
      'utf-32',
      'utf-7',
      'x',
    ]) {
      const problem = expectProblem(await withCharset(`; charset=${name}`, 'plain'), 415, 'unsupported_media_type');
      expect(problem.detail).toBe(
        `The Content-Type header declares the charset "${name.replaceAll('"', '')}". Send JSON in UTF-8, with Content-Type: application/json.`,
      );
    }
    // what is declared as UTF-8 and is not
    const latin = Buffer.from('{"order_notes":"Größe"}', 'latin1');
    expectProblem(
      await put(new Uint8Array(latin), { 'Content-Type': 'application/json; charset=UTF8' }),
      400,
      'malformed_json',
    );
  });

  test('refuses bodies over 100 kB (100,000 bytes) with 413', async () => {
    const ofSize = (bytes: number) => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    expect((await put(ofSize(100_000))).status).toBe(200);
    const answer = await put(ofSize(100_001));
    expectProblem(answer, 413, 'body_too_large');
    expectShape(answer);
    const inCyrillic = `{"x":"${'я'.repeat(50_000)}"}`;
    expectProblem(await put(inCyrillic), 413, 'body_too_large');
  });

  test('refuses a gzip bomb with 413 and reads a small gzip body', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')));
    expect(bomb.length).toBeLessThan(100_000);
    expectProblem(await put(bomb, headers), 413, 'body_too_large');
    const small = new Uint8Array(gzipSync('{"order_notes":"сжато"}'));
    expect((await put(small, headers)).body.order_notes).toBe('сжато');
    expectProblem(await put('{"order_notes":"not gzip"}', headers), 400, 'malformed_request');
    expect((await farm.client.get('/me')).status).toBe(200);
  });

  test('refuses malformed JSON with 400', async () => {
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

  test('reads bodies nested 32 levels deep and refuses deeper ones with 400', async () => {
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

  test('ignores __proto__ and constructor in a body like other unknown fields', async () => {
    const { status, body } = await put(
      '{"__proto__":{"model_name":"x"},"constructor":{"prototype":{}},"order_notes":"n"}',
    );
    expect([status, body.model_name, body.order_notes]).toEqual([200, order.model_name, 'n']);
  });
});

describe('the error format', () => {
  test('is the same for every error, including unknown routes', async () => {
    const call = farm.client.call;
    for (const [status, answer] of [
      [400, await put('{')],
      [401, await call('GET', '/me', { token: null })],
      [404, await call('GET', '/nowhere')],
      [404, await call('POST', '/print-jobs/x/y/z')],
      [404, await call('GET', `/print-jobs/${UNKNOWN_ID}`)],
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

  test('hides the reason of a 500, which is logged under the request ID', async () => {
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

  test('names the location of an error as a JSON pointer, query/… or header/…', async () => {
    const pointers = (answer: Answer<unknown>) => (answer.body as Problem).errors?.map(({ pointer }) => pointer);
    expect(pointers(await put('{"model_name":1,"price":"x"}'))?.sort()).toEqual(['/model_name', '/price']);
    const bad = await farm.client.get('/print-jobs?page=0&a~b/c=1');
    expect(pointers(bad)?.sort()).toEqual(['query/a~0b~1c', 'query/page']);
    const key = { headers: { 'Idempotency-Key': 'x'.repeat(129) } };
    expect(pointers(await farm.createOrder({}, key))).toEqual(['header/Idempotency-Key']);
  });
});

describe('headers', () => {
  test('echoes X-Request-Id, also in errors, and replaces one that can’t be logged', async () => {
    for (const id of ['abc', 'A-1_2.3:4', 'x'.repeat(64)]) {
      const headers = { 'X-Request-Id': id };
      expect((await farm.client.get('/me', { headers })).headers.get('x-request-id')).toBe(id);
      expect((await farm.client.get<Problem>('/nowhere', { headers })).body.request_id).toBe(id);
    }
    for (const id of ['', 'x'.repeat(65), 'a b', '<script>', '{"a":1}']) {
      const answer = await farm.client.get<Problem>('/nowhere', { headers: { 'X-Request-Id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    }
    const ids = await Promise.all(range(5).map(async () => (await farm.client.get('/me')).headers.get('x-request-id')));
    expect(new Set(ids).size).toBe(5);
  });

  test('sends security headers with every response', async () => {
    const token = { headers: { Authorization: `Bearer ${farm.token}` } };
    for (const [path, init] of [
      ['/api/v1/me', token],
      ['/api/v1/me', {}],
      ['/api/v1/print-jobs?page=0', token],
      ['/api/v1/nowhere', token],
      ['/api/v1/me', { ...token, method: 'DELETE' }],
      ['/api/v1/openapi.json', {}],
      ['/docs/', {}],
      ['/docs/api/swagger-ui.css', {}],
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

  test('serves each OpenAPI document in the smallest encoding, and 304 to who has it', async () => {
    for (const path of ['/api/v1', '/console/api', '/agent/v1']) {
      const load = async (headers: Record<string, string>) => {
        const answer = await fetch(`${farm.service.origin}${path}/openapi.json`, { headers });
        return { answer, text: await answer.text() };
      };
      const plain = await load({ 'Accept-Encoding': 'identity' });
      expect(plain.answer.headers.get('content-encoding')).toBeNull();
      // formatted as every other response
      expect(plain.text === JSON.stringify(JSON.parse(plain.text))).toBe(true);
      const etag = String(plain.answer.headers.get('etag'));
      for (const [accepted, encoding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip, br;q=0', 'gzip'],
      ] as const) {
        const { answer, text } = await load({ 'Accept-Encoding': accepted });
        expect([answer.headers.get('content-encoding'), text === plain.text]).toEqual([encoding, true]);
        expect(answer.headers.get('vary')).toContain('Accept-Encoding');
        // as browsers revalidate; by default, fetch asks for the whole document
        const known = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
        const again = await load({ 'Accept-Encoding': accepted, ...known });
        expect([answer.headers.get('etag'), again.answer.status, again.text.length]).toEqual([etag, 304, 0]);
        // as a proxy that compresses it changes its tag
        const changed = { ...known, 'If-None-Match': etag.replace(/"$/, `-${encoding}"`) };
        expect((await load({ 'Accept-Encoding': accepted, ...changed })).answer.status).toBe(304);
      }
      expect((await load({ 'If-None-Match': '"another"' })).answer.status).toBe(200);
    }
  });

  test('requires an Idempotency-Key of 1 to 128 characters', async () => {
    const post = (key: string) => farm.createOrder({}, { headers: { 'Idempotency-Key': key } });
    expect((await post('k'.repeat(128))).status).toBe(201);
    for (const key of ['', 'k'.repeat(129)]) expectProblem(await post(key), 422, 'validation_error');
  });

  test('refuses an unknown query parameter with 422 and the list of known ones', async () => {
    for (const [path, methods] of paths().filter(([path]) => !path.includes('{')))
      for (const query of ['limit=5', 'PAGE=1', 'page[]=1', 'page%00=1']) {
        const method = (methods[0] as string).toUpperCase();
        expectProblem(await farm.client.call(method, `${path}?${query}`), 422, 'validation_error');
      }
    const detailOf = async (path: string) => (await farm.client.get<Problem>(path)).body.errors?.[0]?.detail;
    expect(await detailOf('/printers?limit=5')).toBe(
      'is unknown; the known parameters are page, per_page, group_id, sort',
    );
    expect(await detailOf(`/print-jobs/${order.id}?fields=id`)).toBe('is unknown; this route takes no parameters');
  });

  test('names the API version in every response of /api/v1', async () => {
    for (const [path, token] of [
      ['/me', farm.token],
      ['/me', null],
      ['/nowhere', farm.token],
      ['/openapi.json', null],
    ] as const)
      expect((await farm.client.get(path, { token })).headers.get('x-svc-interface')).toBe('v10.0');
    const { info } = farm.client.document as unknown as { info: Record<string, string> };
    expect([info.version, info['x-release']]).toEqual(['v10.0', expect.stringMatching(/^\d+\.\d+\.\d+/)]);
  });

  test('ignores unknown fields on every route and names them in X-Svc-Ignored-Fields', async () => {
    const { id } = await farm.filament({ spool_count: 1 });
    const url = 'http://127.0.0.1:9/hook';
    for (const [path, body, ignored] of [
      [`/filaments/${id}/consume`, { grams: 1, allow_overdraft: true }, 'allow_overdraft'],
      [`/filaments/${id}/consume`, { use_weight: 1, id: 1 }, 'id'],
      [`/filaments/${id}/batches`, { spool_count: 1, 'поле,': 1, b: 2 }, '%D0%BF%D0%BE%D0%BB%D0%B5%2C, b'],
      ['/filaments', { name: 'x', price: 5 }, 'price'],
      ['/webhook-subscriptions', { url, events: ['order.created'], active: false }, 'active'],
    ] as const) {
      const { status, headers } = await farm.client.post(path, body);
      expect([path, status < 300, headers.get('x-svc-ignored-fields')]).toEqual([path, true, ignored]);
    }
    // if a route takes no body, every field is unknown
    const subscription = `/webhook-subscriptions/${(await farm.client.post<{ id: string }>('/webhook-subscriptions', { url, events: ['order.created'] })).body.id}`;
    for (const [method, path] of [
      ['POST', `${subscription}/secret`],
      ['POST', `${subscription}/test`],
      ['DELETE', subscription],
    ] as const) {
      const { status, headers } = await farm.client.call(method, path, { body: { overlap: 24, поле: 1 } });
      expect([path, status < 300, headers.get('x-svc-ignored-fields')]).toEqual([
        path,
        true,
        'overlap, %D0%BF%D0%BE%D0%BB%D0%B5',
      ]);
    }
    for (const raw of ['{', '[7]', '7', 'null', '{}', 'x'.repeat(100_001)]) {
      const { id: order } = await farm.order();
      const { status, headers } = await farm.client.call('DELETE', `/print-jobs/${order}`, { raw });
      expect([status, headers.has('x-svc-ignored-fields')]).toEqual([204, false]);
    }
    const known = await farm.client.post(`/filaments/${id}/consume`, { grams: 1 });
    expect(known.headers.has('x-svc-ignored-fields')).toBe(false);
  });
});

describe('the detail of an error', () => {
  const detailsOf = ({ body }: Answer<unknown>) =>
    Object.fromEntries((body as Problem).errors?.map(({ pointer, detail }) => [pointer, detail]) ?? []);
  const of = (field: string, detail: string) => ({ [field]: detail });

  test.each<[string, string, unknown, Record<string, string>]>([
    ['PUT', '/print-jobs/{order}', { model_name: 5 }, of('/model_name', 'must be a string; received 5')],
    ['PUT', '/print-jobs/{order}', { model_name: '' }, of('/model_name', 'must not be empty')],
    [
      'PUT',
      '/print-jobs/{order}',
      { model_name: 'x'.repeat(301) },
      of('/model_name', 'must have at most 300 characters; received 301'),
    ],
    [
      'PUT',
      '/print-jobs/{order}',
      { quantity_pieces: 2 ** 53 },
      of('/quantity_pieces', 'must be at most 1000000; received 9007199254740992'),
    ],
    [
      'PUT',
      '/print-jobs/{order}',
      { quantity_pieces: 1.5 },
      of('/quantity_pieces', 'must be a whole number; received 1.5'),
    ],
    [
      'PUT',
      '/print-jobs/{order}',
      { color_hex: '\u202ered' },
      of('/color_hex', 'must be a color in the form #RRGGBB; received "\\u202ered"'),
    ],
    [
      'PUT',
      '/print-jobs/{order}',
      { printer_id: 'x' },
      of('/printer_id', 'must be an id (a UUID of 36 characters); received "x"'),
    ],
    [
      'PUT',
      '/print-jobs/{order}',
      { due_date: '0000-01-01' },
      of('/due_date', 'must be a date that exists, YYYY-MM-DD; received "0000-01-01"'),
    ],
    ['PUT', '/print-jobs/{order}', [], of('', 'must be an object; received a list')],
    ['PUT', '/print-jobs/{order}', undefined, of('', 'is empty: send a JSON object')],
    ['POST', '/print-jobs', {}, of('/model_name', 'is missing: it must be a string')],
    ['POST', '/filaments/{filament}/consume', {}, of('/grams', 'is missing: it must be a number')],
    ['POST', '/filaments/{filament}/consume', { use_weight: 'x' }, of('/use_weight', 'must be a number; received "x"')],
    [
      'POST',
      '/filaments/{filament}/consume',
      { grams: 1, use_weight: 1 },
      of('/use_weight', 'grams and use_weight are the same: send one of the two; received 1'),
    ],
    [
      'POST',
      '/webhook-subscriptions',
      { url: 'http://127.0.0.1:9', events: [], format: 'xml' },
      {
        '/events': 'must not be empty',
        '/format': `must be one of ${SUBSCRIPTION_FORMATS.join(', ')}; received "xml"`,
      },
    ],
    [
      'GET',
      '/print-jobs?workflow_status=typo',
      undefined,
      of('query/workflow_status', `must be one of ${STATUS_NAMES.join(', ')}; received "typo"`),
    ],
    [
      'GET',
      '/print-jobs?workflow_status=done&workflow_status=typo',
      undefined,
      of('query/workflow_status/1', `must be one of ${STATUS_NAMES.join(', ')}; received "typo"`),
    ],
    [
      'GET',
      '/print-jobs?updated_since=2026-11-22T10:00:00+03:00',
      undefined,
      of(
        'query/updated_since',
        'has a space where its offset begins: write + as %2B in a URL, or give the time in UTC with Z; received "2026-11-22T10:00:00 03:00"',
      ),
    ],
    [
      'GET',
      '/print-jobs?page=x',
      undefined,
      of('query/page', 'must be a whole number from 1 to 999999999; received "x"'),
    ],
    [
      'GET',
      '/print-jobs?per_page=0',
      undefined,
      of('query/per_page', 'must be a whole number from 1 to 200; received "0"'),
    ],
    [
      'GET',
      '/print-jobs?include_closed=1',
      undefined,
      of('query/include_closed', 'must be one of true, false; received "1"'),
    ],
  ])('names the field, the expected and the sent value: %s %s %j', async (method, path, body, expected) => {
    const { id } = await farm.filament();
    const answer = await farm.client.call(method, path.replace('{order}', order.id).replace('{filament}', id), {
      body,
    });
    expectProblem(answer, 422, 'validation_error');
    expect(detailsOf(answer)).toEqual(expected);
    for (const [pointer, detail] of Object.entries(expected))
      expect((answer.body as unknown as Problem).detail).toContain(
        pointer ? `${pointer}: ${detail}` : `the body ${detail}`,
      );
  });
});

describe('pages of other origins', () => {
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'authorization',
    },
  });
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

  test('sends no CORS headers by default', async () => {
    for (const path of ['/print-jobs', '/nowhere', '/openapi.json']) {
      const answer = await fetch(farm.service.baseUrl + path, preflight('https://app.example.org'));
      expect([answer.status, allowed(answer)]).toEqual([204, null]);
    }
    const headers = { Origin: 'https://app.example.org' };
    expect((await farm.client.get('/me', { headers })).headers.has('access-control-allow-origin')).toBe(false);
  });

  test('allows CORS_ALLOWED_ORIGINS with a token, never with cookies', async () => {
    const {
      service,
      token: valid,
      remove,
    } = await startFarm({
      CORS_ALLOWED_ORIGINS: 'https://app.example.org,http://localhost:5173',
    });
    try {
      for (const origin of ['https://app.example.org', 'http://localhost:5173']) {
        const asked = await fetch(`${service.baseUrl}/print-jobs`, preflight(origin));
        expect([asked.status, allowed(asked), asked.headers.get('vary')]).toEqual([204, origin, 'Origin']);
        expect(asked.headers.get('access-control-allow-headers')).toMatch(/\bAuthorization\b.*\btraceparent\b/);
        expect(asked.headers.get('access-control-allow-methods')).toContain('PUT');
        for (const token of [valid, 'none']) {
          const answer = await fetch(`${service.baseUrl}/me`, {
            headers: { Origin: origin, Authorization: `Bearer ${token}` },
          });
          expect([answer.status, allowed(answer)]).toEqual([token === valid ? 200 : 401, origin]);
          expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bETag\b.*\bLink\b/);
          expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
        }
      }
      const other = await fetch(`${service.baseUrl}/print-jobs`, preflight('https://evil.example.org'));
      expect([other.status, allowed(other), other.headers.get('vary')]).toEqual([204, null, 'Origin']);
      const console = await fetch(`${service.origin}/console/api/session`, {
        headers: { Origin: 'https://app.example.org' },
      });
      expect(allowed(console)).toBeNull();
    } finally {
      await remove();
    }
  });
});

describe('compression', () => {
  /** As it was sent; `fetch` would decompress it. */
  const ask = (path: string, encoding: string) =>
    new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${farm.token}`, 'Accept-Encoding': encoding };
      get(`${farm.service.origin}${path}`, { headers }, async (res) =>
        resolve({ headers: res.headers, body: Buffer.concat(await res.toArray()) }),
      ).on('error', reject);
    });
  const size = ({ body }: { body: Buffer }) => body.length;

  test('compresses JSON and pages above 1 kB for clients that accept it and keeps the ETag', async () => {
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

    const page = (await ask('/masters', 'identity')).body.toString();
    const [style = ''] = /\/pages\/[^"]+/.exec(page) ?? [];
    expect((await ask(style, 'gzip')).headers['content-encoding']).toBe('gzip');
  });

  test('serves precompressed console assets with unlimited caching', async () => {
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
  test('sends RateLimit headers with RATE_LIMIT_PER_MINUTE=5, then 429 with Retry-After, without affecting another account', async () => {
    const { client, newAccount, origin, remove } = await startFarm({ RATE_LIMIT_PER_MINUTE: '5' });
    try {
      const { token } = await newAccount();
      for (const n of range(5)) {
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
      expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    } finally {
      await remove();
    }
  });
});
