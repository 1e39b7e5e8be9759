import { createHmac } from 'node:crypto';
import type { components } from '../../backend/web/src/api-types.d.ts';
import { createClient } from './client.ts';
import type { Browser } from './console-client.ts';

export type Report = components['schemas']['PrintReport'];

export interface AgentOptions {
  printer_id?: string | undefined;
  printer_group_id?: string | undefined;
  name?: string;
  signed_only?: boolean;
}

export type TestAgent = Awaited<ReturnType<typeof createAgent>>;

/** Written from the API documentation, without code of the server. */
export function sign(token: string, body: string | Uint8Array, at = Math.floor(Date.now() / 1000)): string {
  return `t=${at},v1=${createHmac('sha256', token).update(`${at}.`).update(body).digest('hex')}`;
}

let events = 0;

/** A report with defaults for irrelevant fields. */
export const newReport = (fields: Record<string, unknown> = {}) => {
  events += 1;
  return { event_id: `event ${events}`, filename: 'bracket.gcode', outcome: 'finished', ...fields };
};

/** Creates an agent through the console API and a client for the agent API. */
export async function createAgent(origin: string, owner: Browser, options: AgentOptions) {
  const made = await owner.post<{ id: string; token: string }>('/agents', { name: 'Moonraker', ...options });
  expect(made.status).toBe(201);
  const { id, token } = made.body;
  const client = await createClient(origin, token, '/agent/v1');
  return {
    id,
    token,
    client,
    report: (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
      client.post<Report>('/reports', newReport(fields), { headers }),
    signed(fields: Record<string, unknown> = {}, at?: number) {
      const raw = JSON.stringify(newReport(fields));
      const headers = { 'X-Agent-Signature': sign(token, raw, at) };
      return client.call<Report>('POST', '/reports', { raw, headers });
    },
  };
}
