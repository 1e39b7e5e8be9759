import { createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';
import { type Client, createClient } from '../client.ts';
import { type Received, startReceiver } from '../receiver.ts';
import { createAccountWithToken, createDataFolder, type Env, type Service, startService } from '../service.ts';
import { type Answer, passOn, type Reply, type Seen, startFakeServer } from './fake-server.ts';
import { createHarness, type Farm } from './harness.ts';

// a refusal is logged by n8n; one test checks the text, the others need not show it
const { Logger } = require('@n8n/backend-common') as { Logger: { prototype: { warn(...told: unknown[]): void } } };
export const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

export type Trigger = ReturnType<Farm['trigger']>;

/** Built modules of the package, for tests without n8n. */
export const shipped = <T>(file: string): T =>
  require(resolve(__dirname, '../../../dist/nodes/Farmboard', file)) as unknown as T;

export const SECRET = `whsec_${Buffer.from('of the tests, and 32 bytes long.').toString('base64')}`;

/** The signature (interface specification, Signature), written without code of the package. */
export const sign = (secret: string, raw: Buffer | string): string =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;

export const envelopeOf = (event: string, data: IDataObject = {}, occurredAt: string | number = Date.now()) => ({
  event,
  occurred_at: typeof occurredAt === 'number' ? new Date(occurredAt).toISOString() : occurredAt,
  data,
});

export const toRaw = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** The headers of Standard Webhooks of one attempt, by the specification's own library. */
export function attemptHeadersOf(
  raw: Buffer,
  secrets: string[],
  { id = randomUUID() as string, at = new Date() } = {},
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, raw.toString('utf8')));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** The headers of the service, in lower case like those of a Node server. The same delivery is the same attempt. */
export function headersOf(raw: Buffer, secret = SECRET, more: Record<string, string> = {}): Record<string, string> {
  const { 'x-svc-delivery': delivery } = more;
  return {
    'content-type': 'application/json',
    'x-svc-signature': sign(secret, raw),
    'x-svc-delivery': randomUUID(),
    'x-svc-sequence': '7',
    ...attemptHeadersOf(raw, [secret], delivery === undefined ? {} : { id: delivery, at: new Date(0) }),
    ...more,
  };
}

/** Sends an event to the trigger, signed with the secret of the tests. */
export function send(trigger: Trigger, event: unknown, more: Record<string, string> = {}, mode?: 'webhook' | 'manual') {
  const raw = toRaw(event);
  return trigger.receive(raw, headersOf(raw, SECRET, more), mode);
}

type Outcome = Awaited<ReturnType<Trigger['receive']>>;

/** 401 without a body or a reason, and no run. */
export function expectRefused({ result, status, ended, items }: Outcome): void {
  expect({ result, status, ended, items }).toStrictEqual({
    result: { noWebhookResponse: true },
    status: 401,
    ended: true,
    items: undefined,
  });
}

/** n8n answers 200 itself, and no run starts. */
export function expectIgnored({ result, status, ended, items }: Outcome): void {
  expect({ result, status, ended, items }).toStrictEqual({
    result: { webhookResponse: '' },
    status: undefined,
    ended: false,
    items: undefined,
  });
}

/** Expects one run with one item. @returns the item */
export function expectRun({ result, status, ended, items }: Outcome): IDataObject {
  expect({ status, ended, runs: items?.length }).toStrictEqual({ status: undefined, ended: false, runs: 1 });
  expect(result).toStrictEqual({ workflowData: [[{ json: items?.[0] }]] });
  return items?.[0] as IDataObject;
}

export interface Refusal extends Error {
  description?: string;
  httpCode?: string;
  context: { code?: string; outcomeUnknown?: boolean };
}

/** Everything that can be read from an error, including what JSON and a console don't show. */
function reportAll(error: unknown): string {
  const parts: string[] = [String(error), JSON.stringify(error) ?? ''];
  parts.push(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }));
  const { cause, context, stack, message } = error as { cause?: unknown; context?: unknown } & Error;
  for (const part of [cause, context, stack, message])
    parts.push(JSON.stringify(part) ?? '', inspect(part, { depth: 20 }));
  return parts.join('\n');
}

/** The error of a failing call: one of n8n's own kinds for nodes, without any of the secrets. */
export async function refusalOf(action: Promise<unknown>, secrets: (string | undefined)[]): Promise<Refusal> {
  const error = await action.then(
    () => {
      throw new Error('it did not fail');
    },
    (thrown: Refusal) => thrown,
  );
  if (!/^Node(Api|Operation)Error$/.test(error.constructor.name)) throw error;
  const told = reportAll(error);
  for (const secret of secrets) {
    if (secret) expect(told.includes(secret) || told.includes(secret.slice(5, 25))).toBe(false);
  }
  return error;
}

