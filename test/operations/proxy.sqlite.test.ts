import { rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { ROOT } from '../kit/image.ts';
import { type Nginx, startNginx } from '../kit/nginx.ts';
import { freePort } from '../kit/ports.ts';

interface Api {
  port: number;
  /** method and address of each request that has come */
  seen: { line: string; headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
}

const WRITES = ['POST', 'PUT', 'DELETE', 'PATCH'];
let running: { stop(): unknown }[] = [];

afterEach(async () => {
  for (const one of running.reverse()) await one.stop();
  running = [];
});

/** Stands in for an api process. */
async function startApi(answer: RequestListener, port = 0): Promise<Api> {
  const seen: Api['seen'] = [];
  const server: Server = createServer((req, res) => {
    seen.push({ line: `${req.method} ${req.url}`, headers: req.headers });
    req.resume().on('end', () => answer(req, res));
  });
  // like the service's: longer than nginx keeps idle connections
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const api: Api = {
    port: (server.address() as AddressInfo).port,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  running.push(api);
  return api;
}

async function startProxy(...ports: number[]): Promise<Nginx> {
  const nginx = await startNginx(join(ROOT, 'deploy/nginx.conf'), { name: 'api:3000', ports }, [
    'nginx',
    '-g',
    'daemon off;',
  ]);
  running.push(nginx);
  return nginx;
}

const ok: RequestListener = (_req, res) => void res.end('{}');

test.each([...WRITES, 'GET'])('doesn’t retry a %s that has reached an API process', async (method) => {
  const dying = await startApi((req) => void req.socket.destroy());
  const other = await startApi((req) => void req.socket.destroy());
  const proxy = await startProxy(dying.port, other.port);
  const answer = await fetch(`${proxy.origin}/api/v1/print-jobs/1`, {
    method,
    ...(method === 'GET' ? {} : { body: '{}' }),
  });
  expect(answer.status).toBe(502);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  // no code: the package for n8n takes a code for a certain answer
  expect(Object.keys((await answer.json()) as object)).toEqual(['type', 'title', 'status', 'detail']);
  expect(dying.seen.length + other.seen.length).toBe(1);
});

test.each([...WRITES, 'GET'])('retries a %s on another API process if the first is down', async (method) => {
  const api = await startApi(ok);
  const proxy = await startProxy(await freePort(), api.port);
  for (let i = 0; i < 6; i++) {
    const body = method === 'GET' ? {} : { body: '{}' };
    expect((await fetch(`${proxy.origin}/x`, { method, ...body })).status).toBe(200);
  }
  expect(api.seen).toHaveLength(6);
});

test('asks an API process again a second after it is back, when the other one stops', async () => {
  const [first, second] = [await startApi(ok), await startApi(ok)];
  const proxy = await startProxy(first.port, second.port);
  const ask = async (times: number) => {
    for (let i = 0; i < times; i++)
      expect((await fetch(`${proxy.origin}/x`, { method: 'PUT', body: '{}' })).status).toBe(200);
  };
  await ask(4);
  await first.stop();
  await ask(20);
  const back = await startApi(ok, first.port);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await second.stop();
  await ask(20);
  expect(back.seen.length).toBeGreaterThanOrEqual(20);
});

test('answers 502 if no API process is running', async () => {
  const gone = await startApi(ok);
  const proxy = await startProxy(gone.port);
  await gone.stop();
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${proxy.origin}/x`, { method: 'POST', body: '{}' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'application/problem+json']);
  }
});

test('streams events without buffering', async () => {
  let stream: ServerResponse | undefined;
  const api = await startApi((_req, res) => {
    stream = res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    stream.flushHeaders();
  });
  const proxy = await startProxy(api.port);
  const answer = await fetch(`${proxy.origin}/events`);
  const reader = answer.body!.getReader();
  // each is written only when the one before has come: nothing is held back until there is more
  for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
    stream?.write(event);
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(event);
  }
  await reader.cancel();
});

test('forwards the real client address and keeps connections alive', async () => {
  const sockets = new Set<unknown>();
  const api = await startApi((req, res) => {
    sockets.add(req.socket);
    ok(req, res);
  });
  const proxy = await startProxy(api.port);
  const headers = {
    Authorization: 'Bearer pat_x',
    // a TLS proxy on this host adds the client's address; what the client sent stands before it
    'X-Forwarded-For': '203.0.113.9, 198.51.100.7',
    'X-Forwarded-Proto': 'https',
    'X-Request-Id': 'mine',
  };
  for (let i = 0; i < 20; i++) await (await fetch(`${proxy.origin}/api/v1/print-jobs?q=Anna`, { headers })).text();
  expect(api.seen[0]?.headers).toMatchObject({
    host: new URL(proxy.origin).host,
    authorization: 'Bearer pat_x',
    'x-request-id': 'mine',
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': new URL(proxy.origin).host,
  });
  // at most one for each process of nginx
  expect(sockets.size).toBeLessThanOrEqual(2);
  const [first] = proxy.requests();
  await fetch(`${proxy.origin}/pay/pay_secret/invoice.pdf`);
  await eventually(
    () => proxy.requests().length,
    (count) => count > 20,
  );
  // logs must not contain search terms, tokens or payment links
  const request = { path: '/api/v1/print-jobs', status: '200', api: `127.0.0.1:${api.port}`, client: '198.51.100.7' };
  expect(first).toMatchObject(request);
  expect(JSON.stringify(proxy.requests())).not.toMatch(/Anna|pat_x|pay_secret/);
});

test('passes bodies on and refuses huge ones in the usual error format', async () => {
  const api = await startApi(ok);
  const proxy = await startProxy(api.port);
  const post = (path: string, bytes: number) =>
    fetch(`${proxy.origin}${path}`, { method: 'POST', body: 'x'.repeat(bytes) });
  // what the service takes on each route; the rest it refuses itself
  for (const [path, bytes] of [
    ['/api/v1/print-jobs', 100_000],
    ['/masters/anna-prints/requests', 60_000_000],
    ['/agent/v1/octoprint', 8_000_000],
    ['/agent/v1/apprise', 8_000_000],
    ['/console/api/profile/photos', 2_000_000],
    ['/console/api/profile/photos', 4_000_000],
  ] as const)
    expect([path, bytes, (await post(path, bytes)).status]).toEqual([path, bytes, 200]);
  expect(api.seen).toHaveLength(6);
  const refused = await post('/x', 200_000);
  expect(refused.status).toBe(413);
  const id = refused.headers.get('x-request-id');
  expect(await refused.json()).toMatchObject({ code: 'body_too_large', status: 413, request_id: id });
  expect(api.seen).toHaveLength(6);
});

describe('a body that is passed on as it arrives', () => {
  const UPLOADS = ['/masters/anna-prints/requests', '/console/api/profile/photos', '/agent/v1/octoprint'];
  const body = 'x'.repeat(1_000_000);

  test.each(UPLOADS)('%s: goes to another API process only if the first is down', async (path) => {
    const api = await startApi(ok);
    const proxy = await startProxy(await freePort(), api.port);
    for (let i = 0; i < 6; i++)
      expect((await fetch(`${proxy.origin}${path}`, { method: 'POST', body })).status).toBe(200);
    expect(api.seen).toHaveLength(6);
  });

  test.each(UPLOADS.flatMap((path) => [1, body.length].map((length) => [path, length] as const)))(
    '%s: a body of %i bytes is never sent twice',
    async (path, length) => {
      const dying = await startApi((req) => void req.socket.destroy());
      const other = await startApi((req) => void req.socket.destroy());
      const proxy = await startProxy(dying.port, other.port);
      const answer = await fetch(`${proxy.origin}${path}`, { method: 'POST', body: body.slice(0, length) });
      expect([answer.status, await answer.json()]).toEqual([
        502,
        expect.not.objectContaining({ code: expect.anything() }),
      ]);
      expect(dying.seen.length + other.seen.length).toBe(1);
    },
  );
});

describe('requests at once', () => {
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

  /** An API process that answers nothing at /held, and only the head at /console/api/live. */
  const holding: RequestListener = (req, res) => {
    if (req.url === '/console/api/live') res.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    else if (req.url !== '/held') ok(req, res);
  };

  async function hold(proxy: Nginx, api: Api, addresses: string[]): Promise<void> {
    const before = api.seen.length;
    const abort = new AbortController();
    for (const address of addresses)
      fetch(`${proxy.origin}/held`, { ...from(address), signal: abort.signal }).catch(() => undefined);
    running.push({ stop: () => abort.abort() });
    await expectSoon(() => api.seen.length - before, addresses.length);
  }

  test('are limited for each client, apart from live updates', async () => {
    const api = await startApi(holding);
    const proxy = await startProxy(api.port);
    const [shop, other] = ['203.0.113.1', '203.0.113.2'] as const;
    await hold(proxy, api, Array(64).fill(shop));
    const refused = await fetch(`${proxy.origin}/api/v1/me`, from(shop));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    const id = refused.headers.get('x-request-id');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', status: 429, request_id: id });
    expect((await fetch(`${proxy.origin}/api/v1/me`, from(other))).status).toBe(200);
    // more than the service lets an account have
    const streams = Array.from({ length: 120 }, () => fetch(`${proxy.origin}/console/api/live`, from(shop)));
    for (const stream of streams) {
      expect((await stream).status).toBe(200);
      await (await stream).body?.cancel();
    }
  });

  test('count for the /64 and the /48 of an IPv6 address, and for all clients together', async () => {
    const api = await startApi(holding);
    const proxy = await startProxy(api.port);
    const network = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, i) => `2001:db8:${prefix}::${i.toString(16)}a`);
    const statusFrom = async (address: string) => (await fetch(`${proxy.origin}/x`, from(address))).status;
    await hold(proxy, api, network('0:1', 64));
    expect(await statusFrom('2001:db8:0:1:ffff::1')).toBe(429);
    await hold(proxy, api, network('0:2', 31));
    expect(await statusFrom('2001:db8:0:3::1')).toBe(200);
    await hold(proxy, api, network('0:3', 1));
    // 96 of the /48, whichever of its networks asks
    for (const asking of ['2', '3', 'ffff']) expect(await statusFrom(`2001:db8:0:${asking}::1`)).toBe(429);
    expect(await statusFrom('2001:db8:1:1::1')).toBe(200);
    for (const prefix of ['1:1', '2:1']) await hold(proxy, api, network(prefix, 64));
    await hold(proxy, api, network('3:1', 31));
    expect(await statusFrom('203.0.113.1')).toBe(200);
    await hold(proxy, api, network('3:1', 32).slice(31));
    expect(await statusFrom('203.0.113.1')).toBe(429);
  });
});

test('logs no payment link, token, search or referrer, whatever goes wrong', async () => {
  const link = `/pay/pay_${'A1b2'.repeat(8)}`;
  const paths = [
    link,
    `/x/..${link}`,
    `/${link}/invoice.pdf`,
    link.replace('/pay/', '/PAY/'),
    link.replace('/pay/', '/x/'),
  ];
  const down = await startApi((req) => void req.socket.destroy());
  const proxy = await startProxy(down.port, await freePort());
  const headers = { Referer: `${proxy.origin}${link}` };
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${proxy.origin}${path}?q=Anna+Schmidt`, { ...init, headers: { ...headers, ...init.headers } }).catch(
      () => null,
    );
  const post = (bytes: number): RequestInit => ({ method: 'POST', body: 'x'.repeat(bytes) });
  const sendRaw = (text: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(proxy.port, '127.0.0.1', () => socket.write(text));
      socket.on('close', () => resolve()).on('error', () => undefined);
      socket.resume();
    });
  const head = (path: string, more: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nReferer: ${link}\r\n${more}\r\n`;

  // an API process that ends in the middle, and others that are down
  for (const path of paths) for (let i = 0; i < 3; i++) await send(path);
  await down.stop();
  for (const path of paths) expect((await send(path))?.status).toBe(502);
  expect((await send(`${link}/checkout`, post(1_200_000)))?.status).toBe(413);
  // into a file
  expect((await send(`${link}/checkout`, post(50_000)))?.status).toBe(502);
  rmSync(join(proxy.folder, 'nginx-body'), { recursive: true });
  expect((await send(`${link}/checkout`, post(50_000)))?.status).toBe(500);
  await sendRaw(head(link, 'Content-Length: x\r\n'));
  await sendRaw(head(link, 'A: \0\r\n'));
  await sendRaw(head(`${link}${'x'.repeat(9_000)}`, ''));
  await sendRaw(head(link, `A: ${'x'.repeat(9_000)}\r\n`));
  await sendRaw(`GET ${link} HTTP/9.9\r\n\r\n`);

  const requests = await eventually(
    () => proxy.requests(),
    (seen) => seen.length >= 4 * paths.length + 8,
  );
  expect(proxy.log()).not.toMatch(/pay_A|A1b2|Anna|Schmidt/);
  expect(new Set(requests.map(({ status }) => status))).toEqual(new Set(['400', '413', '414', '500', '502', '505']));
  expect(requests).toContainEqual(expect.objectContaining({ status: '502', api_status: '502', path: '/pay/-' }));
});

describe('memory', () => {
  /** What the proxy may take of its container: half of it is left to the connections in the system. */
  const MAX_BYTES = 64 * 1024 * 1024;

  interface Held {
    socket: Socket;
    /** what was answered so far */
    answer: string;
  }

  /** Opens connections that send a head and the beginning of a body, and then nothing. */
  async function hold(proxy: Nginx, count: number, path: string, sent: number, announced: number): Promise<Held[]> {
    const part = Buffer.alloc(sent, 'x');
    const open = async (): Promise<Held> => {
      const held: Held = { socket: connect(proxy.port, '127.0.0.1'), answer: '' };
      held.socket.setEncoding('utf8').on('data', (text: string) => {
        held.answer += text;
      });
      const over = new Promise<void>((resolve) => {
        held.socket.on('error', () => resolve()).on('end', () => resolve());
        held.socket.on('data', () => resolve());
      });
      held.socket.write(`POST ${path} HTTP/1.1\r\nHost: farm\r\nContent-Length: ${announced}\r\n\r\n`);
      const taken = new Promise<void>((resolve) => held.socket.write(part, () => resolve()));
      await Promise.race([over, taken]);
      return held;
    };
    const held = await Promise.all(Array.from({ length: count }, open));
    running.push({ stop: () => held.map(({ socket }) => socket.destroy()) });
    return held;
  }

  const statusesOf = (held: Held[]) => new Set(held.map(({ answer }) => answer.split('\r\n')[0]).filter(Boolean));

  async function settledMemory(proxy: Nginx): Promise<number> {
    let before = -1;
    const total = () => {
      const { resident, temporary } = proxy.memory();
      return resident + temporary;
    };
    return eventually(
      async () => {
        const seen = { before, now: total() };
        before = seen.now;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return seen;
      },
      (seen) => seen.before === seen.now,
    ).then(({ now }) => now);
  }

  test('a client with unfinished bodies takes half of the container at most, and others are served', async () => {
    const api = await startApi(ok);
    const proxy = await startProxy(api.port);
    const large = await hold(proxy, 5, '/masters/nobody-here/requests', 55_000_000, 60_000_000);
    const medium = await hold(proxy, 200, '/api/v1/me', 980_000, 990_000);
    const small = await hold(proxy, 900, '/api/v1/me', 126_000, 127_000);
    const memory = await settledMemory(proxy);
    expect(memory).toBeLessThan(MAX_BYTES);
    for (const body of ['{}', 'x'.repeat(100_000)]) {
      const headers = { 'X-Forwarded-For': '198.51.100.7' };
      expect((await fetch(`${proxy.origin}/x`, { method: 'POST', body, headers })).status).toBe(200);
    }
    expect(statusesOf(large)).toEqual(new Set());
    expect(statusesOf(medium)).toEqual(new Set(['HTTP/1.1 413 Request Entity Too Large']));
    expect(statusesOf(small)).toEqual(new Set(['HTTP/1.1 429 Too Many Requests']));
  });
});
