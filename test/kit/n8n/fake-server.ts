import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the fake server saw it. */
export interface Seen {
  method: string;
  /** Below `/api/v1`, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The parsed body; undefined if there is none in JSON. */
  body: Record<string, unknown> | undefined;
  /** The raw request: path, query and bytes. */
  target: string;
  raw: Buffer;
  /** The status of the service's response to a forwarded request, even if the response was then lost. */
  status?: number;
}

export interface Reply {
  status?: number;
  headers?: IncomingHttpHeaders;
  /** An object is sent as JSON, text and bytes unchanged. */
  body?: unknown;
}

/**
 * `cut`: the connection is closed without a response; `half`: in the middle of one; `hang`: no response ever comes;
 * `drip`: it comes byte by byte and never ends.
 */
export type Answer = Reply | 'cut' | 'half' | 'hang' | 'drip';

/** @param nth counted from 1 over all requests since the last `answerWith` */
export type Answering = (seen: Seen, nth: number) => Answer | Promise<Answer>;

export type FakeServer = Awaited<ReturnType<typeof startFakeServer>>;

const BASE = '/api/v1';

/** JSON; what is something else can be seen in `raw`. */
function parse(raw: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(raw.toString('utf8')) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A server on a loopback socket with scripted responses: in place of Farmboard, or between it and n8n. */
export async function startFakeServer(answering: Answering = () => ({}), port = 0) {
  const seen: Seen[] = [];
  let answer = answering;
  let nth = 0;

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', async () => {
      const raw = Buffer.concat(chunks);
      const target = req.url ?? '';
      const url = new URL(target, 'http://fake');
      const one: Seen = {
        method: req.method ?? '',
        path: url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length) : url.pathname,
        query: url.searchParams,
        headers: req.headers,
        body: parse(raw),
        target,
        raw,
      };
      seen.push(one);
      nth += 1;
      write(res, await answer(one, nth));
    });
  });
  // longer than n8n keeps idle connections, so that it closes them first
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    baseUrl: `${origin}${BASE}`,
    /** The requests since the last `answerWith`. */
    seen,
    /** Answers this way from now on and forgets earlier requests. */
    answerWith(next: Answering): void {
      answer = next;
      nth = 0;
      seen.length = 0;
    },
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function write(res: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return;
  if (answer === 'cut') return void res.destroy();
  if (answer === 'half' || answer === 'drip') {
    res.writeHead(200, { 'Content-Type': 'application/json' });
    if (answer === 'half') return void res.write('{"id":"', () => res.destroy());
    const dripping = setInterval(() => res.write('x'), 20);
    res.on('close', () => clearInterval(dripping)).write('{"id":"');
    return;
  }
  const { status = 200, headers = {}, body } = answer;
  if (body instanceof Buffer) return void res.writeHead(status, headers).end(body);
  const isText = typeof body === 'string';
  if (body !== undefined) res.setHeader('Content-Type', isText ? 'text/html' : 'application/json');
  res.writeHead(status, headers);
  res.end(body === undefined || isText ? body : JSON.stringify(body));
}

/** Forwards a request to the service and returns its response; `cut` if nothing is there. */
export function passOn(origin: string, seen: Seen): Promise<Answer> {
  const { host: _host, connection: _connection, ...headers } = seen.headers;
  return new Promise((resolve) => {
    const onward = request(origin + seen.target, { method: seen.method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        seen.status = answer.statusCode as number;
        const { connection: _hop, 'transfer-encoding': _encoding, ...answered } = answer.headers;
        resolve({ status: seen.status, headers: answered, body: Buffer.concat(chunks) });
      });
    });
    onward.on('error', () => resolve('cut'));
    onward.end(seen.raw);
  });
}

/** The response that replaces the service's own after it has done its work; undefined for most requests. */
export type Spoiling = (seen: Seen) => Answer | undefined;

/** A proxy that loses responses after the service has processed the requests. */
export const spoiledBy =
  (origin: () => string, spoil: Spoiling = () => undefined): Answering =>
  async (seen) => {
    const answer = await passOn(origin(), seen);
    return spoil(seen) ?? answer;
  };

/** The response of a proxy that asks for a retry at once, so that tests don't wait. */
export const spoiled = (status: number): Reply => ({
  status,
  headers: { 'Retry-After': '0' },
  body: 'spoiled on the way',
});

/** Spoils every third response to the counted requests. `times` tells how many it has spoiled. */
export function everyThird(counts: (seen: Seen) => boolean, ways: Answer[]) {
  let seen = 0;
  let times = 0;
  const spoil: Spoiling = (one) => {
    if (!counts(one)) return undefined;
    seen += 1;
    return seen % 3 === 0 ? ways[times++ % ways.length] : undefined;
  };
  return { times: () => times, spoil };
}

/** An error response as Farmboard writes it. */
export const problem = (
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Reply => ({
  status,
  headers: { 'Content-Type': 'application/problem+json', ...headers },
  body: {
    type: `urn:farmboard:error:${code}`,
    title: `Title of ${code}`,
    status,
    detail: `Detail of ${code}.`,
    code,
    request_id: `request-of-${code}`,
    ...more,
  },
});

/** One page of a list as Farmboard returns it. */
export function pageOf<T>(records: readonly T[], { query }: Seen, total = records.length): Reply {
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 50);
  const items = records.slice((page - 1) * perPage, page * perPage);
  return { body: { items, total, page, per_page: perPage } };
}