/**
 * What happens to a request: `forward`; `lose`: processed, but the connection breaks instead of a response; a response
 * of its own; or `after`: processed and then answered so.
 */
export type Rule = 'forward' | 'lose' | Answer | (Reply & { after: true });

/** A proxy between n8n and the service that forwards requests and simulates failures. */
async function startProxy(origin: string) {
  let target = origin;
  const server = await startFakeServer();
  /** From now on, counted from 1. */
  const rule = (next: (seen: Seen, nth: number) => Rule): void =>
    server.answerWith(async (seen, nth) => {
      const rule = next(seen, nth);
      const isCarriedOut = rule === 'forward' || rule === 'lose' || (typeof rule === 'object' && 'after' in rule);
      if (!isCarriedOut) return rule;
      const answer = await passOn(target, seen);
      if (rule === 'forward' || answer === 'cut') return answer;
      return rule === 'lose' ? 'cut' : rule;
    });
  rule(() => 'forward');
  return {
    ...server,
    rule,
    /** The service listens elsewhere now. */
    turnTo(other: string) {
      target = other;
    },
  };
}

export interface Subscription {
  id: string;
  name: string;
  url: string;
  format: string;
  events: string[];
  enabled: boolean;
}

/**
 * A service, an account, a proxy before it, and n8n's engine with the package, which sends its requests through the
 * proxy.
 */
export async function createTriggerFarm(env: Env = {}) {
  const folder = createDataFolder();
  let service: Service = await startService({ ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback', ...env });
  const { email, token } = await createAccountWithToken(service.env);
  let client: Client = await createClient(service.origin, token);
  const proxy = await startProxy(service.origin);
  const farm = await createHarness({ baseUrl: proxy.baseUrl, accessToken: token });

  const subscriptions = async (): Promise<Subscription[]> =>
    (await client.get<{ items: Subscription[] }>('/webhook-subscriptions?per_page=50')).body.items;

  return {
    get service() {
      return service;
    },
    get client() {
      return client;
    },
    email,
    token,
    proxy,
    farm,
    subscriptions,
    async onlySubscription(): Promise<Subscription> {
      const all = await subscriptions();
      expect(all).toHaveLength(1);
      return all[0] as Subscription;
    },
    subscription: async (id: string | undefined): Promise<Subscription> =>
      (await client.get<Subscription>(`/webhook-subscriptions/${id}`)).body as unknown as Subscription,
    createSubscription: async (body: Record<string, unknown>): Promise<Subscription & { secret: string }> => {
      const created = await client.post('/webhook-subscriptions', { events: ['order.created'], ...body });
      if (created.status !== 201) throw new Error(created.text);
      return created.body as unknown as Subscription & { secret: string };
    },
    /** After `service.kill()`: another process on the same data. */
    async restart(): Promise<void> {
      service = await startService(service.env);
      client = await createClient(service.origin, token);
      proxy.turnTo(service.origin);
    },
    async reset(): Promise<void> {
      proxy.rule(() => 'forward');
      farm.credentials.baseUrl = proxy.baseUrl;
      farm.credentials.accessToken = token;
      for (const { id } of await subscriptions()) await client.delete(`/webhook-subscriptions/${id}`);
    },
    async stop(): Promise<void> {
      await proxy.stop();
      await service.stop();
      folder.remove();
    },
  };
}

/** n8n's webhook endpoint for one trigger: an HTTP server that passes the raw bytes and responds as n8n would. */
export async function startTriggerServer(change: (raw: Buffer) => Buffer = (raw) => raw) {
  const settings: { trigger?: Trigger; mode?: 'webhook' | 'manual'; change: typeof change } = { change };
  const runs: IDataObject[] = [];
  const statuses: number[] = [];
  const receiver = await startReceiver(async (res: ServerResponse, { raw, headers }: Received) => {
    try {
      if (!settings.trigger) throw new Error('nobody listens');
      const came = await settings.trigger.receive(
        settings.change(raw),
        headers as Record<string, string>,
        settings.mode,
      );
      runs.push(...((came.items ?? []) as IDataObject[]));
      if (came.status === undefined && came.result?.noWebhookResponse) throw new Error('the sender was left hanging');
      statuses.push(came.status ?? 200);
      res.writeHead(came.status ?? 200).end();
    } catch (error) {
      statuses.push(500);
      res.writeHead(500).end(String(error));
    }
  });
  return { ...receiver, settings, runs, statuses };
}
