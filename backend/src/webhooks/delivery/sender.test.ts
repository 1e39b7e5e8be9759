import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, isIP, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import type { AttemptOutcome } from './attempt.ts';
import { BlockedAddressError, createGuard, type Guard } from './guard.ts';
import { type ConnectionPool, createSender } from './sender.ts';

const HEADERS = { 'Content-Type': 'application/json', 'User-Agent': 'Farmboard' };
const BODY = '{"event":"webhook.test","data":{"name":"Größe 🖨"}}';

const guardOf = (allowedHosts: string, resolve?: (host: string) => Promise<string[]>): Guard =>
  createGuard({ allowedHosts, signUp: 'closed', ownServices: [], ...(resolve && { resolve }) });
const EVERYWHERE = guardOf('external,private,loopback');

/** A deadline that ends a test soon, but not before a request has arrived. */
const SHORT_MS = 500;

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A connection pool that is closed at the end of the test. */
function openConnection(guard: Guard = EVERYWHERE, timeoutMs = 60_000): ConnectionPool {
  const connection = createSender({ guard, timeoutMs }).openPool();
  cleanups.push(() => connection.close());
  return connection;
}

const send = (connection: ConnectionPool, url: string, body = BODY): Promise<AttemptOutcome> =>
  connection.send({ url, headers: HEADERS, body });

/** Listens on a free loopback port until the end of the test. */
async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A raw TCP receiver: `answer` is called for every complete request head, `posts` counts them. */
async function rawReceiver(answer: (socket: Socket, nth: number) => void) {
  const seen = { posts: 0, connections: 0, bytes: '' };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.on('data', (chunk) => {
      const before = seen.bytes.split('POST /').length;
      seen.bytes += chunk.toString('latin1');
      const after = seen.bytes.split('POST /').length;
      for (let i = before; i < after; i++) {
        seen.posts += 1;
        answer(socket, seen.posts);
      }
    });
  });
  const port = await listen(server);
  return { seen, port, url: `http://127.0.0.1:${port}/hook` };
}

