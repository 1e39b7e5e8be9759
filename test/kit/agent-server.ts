import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Report } from '../../agent/src/report.ts';
import { createGate } from '../../agent/src/simulation/printers/gate.ts';
import { freePort } from './ports.ts';

export const TOKEN = 'agt_0123456789abcdefghijklmnopqrstuvwxyz';
export const PRINTER_ID = '018f0000-0000-7000-8000-000000000001';

interface Received {
  report: Report;
  status: number;
}

export type FakeAgentApi = Awaited<ReturnType<typeof startFakeAgentApi>>;

const IDENTITY = {
  agent_id: '018f0000-0000-7000-8000-00000000000a',
  name: 'Rack 1',
  signed_only: true,
  printers: [{ id: PRINTER_ID, name: 'Prusa 1' }],
};

function sendProblem(
  res: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
  facts: Record<string, unknown> = {},
): void {
  res
    .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
    .end(JSON.stringify({ type: 'about:blank', title: code, status, detail: `about ${code}`, code, ...facts }));
}

function isGenuine(req: IncomingMessage, raw: Buffer, token: string): boolean {
  if (req.headers.authorization !== `Bearer ${token}`) return false;
  const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(req.headers['x-agent-signature'])) ?? [];
  if (Math.abs(Date.now() / 1000 - Number(t)) > 300) return false;
  return createHmac('sha256', token).update(`${t}.`).update(raw).digest('hex') === v1;
}

/**
 * A fake agent API written from its documentation: bearer token, signature over time and raw body, one effect per
 * `event_id`. Shares only the report's type with the agent.
 */
export async function startFakeAgentApi({ token = TOKEN } = {}) {
  const received: Received[] = [];
  const bodies = new Map<string, string>();
  /** overrides the response while it returns true */
  let instead: ((report: Report, res: ServerResponse) => boolean) | undefined;
  let onReport: ((report: Report) => void) | undefined;

  function answerReport(raw: string, res: ServerResponse): unknown {
    // when it was sent is not part of what it says
    const { sent_at: _, ...report } = JSON.parse(raw) as Report & { sent_at: string };
    const content = JSON.stringify(report);
    if (instead?.(report, res)) return undefined;
    const first = bodies.get(report.event_id);
    const status = first === undefined ? 201 : first === content ? 200 : 409;
    bodies.set(report.event_id, first ?? content);
    received.push({ report, status });
    onReport?.(report);
    if (status === 409) return sendProblem(res, 409, 'idempotency_conflict');
    const replayed = status === 200 ? { 'Idempotency-Replayed': 'true' } : {};
    return res.writeHead(status, { 'Content-Type': 'application/json', ...replayed }).end('{}');
  }

  const routes: Record<string, (raw: string, res: ServerResponse) => unknown> = {
    'GET /agent/v1/me': (_raw, res) =>
      res
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ ...IDENTITY, server_time: new Date().toISOString() })),
    'POST /agent/v1/reports': answerReport,
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('error', () => undefined);
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const raw = Buffer.concat(chunks);
      if (!isGenuine(req, raw, token)) return sendProblem(res, 401, 'unauthorized', { 'WWW-Authenticate': 'Bearer' });
      const answer = routes[`${req.method} ${req.url}`];
      if (!answer) return sendProblem(res, 404, 'not_found');
      answer(raw.toString('utf8'), res);
    });
  });
  const gate = await createGate(server, await freePort());

  return {
    url: `http://127.0.0.1:${gate.port}`,
    gate,
    received,
    /** The applied reports in order. */
    effects: () => received.filter(({ status }) => status === 201).map(({ report }) => report),
    answerInstead: (answer: typeof instead) => {
      instead = answer;
    },
    onReport: (listener: typeof onReport) => {
      onReport = listener;
    },
    problem: sendProblem,
    stop: () => gate.down(),
  };
}
