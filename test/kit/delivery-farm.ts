import { type Client, createClient } from './client.ts';
import { type Peek, peekInto } from './database.ts';
import type { Received } from './receiver.ts';
import { createAccountWithToken, createDataFolder, type Env, type Service, startService } from './service.ts';

/** What follows one another in `moves`: each is a change of the one before. */
export const STATUSES = ['confirmed', 'assigned', 'printing', 'packing', 'delivery'] as const;

/** A service on a file of its own, an account, and eyes on the file. */
export interface Farm {
  env: Env;
  service: Service;
  client: Client;
  token: string;
  peek: Peek;
  createOrders(count: number): Promise<string[]>;
  createChannel(url: string, events?: string[]): Promise<string>;
  /** ends every service it knows of, and removes the file */
  remove(): Promise<void>;
  /** another process on the same file */
  startAnother(): Promise<{ service: Service; client: Client }>;
}

/** @param settings beside the usual ones, such as `REDIS_URL: undefined` where it matters which process delivers */
export async function createFarm(settings: Env = {}): Promise<Farm> {
  const folder = createDataFolder();
  const env: Env = { ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback', ...settings };
  const service = await startService(env);
  const services = [service];
  const { token } = await createAccountWithToken(env);
  const client = await createClient(service.origin, token);
  const peek = await peekInto(folder.file);
  return {
    env,
    service,
    client,
    token,
    peek,
    async createOrders(count) {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) {
        ids.push((await client.post('/print-jobs', { model_name: `part ${i}` })).body.id as string);
      }
      return ids;
    },
    createChannel: async (url, events = ['order.status_changed']) =>
      (await client.post('/webhook-subscriptions', { url, events })).body.id as string,
    async remove() {
      await peek.close();
      for (const one of services) await one.kill();
      folder.remove();
    },
    async startAnother() {
      const another = await startService(env);
      services.push(another);
      return { service: another, client: await createClient(another.origin, token) };
    },
  };
}

export interface DeliveryRow {
  seq: number;
  id: string | null;
  subject: string;
  state: string;
  error: string | null;
  sequence: number | null;
  claimed_by: string | null;
  response_status: number | null;
}

export const deliveriesOf = (peek: Peek, channel: string): Promise<DeliveryRow[]> =>
  peek.rows<DeliveryRow>('SELECT * FROM deliveries WHERE subscription_id = ? ORDER BY seq', [channel]);

/** The statuses a receiver saw of each order, as they arrived. */
export function statusesByOrder(received: Received[]): Map<string, string[]> {
  const seen = new Map<string, string[]>();
  for (const { body } of received) {
    const id = String(body.data.id);
    seen.set(id, [...(seen.get(id) ?? []), String(body.data.workflow_status)]);
  }
  return seen;
}

export const deliveryIds = (received: Received[]): string[] =>
  received.map((one) => String(one.headers['x-svc-delivery']));