async function httpReceiver(
  handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
  host?: string,
) {
  const seen = { posts: 0, connections: 0 };
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.posts += 1;
    handle(request, response, Buffer.concat(chunks));
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  const port = await listen(server, host);
  return { seen, port, url: `http://127.0.0.1:${port}/hook` };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const failed = (error: string, responseStatus: number | null = null) =>
  expect.objectContaining({ status: 'failed', error, responseStatus });
const succeeded = (responseStatus: number) =>
  expect.objectContaining({ status: 'succeeded', error: null, responseStatus });
/** The outcome of a response whose body did not arrive completely. */
const cut = (status: number, responseCut: string) =>
  expect.objectContaining({ ...OUTCOMES[status], responseStatus: status, responseCut });
const OUTCOMES: Record<number, { status: string; error: string | null }> = {
  200: { status: 'succeeded', error: null },
  302: { status: 'failed', error: 'redirect' },
  500: { status: 'failed', error: 'http_status' },
};

describe('a request', () => {
  test('arrives unchanged: method, path with query, headers, body bytes', async () => {
    let got: { method?: string; url?: string; headers: IncomingMessage['headers']; body: Buffer } | null = null;
    const { port } = await httpReceiver((request, response, body) => {
      got = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      response.end();
    });
    const url = `http://127.0.0.1:${port}/a%20b/ü?wait=true&x=1#part`;
    expect(await send(openConnection(), url)).toEqual(succeeded(200));
    expect(got).toMatchObject({
      method: 'POST',
      url: '/a%20b/%C3%BC?wait=true&x=1',
      headers: { host: `127.0.0.1:${port}`, 'content-type': 'application/json', 'user-agent': 'Farmboard' },
      body: Buffer.from(BODY),
    });
  });

  test('sends no byte if it may not begin, on a new and on a reused connection; the next one is sent', async () => {
    const { seen, url } = await rawReceiver((socket) => socket.write(OK));
    const connection = openConnection();
    const request = { url, headers: HEADERS, body: BODY };
    expect(await connection.send(request, () => false)).toEqual(failed('interrupted'));
    expect(await connection.send(request, () => true)).toEqual(succeeded(200));
    expect(await connection.send(request, () => false)).toEqual(failed('interrupted'));
    expect(await connection.send(request, () => true)).toEqual(succeeded(200));
    expect(seen.posts).toBe(2);
    expect(seen.bytes.split(BODY.slice(0, 20))).toHaveLength(3);
  });

  test('reports its duration in whole milliseconds', async () => {
    const { url } = await httpReceiver((_request, response) => response.end());
    const { durationMs } = await send(openConnection(), url);
    expect(Number.isInteger(durationMs) && durationMs >= 0).toBe(true);
  });

  test('ignores proxy settings of the environment', async () => {
    const { url } = await httpReceiver((_request, response) => response.end());
    process.env.HTTP_PROXY = 'http://127.0.0.1:1';
    process.env.http_proxy = 'http://127.0.0.1:1';
    cleanups.push(() => {
      delete process.env.HTTP_PROXY;
      delete process.env.http_proxy;
    });
    expect(await send(openConnection(), url)).toEqual(succeeded(200));
  });
});

describe('receivers that misbehave', () => {
  test.each([200, 201, 202, 204, 299])('%i is a success', async (status) => {
    const { url } = await httpReceiver((_request, response) => response.writeHead(status).end());
    expect(await send(openConnection(), url)).toEqual(succeeded(status));
  });

  test.each([400, 401, 404, 410, 429, 500, 503])('%i is http_status, and is sent once', async (status) => {
    const { url, seen } = await httpReceiver((_request, response) =>
      response.writeHead(status, { 'Retry-After': '0' }).end('no'),
    );
    expect(await send(openConnection(), url)).toEqual(failed('http_status', status));
    expect(seen.posts).toBe(1);
  });

  test.each([300, 301, 302, 303, 304, 307, 308])('%i is redirect, and is not followed', async (status) => {
    const inside = await httpReceiver((_request, response) => response.end());
    const { url } = await httpReceiver((_request, response) =>
      response.writeHead(status, { Location: inside.url }).end(),
    );
    expect(await send(openConnection(), url)).toEqual(failed('redirect', status));
    expect(inside.seen.connections).toBe(0);
  });

  test('hangs before its response head: timeout, and the connection is closed', async () => {
    let closed: Promise<void> | undefined;
    const { url, seen } = await rawReceiver((socket) => {
      closed = new Promise((resolve) => socket.on('close', () => resolve()));
    });
    const outcome = await send(openConnection(EVERYWHERE, SHORT_MS), url);
    expect(outcome).toEqual(failed('timeout'));
    expect(outcome.durationMs).toBeGreaterThanOrEqual(SHORT_MS - 5);
    expect(outcome.durationMs).toBeLessThan(2_000);
    await closed;
    expect(seen.posts).toBe(1);
  });

  test('drips its head, its body or informational responses: one deadline ends each', async () => {
    for (const [head, drop] of [
      ['HTTP/1.1 200 OK\r\n', 'X-Drop: 1\r\n'],
      ['HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n', 'x'],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
      ['', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ] as const) {
      const { url } = await rawReceiver((socket) => {
        socket.write(head);
        const timer = setInterval(() => socket.write(drop), 10);
        socket.on('close', () => clearInterval(timer));
      });
      const outcome = await send(openConnection(EVERYWHERE, SHORT_MS), url);
      // an informational response is not a response
      const expected = head === '' || drop.startsWith('X-') ? failed('timeout') : cut(200, 'timeout');
      expect([drop, outcome]).toEqual([drop, expected]);
      expect(outcome.durationMs).toBeLessThan(2_000);
    }
  });

  test('sends headers without end: parses little more than their limit of 16 KiB', async () => {
    const { url, port } = await rawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'X-Many: 1\r\n'.repeat(100_000)}`);
    });
    const read = jest.spyOn(Socket.prototype, 'read');
    expect(await send(openConnection(), url)).toEqual(failed('invalid_response'));
    const chunks = read.mock.results.filter((_, i) => read.mock.contexts[i]?.remotePort === port);
    read.mockRestore();
    const parsed = chunks.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    expect(parsed).toBeGreaterThan(16 * 1024);
    expect(parsed).toBeLessThan(32 * 1024);
  });

  test.each([
    [100, succeeded(200)],
    [101, failed('invalid_response')],
  ])(
    'sends %i informational responses before its response: one more than 100 end the attempt',
    async (count, outcome) => {
      const { url, seen } = await rawReceiver((socket) =>
        socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count) + OK),
      );
      expect(await send(openConnection(), url)).toEqual(outcome);
      expect(seen.posts).toBe(1);
    },
  );

  test.each([
    [200, 'succeeded'],
    [500, 'failed'],
  ])('whose %i never ends: cut off after 64 KiB, and the status decides', async (status, verdict) => {
    let written = 0;
    let closed: Promise<void> | undefined;
    const { url } = await rawReceiver((socket) => {
      closed = new Promise((resolve) => socket.on('close', () => resolve()));
      socket.write(`HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        written += chunk.length;
      };
      socket.on('drain', more);
      more();
    });
    expect(await send(openConnection(), url)).toMatchObject({ status: verdict, responseStatus: status });
    await closed;
    // what fits into socket buffers, rather than an endless stream
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  test('a body of exactly 64 KiB is read and its connection reused; one byte more is cut off', async () => {
    let size = 64 * 1024;
    const { url, seen } = await httpReceiver((_request, response) => response.end(Buffer.alloc(size)));
    const connection = openConnection();
    await send(connection, url);
    await send(connection, url);
    expect(seen.connections).toBe(1);
    size += 1;
    expect(await send(connection, url)).toEqual(succeeded(200));
    await send(connection, url);
    expect(seen.connections).toBe(2);
  });

  test.each([
    ['before its head', ''],
    ['in its head', 'HTTP/1.1 200 OK\r\nContent-'],
  ])('resets the connection %s: connection_reset, sent once', async (_when, bytes) => {
    const { url, seen } = await rawReceiver((socket) => {
      if (bytes === '') socket.resetAndDestroy();
      else socket.write(bytes, () => setImmediate(() => socket.resetAndDestroy()));
    });
    expect(await send(openConnection(), url)).toEqual(failed('connection_reset'));
    expect(seen.posts).toBe(1);
  });

  const LONG_BODY = 'Content-Length: 1000\r\n\r\n{"ok":1';
  const MUCH = 'x'.repeat(200_000);
  const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
  const CUT_BODIES: [string, string, string, (socket: Socket) => unknown][] = [
    ['shorter than its Content-Length', LONG_BODY, 'connection_reset', (socket) => socket.end()],
    ['that ends within its chunks', `${CHUNKED}4\r\nhalf\r\n`, 'connection_reset', (socket) => socket.end()],
    ['with a chunk that is none', `${CHUNKED}zz\r\n`, 'invalid_response', () => undefined],
    ['of which nothing arrives', 'Content-Length: 9\r\n\r\n', 'connection_reset', (socket) => socket.end()],
    ['with an endless extension', `${CHUNKED}1;a=`, 'invalid_response', (socket) => socket.write(MUCH)],
    ['with an endless length', CHUNKED, 'invalid_response', (socket) => socket.write(MUCH.replaceAll('x', '0'))],
    ['that stays away', LONG_BODY, 'timeout', () => undefined],
  ];
  test.each(CUT_BODIES)('responds with a body %s: the status decides, sent once', async (_which, rest, why, then) => {
    for (const status of [200, 302, 500]) {
      const { url, seen } = await rawReceiver((socket) =>
        socket.write(`HTTP/1.1 ${status} X\r\n${rest}`, () => then(socket)),
      );
      const connection = openConnection(EVERYWHERE, why === 'timeout' ? SHORT_MS : undefined);
      expect(await send(connection, url)).toEqual(cut(status, why));
      expect(seen.posts).toBe(1);
    }
  });

  test('resets the connection after its head: the status decides if it arrived before, sent once', async () => {
    const { url, seen } = await rawReceiver((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${LONG_BODY}`, () => setImmediate(() => socket.resetAndDestroy())),
    );
    // a reset may overtake the bytes before it
    expect([cut(200, 'connection_reset'), failed('connection_reset')]).toContainEqual(
      await send(openConnection(), url),
    );
    expect(seen.posts).toBe(1);
  });

  test('closes without a response: connection_reset, sent once', async () => {
    const { url, seen } = await rawReceiver((socket) => socket.end());
    expect(await send(openConnection(), url)).toEqual(failed('connection_reset'));
    expect(seen).toMatchObject({ posts: 1, connections: 1 });
  });

  test('a port without a listener: connection_refused', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await send(openConnection(), `http://127.0.0.1:${port}/`)).toEqual(failed('connection_refused'));
    expect(await send(openConnection(), `http://localhost:${port}/`)).toEqual(failed('connection_refused'));
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['bytes', '\x00\x01\x02\x03garbage'],
    ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}`],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
  ])('responds with %s: invalid_response, sent once', async (_what, bytes) => {
    const { url, seen } = await rawReceiver((socket) => socket.write(bytes));
    expect(await send(openConnection(), url)).toMatchObject({ status: 'failed', error: 'invalid_response' });
    expect(seen.posts).toBe(1);
  });

  test('a name that does not resolve: dns_error', async () => {
    for (const resolve of [async () => [], async () => Promise.reject(new Error('SERVFAIL'))]) {
      expect(await send(openConnection(guardOf('external', resolve)), 'http://nobody.example/')).toEqual(
        failed('dns_error'),
      );
    }
  });

  test('a name server that never responds: timeout', async () => {
    const guard = guardOf('external', () => new Promise(() => {}));
    expect(await send(openConnection(guard, 100), 'http://silent.example/')).toEqual(failed('timeout'));
  });

  test.each([
    ['http://127.0.0.1:0/', HEADERS],
    ['nonsense', HEADERS],
    ['http://127.0.0.1:1/', { 'X-Bad': 'line\r\nX-Injected: 1' }],
  ])('a request that cannot be sent resolves with a failed attempt: %j', async (url, headers) => {
    expect(await openConnection().send({ url, headers, body: BODY })).toMatchObject({
      status: 'failed',
      responseStatus: null,
    });
  });
});

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-tls-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      ...subject,
      '-keyout',
      keyFile,
      '-out',
      certFile,
    ],
    { stdio: 'ignore' },
  );
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
  afterAll(() => rmSync(folder, { recursive: true }));

  async function tlsReceiver() {
    const seen = { posts: 0 };
    const server = createTlsServer({ key, cert }, (socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        seen.posts += 1;
        socket.write(OK);
      });
    });
    server.on('tlsClientError', () => {});
    return { seen, port: await listen(server) };
  }

  test('an untrusted certificate: tls_error, and nothing is sent', async () => {
    const { seen, port } = await tlsReceiver();
    expect(await send(openConnection(), `https://127.0.0.1:${port}/`)).toEqual(failed('tls_error'));
    expect(await send(openConnection(), `https://localhost:${port}/`)).toEqual(failed('tls_error'));
    expect(seen.posts).toBe(0);
  });

  test('https to a port that speaks plain HTTP or closes during the handshake: tls_error', async () => {
    const plain = await httpReceiver((_request, response) => response.end());
    expect(await send(openConnection(), `https://127.0.0.1:${plain.port}/`)).toEqual(failed('tls_error'));
    const port = await listen(createServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await send(openConnection(), `https://127.0.0.1:${port}/`)).toEqual(failed('tls_error'));
  });

  test('a handshake that hangs: timeout', async () => {
    const port = await listen(createServer(() => {}));
    expect(await send(openConnection(EVERYWHERE, 100), `https://127.0.0.1:${port}/`)).toEqual(failed('timeout'));
  });

  test('http to a TLS port fails as invalid HTTP or as a closed connection', async () => {
    const { seen, port } = await tlsReceiver();
    const outcome = await send(openConnection(), `http://127.0.0.1:${port}/`);
    expect(outcome.status).toBe('failed');
    expect(['invalid_response', 'connection_reset']).toContain(outcome.error);
    expect(seen.posts).toBe(0);
  });
});

describe('the address checks at send time', () => {
  test('connects to the address that was checked and checks each new connection again (DNS rebinding)', async () => {
    const { port, seen } = await httpReceiver((_request, response) => response.end());
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
    let asked = 0;
    const guard = guardOf('127.0.0.1/32', async () => [answers[Math.min(asked++, 2)] as string]);
    await guard.checkUrl(`http://rebind.example:${port}/`);
    expect(asked).toBe(1);
    for (let i = 0; i < 20; i++) {
      expect(await send(openConnection(guard), `http://rebind.example:${port}/`)).toEqual(failed('blocked_address'));
    }
    expect(seen.connections).toBe(0);
  });

  test('checks the address of the connected socket before the first byte, also with TLS', async () => {
    for (const scheme of ['http', 'https']) {
      const seen = { bytes: 0 };
      const closed = new Promise<void>((resolve) => {
        const server = createServer((socket) => {
          socket.on('data', (chunk) => {
            seen.bytes += chunk.length;
          });
          socket.on('close', () => resolve());
        });
        void listen(server).then(async (port) => {
          // a guard whose first two checks allow what the third forbids
          const guard: Guard = {
            ...EVERYWHERE,
            forTarget: (url) => ({
              ...EVERYWHERE.forTarget(url),
              checkAddress(address) {
                expect(isIP(address)).not.toBe(0);
                throw new BlockedAddressError();
              },
            }),
          };
          const outcome = await send(openConnection(guard), `${scheme}://127.0.0.1:${port}/`);
          expect(outcome).toEqual(failed('blocked_address'));
        });
      });
      await closed;
      expect([scheme, seen.bytes]).toEqual([scheme, 0]);
    }
  });
});

describe('connections', () => {
  test('consecutive requests reuse a connection within their pool, never across pools', async () => {
    const { url, seen } = await httpReceiver((_request, response) => response.end());
    const [one, other] = [openConnection(), openConnection()];
    for (let i = 0; i < 5; i++) await send(one, url);
    expect(seen).toEqual({ posts: 5, connections: 1 });
    await send(other, url);
    expect(seen.connections).toBe(2);
  });

  test('at most 4 per origin, one request at a time on each, and all requests end', async () => {
    let [now, most] = [0, 0];
    const waiting: ServerResponse[] = [];
    const { url, seen } = await httpReceiver((_request, response) => {
      now += 1;
      most = Math.max(most, now);
      waiting.push(response);
      // responds once four requests wait, so a fifth would be seen
      if (waiting.length === 4) {
        setImmediate(() => {
          now -= 4;
          for (const one of waiting.splice(0)) one.end();
        });
      }
    });
    const connection = openConnection();
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => send(connection, url)));
    expect(outcomes).toEqual(outcomes.map(() => succeeded(200)));
    expect([most, seen.connections, seen.posts]).toEqual([4, 4, 40]);
  });

  test('at most 4 also after failures, each of them replaced', async () => {
    let [now, most] = [0, 0];
    const { url, seen } = await rawReceiver((socket, nth) => {
      if (nth % 3 === 0) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const server = createServer((socket) => {
      now += 1;
      most = Math.max(most, now);
      socket.on('close', () => {
        now -= 1;
      });
      socket.on('data', () => socket.resetAndDestroy());
    });
    const port = await listen(server);
    const connection = openConnection();
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => send(connection, url)));
    expect(seen.posts).toBe(60);
    expect(outcomes.filter((outcome) => outcome.error === 'connection_reset').length).toBeGreaterThanOrEqual(20);
    const refused = await Promise.all(Array.from({ length: 30 }, () => send(connection, `http://127.0.0.1:${port}/`)));
    expect(refused).toEqual(refused.map(() => failed('connection_reset')));
    expect(most).toBeLessThanOrEqual(4);
  });

  test('the deadline includes the wait for a free connection', async () => {
    const { url, seen } = await rawReceiver(() => {});
    const connection = openConnection(EVERYWHERE, 2 * SHORT_MS);
    // checked when the first one gives up: its connection may still be taken by one of the two waiting
    const postsAtEnd: number[] = [];
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => send(connection, url).finally(() => postsAtEnd.push(seen.posts))),
    );
    expect(outcomes).toEqual(outcomes.map(() => failed('timeout')));
    expect(postsAtEnd[0]).toBe(4);
  });

  test('reconnects after the receiver closed a reused connection', async () => {
    let close: (() => Promise<void>) | undefined;
    const { url, seen } = await rawReceiver((socket) => {
      socket.write(OK);
      close = () =>
        new Promise((resolve) => {
          socket.on('close', () => resolve());
          socket.end();
        });
    });
    const connection = openConnection();
    expect(await send(connection, url)).toEqual(succeeded(200));
    await close?.();
    expect(await send(connection, url)).toEqual(succeeded(200));
    expect(seen).toMatchObject({ posts: 2, connections: 2 });
  });

  test.each(['end', 'resetAndDestroy'] as const)(
    'the receiver closes a reused connection (%s) while the next POST is sent: connection_reset, seen once',
    async (how) => {
      const { url, seen } = await rawReceiver((socket, nth) => {
        if (nth === 1) socket.write(OK);
        else socket[how]();
      });
      const connection = openConnection();
      expect(await send(connection, url)).toEqual(succeeded(200));
      expect(await send(connection, url)).toEqual(failed('connection_reset'));
      expect(seen).toMatchObject({ posts: 2, connections: 1 });
    },
  );

  test('a receiver that closes after every response: each POST is seen at most once and each outcome reported', async () => {
    const closings = [
      (socket: Socket) => socket.end(),
      (socket: Socket) => setImmediate(() => socket.end()),
      (socket: Socket) => setImmediate(() => socket.resetAndDestroy()),
      (socket: Socket) => setTimeout(() => socket.destroy(), 1),
    ];
    const ids = new Map<string, number>();
    const { url } = await httpReceiver((request, response, body) => {
      ids.set(body.toString(), (ids.get(body.toString()) ?? 0) + 1);
      response.end('ok', () => closings[ids.size % closings.length]?.(request.socket));
    });
    const connection = openConnection();
    const outcomes = new Map<string, AttemptOutcome>();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < 400) {
        const body = String(next++);
        outcomes.set(body, await send(connection, url, body));
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(outcomes.size).toBe(400);
    expect([...ids.values()].filter((count) => count > 1)).toEqual([]);
    for (const [body, outcome] of outcomes) {
      if (outcome.status === 'succeeded') expect([body, ids.get(body)]).toEqual([body, 1]);
      else expect(outcome.error).toBe('connection_reset');
    }
  });

  test('does not reuse a connection that was idle for half a second', async () => {
    const { url, seen } = await httpReceiver((_request, response) => response.end());
    const connection = openConnection();
    await send(connection, url);
    // only the clock advances, as after an event loop stall: undici's own timer has not fired
    const now = performance.now.bind(performance);
    const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + 500);
    cleanups.push(() => spy.mockRestore());
    await send(connection, url);
    expect(seen.connections).toBe(2);
  });

  test('does not reuse a connection after `Connection: close`', async () => {
    const { url, seen } = await httpReceiver((_request, response) => response.setHeader('Connection', 'close').end());
    const connection = openConnection();
    for (let i = 0; i < 3; i++) expect(await send(connection, url)).toEqual(succeeded(200));
    expect(seen).toEqual({ posts: 3, connections: 3 });
  });
});

