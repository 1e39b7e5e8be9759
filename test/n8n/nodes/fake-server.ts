import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the fake server saw it. */
export interface Seen {
  method: string;
  /** below `/api/v1`, without the query */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** the parsed body; undefined where there is none */
  body: Record<string, unknown> | undefined;
  /** as it came: path, query and bytes */
  target: string;
  raw: Buffer;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** an object is sent as JSON, text as it is */
  body?: unknown;
}

/** `cut`: the connection is closed without an answer; `half`: in the middle of one; `hang`: there is never one. */
export type Answer = Reply | 'cut' | 'half' | 'hang';

/** @param nth counted from 1 over all requests since the last `answerWith` */
export type Answering = (seen: Seen, nth: number) => Answer | Promise<Answer>;

export type FakeServer = Awaited<ReturnType<typeof startFakeServer>>;

const BASE = '/api/v1';

/** A server on a loopback socket that answers what it is told to: in place of Farmboard, or between it and n8n. */
export async function startFakeServer(answering: Answering = () => ({})) {
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
        body: raw.length === 0 ? undefined : (JSON.parse(raw.toString('utf8')) as Record<string, unknown>),
        target,
        raw,
      };
      seen.push(one);
      nth += 1;
      write(res, await answer(one, nth));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    baseUrl: `${origin}${BASE}`,
    /** what came since the last `answerWith` */
    seen,
    /** From now on it answers so; what it saw before is forgotten. */
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
  if (answer === 'half') {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    res.write('{"id":"', () => res.destroy());
    return;
  }
  const { status = 200, headers = {}, body } = answer;
  const isText = typeof body === 'string';
  if (body !== undefined) res.setHeader('Content-Type', isText ? 'text/html' : 'application/json');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.writeHead(status);
  res.end(body === undefined || isText ? body : JSON.stringify(body));
}

const NOT_PASSED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);

/** Sends a request on to the service and gives its answer. */
export async function passOn(origin: string, { method, target, headers, raw }: Seen): Promise<Reply> {
  const passed = Object.entries(headers).filter(([name]) => !NOT_PASSED.has(name)) as [string, string][];
  const response = await fetch(origin + target, {
    method,
    headers: passed,
    redirect: 'manual',
    ...(raw.length === 0 ? {} : { body: new Uint8Array(raw) }),
  });
  const text = await response.text();
  const answered = [...response.headers].filter(([name]) => !NOT_PASSED.has(name));
  return { status: response.status, headers: Object.fromEntries(answered), ...(text === '' ? {} : { body: text }) };
}

/** An error answer as Farmboard writes it. */
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

/** One page of a list as Farmboard gives it. */
export function pageOf<T>(records: readonly T[], { query }: Seen, total = records.length): Reply {
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 50);
  const items = records.slice((page - 1) * perPage, page * perPage);
  return { body: { items, total, page, per_page: perPage } };
}
