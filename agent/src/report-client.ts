import { type Clock, toIso } from '../../common/src/clock.ts';
import { signTimed } from '../../common/src/crypto.ts';
import { explain } from './backoff.ts';
import type { Report } from './report.ts';
import { type Response, request } from './request.ts';
import { describeSkew, type ServerClock } from './server-clock.ts';

/** The result of sending one report. */
export type Sent =
  | { kind: 'taken'; isReplay: boolean }
  /** rejected permanently: its id belongs to another report, or it is invalid. `isKept`: the server keeps it */
  | { kind: 'refused'; reason: string; isKept: boolean }
  /** the token or the address is wrong; a person has to fix it */
  | { kind: 'closed'; reason: string }
  /** temporarily unavailable */
  | { kind: 'later'; reason: string; afterMs: number | undefined };

export interface Me {
  agent_id: string;
  name: string;
  signed_only: boolean;
  server_time: string;
  printers: { id: string; name: string }[];
}

const REFUSED = new Set([400, 409, 413, 415, 422]);
const MAX_WAIT_MS = 60 * 60 * 1000;
const SNIPPET = 300;
/** Of the server's reason, which is logged and kept with a report. */
const MAX_REASON = 1_000;

export type ReportClient = ReturnType<typeof createReportClient>;

/** `X-Agent-Signature`: HMAC-SHA256 of `<t>.` and the raw body, keyed with the whole token. */
function signatureOf(token: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${signTimed(token, String(seconds), body).toString('hex')}`;
}

interface ReportClientDeps {
  server: string;
  token: string;
  timeoutMs: number;
  clock: Clock;
  /** shared by all clients of the server */
  serverClock: ServerClock;
  userAgent: string;
}

/** Sends a request, and once more if the server's clock shows why it rejected the signature. */
async function send(deps: ReportClientDeps, method: 'GET' | 'POST', path: string, body: string): Promise<Response> {
  const { serverClock } = deps;
  const response = await sendOnce(deps, method, path, body);
  const date = response.headers.date ?? null;
  serverClock.observe(date);
  if (response.status !== 401 || !serverClock.adopt(date)) return response;
  const again = await sendOnce(deps, method, path, body);
  // then it isn't about the clock
  if (again.status === 401) serverClock.reset();
  return again;
}

function sendOnce(
  { server, token, timeoutMs, serverClock, userAgent }: ReportClientDeps,
  method: 'GET' | 'POST',
  path: string,
  body: string,
): Promise<Response> {
  return request(`${server}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'X-Agent-Signature': signatureOf(token, Math.floor(serverClock.now() / 1000), body),
      'User-Agent': userAgent,
      ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(method === 'POST' ? { body } : {}),
    timeoutMs,
  });
}

/** The service's error, or the beginning of another response. */
function detailOf({ status, text }: Response): { code: string | undefined; message: string; isKept: boolean } {
  try {
    const { code, detail, title, errors, kept } = JSON.parse(text) as Record<string, unknown>;
    const places = Array.isArray(errors)
      ? errors.map((one: { pointer?: string; detail?: string }) => ` ${one.pointer}: ${one.detail}`).join(';')
      : '';
    return {
      code: typeof code === 'string' ? code : undefined,
      message: `${status} ${code ?? ''} ${detail ?? title ?? ''}${places}`.trim().slice(0, MAX_REASON),
      isKept: kept === true,
    };
  } catch {
    const message = `${status} ${text.replace(/\s+/g, ' ').slice(0, SNIPPET)}`.trim();
    return { code: undefined, message, isKept: false };
  }
}

function retryAfter(headers: Response['headers'], now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : undefined;
}

/** Signatures expire after some minutes, so a wrong clock may look like a wrong token. */
const aboutClock = (headers: Response['headers'], now: number): string =>
  ` ${describeSkew(now - Date.parse(headers.date ?? ''))}`.trimEnd();

const isRejectedToken = ({ status }: Response) => status === 401 || status === 403;
const isRedirect = ({ status }: Response) => status >= 300 && status < 400;
const locationOf = ({ headers }: Response) => headers.location?.slice(0, SNIPPET);

function parseMe(text: string): Me | undefined {
  try {
    const me = JSON.parse(text) as Me;
    return Array.isArray(me.printers) ? me : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error with a message for the user */
async function fetchMe(deps: ReportClientDeps): Promise<Me> {
  const { server, clock } = deps;
  const response = await send(deps, 'GET', '/agent/v1/me', '').catch((error) => {
    throw new Error(`${server} isn't responding (${explain(error)}).`);
  });
  const { status, headers, text } = response;
  if (status === 200) {
    const me = parseMe(text);
    if (me) return me;
    throw new Error(`${server}/agent/v1/me isn't Farmboard; check "server".`);
  }
  const { message } = detailOf(response);
  if (isRejectedToken(response)) {
    const about = aboutClock(headers, clock());
    throw new Error(`The server rejected the token (${message}). Create a new one in the console.${about}`);
  }
  if (isRedirect(response)) throw new Error(`The server redirects to ${locationOf(response)}; update "server".`);
  if (status === 404) throw new Error(`No agent API found at ${server}/agent/v1 (${message}); check "server".`);
  throw new Error(`The server responded with ${message}.`);
}

/**
 * Either the report's printer or the whole API is missing. If the API is, rejecting would discard every report because
 * of a wrong address.
 */
async function sentToMissing(deps: ReportClientDeps, response: Response): Promise<Sent> {
  const { code, message, isKept } = detailOf(response);
  try {
    await fetchMe(deps);
  } catch (error) {
    return { kind: 'closed', reason: (error as Error).message };
  }
  return code === undefined ? { kind: 'closed', reason: message } : { kind: 'refused', reason: message, isKept };
}

async function readSent(deps: ReportClientDeps, response: Response): Promise<Sent> {
  const { status, headers } = response;
  const now = deps.clock();
  if (status === 201 || status === 200) {
    return { kind: 'taken', isReplay: headers['idempotency-replayed'] === 'true' };
  }
  const { code, message, isKept } = detailOf(response);
  if (isRejectedToken(response)) {
    return { kind: 'closed', reason: `the server rejected the token (${message}).${aboutClock(headers, now)}` };
  }
  if (isRedirect(response)) {
    return { kind: 'closed', reason: `the server redirects to ${locationOf(response)}; update "server"` };
  }
  if (status === 404) return sentToMissing(deps, response);
  // a response without a code comes from an intermediary rather than the service, and some conflicts pass
  if (REFUSED.has(status) && code !== undefined && code !== 'version_conflict') {
    return { kind: 'refused', reason: message, isKept };
  }
  return { kind: 'later', reason: `the server responded with ${message}`, afterMs: retryAfter(headers, now) };
}

/** A client of the agent API with one token. */
export function createReportClient(deps: ReportClientDeps) {
  return {
    /** @throws Error with a message for the user */
    me: () => fetchMe(deps),

    /**
     * Sends one report. Never rejects; failures are part of the result.
     * @param sentAt now, by the clock that the report's `at` was written by, in ms
     */
    async send(report: Report, sentAt: number): Promise<Sent> {
      try {
        const body = JSON.stringify({ ...report, sent_at: toIso(sentAt) });
        const response = await send(deps, 'POST', '/agent/v1/reports', body);
        return await readSent(deps, response);
      } catch (error) {
        return { kind: 'later', reason: explain(error), afterMs: undefined };
      }
    },
  };
}
