import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Report } from '../../agent/src/report.ts';
import { createGate } from './gate.ts';
import { freePort } from './ports.ts';

export const TOKEN = 'agt_0123456789abcdefghijklmnopqrstuvwxyz';
export const PRINTER_ID = '018f0000-0000-7000-8000-000000000001';

export interface Received {
  report: Report;
  status: number;
}

export type FakeAgentApi = Awaited<ReturnType<typeof startFakeAgentApi>>;

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

  const problem = (res: ServerResponse, status: number, code: string, headers: Record<string, string> = {}) =>
    res
      .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ type: 'about:blank', title: code, status, detail: `about ${code}`, code }));

  function isGenuine(req: IncomingMessage, raw: Buffer): boolean {
    if (req.headers.authorization !== `Bearer ${token}`) return false;
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(req.headers['x-agent-signature'])) ?? [];
    if (Math.abs(Date.now() / 1000 - Number(t)) > 300) return false;
    return createHmac('sha256', token).update(`${t}.`).update(raw).digest('hex') === v1;
  }

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('error', () => undefined);
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const raw = Buffer.concat(chunks);
      if (!isGenuine(req, raw)) return void problem(res, 401, 'unauthorized', { 'WWW-Authenticate': 'Bearer' });
      if (req.method === 'GET' && req.url === '/agent/v1/me') {
        res.writeHead(200, { 'Content-Type': 'application/json' }).end(
          JSON.stringify({
            agent_id: '018f0000-0000-7000-8000-00000000000a',
            name: 'Rack 1',
            signed_only: true,
            server_time: new Date().toISOString(),
            printers: [{ id: PRINTER_ID, name: 'Prusa 1' }],
          }),
        );
        return;
      }
      if (req.method !== 'POST' || req.url !== '/agent/v1/reports') return void problem(res, 404, 'not_found');
      const report = JSON.parse(raw.toString('utf8')) as Report;
      if (instead?.(report, res)) return;
      const first = bodies.get(report.event_id);
      const status = first === undefined ? 201 : first === String(raw) ? 200 : 409;
      bodies.set(report.event_id, first ?? String(raw));
      received.push({ report, status });
      onReport?.(report);
      if (status === 409) return void problem(res, 409, 'idempotency_conflict');
      res
        .writeHead(status, {
          'Content-Type': 'application/json',
          ...(status === 200 ? { 'Idempotency-Replayed': 'true' } : {}),
        })
        .end('{}');
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
    problem,
    stop: () => gate.down(),
  };
}
