import type { Clock } from '../../backend/src/shared/clock.ts';
import { signTimed } from '../../backend/src/shared/crypto.ts';
import { explain } from './backoff.ts';
import type { Report } from './report.ts';

/** The result of sending one report. */
export type Sent =
  | { kind: 'taken'; isReplay: boolean }
  /** rejected permanently: its id belongs to another report, or it is invalid */
  | { kind: 'refused'; reason: string }
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
const MAX_SKEW_MS = 60_000;
const SNIPPET = 300;

export type ReportClient = ReturnType<typeof createReportClient>;

/** `X-Agent-Signature`: HMAC-SHA256 of `<t>.` and the raw body, keyed with the whole token. */
export function signatureOf(token: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${signTimed(token, String(seconds), body).toString('hex')}`;
}

/** A client of the agent API with one token. */
export function createReportClient(deps: {
  server: string;
  token: string;
  timeoutMs: number;
  clock: Clock;
  userAgent: string;
}) {
  const { server, token, timeoutMs, clock, userAgent } = deps;

  async function request(method: 'GET' | 'POST', path: string, body: string) {
    const response = await fetch(`${server}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'X-Agent-Signature': signatureOf(token, Math.floor(clock() / 1000), body),
        'User-Agent': userAgent,
        ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body } : {}),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { response, text: await response.text() };
  }

  /** The service's error, or the beginning of another response. */
  function detailOf(status: number, text: string): { code: string | undefined; message: string } {
    try {
      const { code, detail, title, errors } = JSON.parse(text) as Record<string, unknown>;
      const places = Array.isArray(errors)
        ? errors.map((one: { pointer?: string; detail?: string }) => ` ${one.pointer}: ${one.detail}`).join(';')
        : '';
      return {
        code: typeof code === 'string' ? code : undefined,
        message: `${status} ${code ?? ''} ${detail ?? title ?? ''}${places}`.trim(),
      };
    } catch {
      return { code: undefined, message: `${status} ${text.replace(/\s+/g, ' ').slice(0, SNIPPET)}`.trim() };
    }
  }

  function retryAfter(headers: Headers): number | undefined {
    const text = headers.get('retry-after');
    if (text === null) return undefined;
    const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - clock();
    return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : undefined;
  }

  /** Signatures expire after some minutes, so a wrong clock looks like a wrong token. */
  function aboutClock(headers: Headers): string {
    const skew = Date.parse(headers.get('date') ?? '') - clock();
    if (!(Math.abs(skew) > MAX_SKEW_MS)) return '';
    const seconds = Math.round(Math.abs(skew) / 1000);
    return ` This machine's clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the server's; correct it first.`;
  }

  const client = {
    /** @throws Error with a message for the user */
    async me(): Promise<Me> {
      const { response, text } = await request('GET', '/agent/v1/me', '').catch((error) => {
        throw new Error(`${server} isn't responding (${explain(error)}).`);
      });
      const { status, headers } = response;
      if (status === 200) {
        try {
          const me = JSON.parse(text) as Me;
          if (Array.isArray(me.printers)) return me;
        } catch {
          // reported below
        }
        throw new Error(`${server}/agent/v1/me isn't Farmboard; check "server".`);
      }
      const { message } = detailOf(status, text);
      if (status === 401 || status === 403) {
        throw new Error(
          `The server rejected the token (${message}). Create a new one in the console.${aboutClock(headers)}`,
        );
      }
      if (status >= 300 && status < 400) {
        throw new Error(`The server redirects to ${headers.get('location')}; update "server".`);
      }
      if (status === 404) throw new Error(`No agent API found at ${server}/agent/v1 (${message}); check "server".`);
      throw new Error(`The server responded with ${message}.`);
    },

    /** Sends one report. Never rejects; failures are part of the result. */
    async send(report: Report): Promise<Sent> {
      const body = JSON.stringify(report);
      try {
        const { response, text } = await request('POST', '/agent/v1/reports', body);
        const { status, headers } = response;
        if (status === 201 || status === 200) {
          return { kind: 'taken', isReplay: headers.get('idempotency-replayed') === 'true' };
        }
        const { code, message } = detailOf(status, text);
        if (status === 401 || status === 403) {
          const reason = `the server rejected the token (${message}).${aboutClock(headers)}`;
          return { kind: 'closed', reason };
        }
        if (status >= 300 && status < 400) {
          const reason = `the server redirects to ${headers.get('location')}; update "server"`;
          return { kind: 'closed', reason };
        }
        if (status === 404) {
          // Either the report's printer or the whole API is missing. If the API is, rejecting would discard every
          // report because of a wrong address.
          const fault = await client.me().then(
            () => undefined,
            (error: Error) => error.message,
          );
          if (fault !== undefined) return { kind: 'closed', reason: fault };
          return code === undefined ? { kind: 'closed', reason: message } : { kind: 'refused', reason: message };
        }
        // a response without a code comes from an intermediary rather than the service
        if (REFUSED.has(status) && code !== undefined) return { kind: 'refused', reason: message };
        return { kind: 'later', reason: `the server responded with ${message}`, afterMs: retryAfter(headers) };
      } catch (error) {
        return { kind: 'later', reason: explain(error), afterMs: undefined };
      }
    },
  };
  return client;
}
