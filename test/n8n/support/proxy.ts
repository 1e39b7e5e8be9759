import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Passed {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  /** what the target answered, once it has */
  status?: number;
}

/** What happens to an answer that the target has already given. */
export type Spoiling = 'pass' | 'drop the connection' | 'never answer' | number;

export type Gateway = Awaited<ReturnType<typeof startProxy>>;

/**
 * A reverse proxy on loopback that keeps what passed, and can spoil an answer after the target has done its work: the case
 * in which nobody but the target knows that something happened.
 */
export async function startProxy(options: {
  target: () => string;
  port?: number;
  spoil?: (passed: Passed) => Spoiling;
}) {
  const passed: Passed[] = [];
  let spoil = options.spoil ?? (() => 'pass' as const);

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', () => forward(req, res, Buffer.concat(chunks)));
  });

  function forward(req: IncomingMessage, res: ServerResponse, raw: Buffer): void {
    const one: Passed = { method: req.method as string, path: req.url as string, headers: req.headers, raw };
    passed.push(one);
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const onward = request(options.target() + one.path, { method: one.method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        one.status = answer.statusCode as number;
        const done = spoil(one);
        if (done === 'drop the connection') {
          res.socket?.destroy();
        } else if (done === 'pass') {
          const { connection: _c, 'transfer-encoding': _t, ...kept } = answer.headers;
          res.writeHead(one.status, kept).end(Buffer.concat(chunks));
        } else if (done !== 'never answer') {
          // again at once: nothing is proved by waiting
          res.writeHead(done, { 'content-type': 'text/plain', 'retry-after': '0' }).end('spoiled on the way');
        }
      });
    });
    // the target is down: a gateway in front of nothing, as seen from outside
    onward.on('error', () => res.socket?.destroy());
    onward.end(raw);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    passed,
    spoilWith(next: (passed: Passed) => Spoiling): void {
      spoil = next;
    },
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Spoils every third answer of those that are counted. `times` says how many it has spoiled. */
export function everyThird(counts: (passed: Passed) => boolean, ways: Spoiling[]) {
  let seen = 0;
  let spoiled = 0;
  return {
    times: () => spoiled,
    spoil(passed: Passed): Spoiling {
      if (!counts(passed)) return 'pass';
      seen += 1;
      if (seen % 3 !== 0) return 'pass';
      const way = ways[spoiled % ways.length] as Spoiling;
      spoiled += 1;
      return way;
    },
  };
}
