import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../kit/eventually.ts';
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
    5_000,
  );
  // logs must not contain search terms, tokens or payment links
  const request = { path: '/api/v1/print-jobs', status: '200', api: `127.0.0.1:${api.port}`, client: '198.51.100.7' };
  expect(first).toMatchObject(request);
  expect(JSON.stringify(proxy.requests())).not.toMatch(/Anna|pat_x|pay_secret/);
});

test('passes bodies on and refuses huge ones in the usual error format', async () => {
  const api = await startApi(ok);
  const proxy = await startProxy(api.port);
  const post = (bytes: number) => fetch(`${proxy.origin}/x`, { method: 'POST', body: 'x'.repeat(bytes) });
  expect((await post(200_000)).status).toBe(200);
  const refused = await post(2_000_000);
  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({ code: 'body_too_large', status: 413 });
  expect(api.seen).toHaveLength(1);
});
