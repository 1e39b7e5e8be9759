import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

// Content codings of request bodies: only those whose decoders need little memory are read, on every route.

const TAKEN = ['gzip', 'GZIP', 'Deflate', 'identity'];
const REFUSED: (string | string[])[] = [
  ...['br', 'BR', 'zstd', 'Zstd', 'compress', 'x-gzip', 'x-unknown', 'deflate-raw', '*', 'gzip;q=1'],
  ...['gzip, br', 'br,gzip', 'gzip, gzip', 'identity, br', 'gzip,'],
  ['gzip', 'br'],
  ['br', 'br'],
];

const farm = forSuite(startFarm);
let headersOf: Record<string, Record<string, string>>;

beforeAll(async () => {
  const owner = await farm.console();
  const agent = await farm.agent({ printer_id: (await farm.printer()).id });
  headersOf = {
    '/api/v1': { Authorization: `Bearer ${farm.token}` },
    '/agent/v1': { Authorization: `Bearer ${agent.token}` },
    '/console/api': { Cookie: `farmboard=${owner.cookie()}`, 'Sec-Fetch-Site': 'same-origin' },
  };
});

/** @returns the status */
function send(method: string, path: string, headers: Record<string, string | string[]>, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${farm.origin}${path}`, { method, agent: false, headers }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode as number));
    });
    // the response may come before the body is read
    asked.on('error', (error: NodeJS.ErrnoException) => error.code !== 'EPIPE' && reject(error));
    asked.end(body);
  });
}

interface BodyRoute {
  method: string;
  path: string;
  type: string;
  headers: Record<string, string>;
}

/** Every route that reads a body, from the OpenAPI documents. */
async function listRoutes(): Promise<BodyRoute[]> {
  const routes: BodyRoute[] = [];
  for (const [base, headers] of Object.entries(headersOf)) {
    const { paths } = (await (await fetch(`${farm.origin}${base}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { requestBody?: { required: boolean; content: Record<string, unknown> } }>>;
    };
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const [type] = Object.keys(requestBody?.content ?? {});
        if (type === undefined || !requestBody?.required) continue;
        const filled = path.replace(/\{\w+\}/g, UNKNOWN_ID);
        routes.push({ method: method.toUpperCase(), path: base + filled, type, headers });
      }
    }
  }
  return routes;
}

const encode = (coding: string, body: Buffer): Buffer => {
  if (/gzip/i.test(coding)) return gzipSync(body);
  return /deflate/i.test(coding) ? deflateSync(body) : body;
};

test('every route with a body refuses every coding but gzip and deflate from the header alone', async () => {
  const routes = await listRoutes();
  expect(routes.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const { method, path, type, headers } of routes) {
    for (const coding of REFUSED) {
      const sent = { ...headers, 'Content-Type': type, 'Content-Encoding': coding };
      const status = await send(method, path, sent, Buffer.from('{}'));
      if (status !== 415) wrong.push(`${method} ${path} ${coding}: ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('JSON is read as it is, gzipped and deflated', async () => {
  const headers = { ...headersOf['/api/v1'], 'Content-Type': 'application/json' };
  for (const coding of TAKEN) {
    const body = encode(coding, Buffer.from('{"model_name":"Bracket"}'));
    expect(await send('POST', '/api/v1/print-jobs', { ...headers, 'Content-Encoding': coding }, body)).toBe(201);
  }
});

test('payment notifications are read without a coding only', async () => {
  const path = `/payments/stripe/${UNKNOWN_ID}`;
  for (const coding of [...REFUSED, 'gzip', 'deflate']) {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding };
    expect([coding, await send('POST', path, headers, Buffer.from('{}'))]).toEqual([coding, 415]);
  }
});

/** How much memory 60 requests at once may take, MB. */
const REFUSED_MB = 10;
const TAKEN_MB = 60;

/** Bodies that are far larger when decoded, and how much memory they may take. */
const BOMBS: [string, () => Buffer, number][] = [
  [
    'br',
    () =>
      brotliCompressSync(Buffer.alloc(300e6, 32), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
      }),
    REFUSED_MB,
  ],
  ['zstd', () => Buffer.from('28b52ffda4', 'hex'), REFUSED_MB],
  ['gzip, br', () => gzipSync(Buffer.alloc(95e6, 32)), REFUSED_MB],
  ['gzip', () => gzipSync(Buffer.alloc(95e6, 32)), TAKEN_MB],
  ['deflate', () => deflateSync(Buffer.alloc(95e6, 32)), TAKEN_MB],
];

/** The most memory that the service has used since it was last asked, MB. */
function readPeak(): number {
  const status = readFileSync(`/proc/${farm.service.pid}/status`, 'utf8');
  writeFileSync(`/proc/${farm.service.pid}/clear_refs`, '5');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test('60 anonymous bombs at once need little memory', async () => {
  const volley = (coding: string, body: Buffer) =>
    Promise.all(
      Array.from({ length: 60 }, () =>
        send(
          'POST',
          '/console/api/session',
          { 'Content-Type': 'application/json', 'Content-Encoding': coding, 'Sec-Fetch-Site': 'same-origin' },
          body,
        ),
      ),
    );
  await volley('gzip', gzipSync('{}'));
  for (const [coding, make, allowedMb] of BOMBS) {
    const body = make();
    readPeak();
    const before = readPeak();
    const statuses = await volley(coding, body);
    expect([...new Set(statuses)]).toEqual([allowedMb === TAKEN_MB ? 413 : 415]);
    expect(readPeak() - before).toBeLessThanOrEqual(allowedMb);
  }
});