describe('closing the pool', () => {
  test('waits for a request in flight without aborting it, then closes its connection', async () => {
    let answer: (() => void) | undefined;
    let closed: Promise<void> | undefined;
    const arrived = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let finish: (() => void) | undefined;
    const { url } = await httpReceiver((request, response) => {
      closed = new Promise((done) => request.socket.on('close', () => done()));
      finish = () => response.end();
      answer?.();
    });
    const connection = openConnection();
    const running = send(connection, url);
    await arrived;
    const order: string[] = [];
    const closing = connection.close().then(() => order.push('closed'));
    void running.then(() => order.push('sent'));
    finish?.();
    expect(await running).toEqual(succeeded(200));
    await closing;
    await closed;
    expect(order).toEqual(['sent', 'closed']);
  });

  test('ends at the deadline of a request that hangs, and may be called twice', async () => {
    const { url } = await rawReceiver(() => {});
    const connection = openConnection(EVERYWHERE, 100);
    const running = send(connection, url);
    await Promise.all([connection.close(), connection.close()]);
    expect(await running).toEqual(failed('timeout'));
  });

  test('ends immediately if nothing was sent, and sends nothing afterwards', async () => {
    const { url, seen } = await httpReceiver((_request, response) => response.end());
    const connection = openConnection();
    await connection.close();
    expect(await send(connection, url)).toMatchObject({ status: 'failed', responseStatus: null });
    expect(seen.connections).toBe(0);
  });
});
