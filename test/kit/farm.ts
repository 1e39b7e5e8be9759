import type { ServerResponse } from 'node:http';
import { SELECTABLE_EVENTS } from '../../backend/src/events/catalog.ts';
import type { components } from '../../backend/web/src/api-types.d.ts';
import { type AgentOptions, createAgent } from './agent.ts';
import type { Answer } from './checker.ts';
import { type CallOptions, type Client, createClient } from './client.ts';
import { type Browser, openBrowser } from './console-client.ts';
import { type DatabaseInspector, inspectDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';
import {
  createAccountWithToken,
  createDataFolder,
  type Env,
  farmboard,
  type Service,
  startService,
} from './service.ts';

/** The `workflow_status` values, as written in the interface specification. */
export const STATUSES = [
  ['negotiation', 'order created, terms still being discussed'],
  ['confirmed', 'customer confirmed, ready to print'],
  ['assigned', 'the automation system has assigned a specific printer or spool'],
  ['printing', 'print is running'],
  ['print_error', 'printer software reported a print error'],
  ['packing', 'order being assembled and packed for shipment'],
  ['delivery', 'print ready and on its way to the customer'],
  ['done', 'order completed'],
  ['cancelled', 'order cancelled'],
  ['closed', 'archived; hidden from the main list'],
] as const;

export const STATUS_NAMES = STATUSES.map(([name]) => name);

export const DEFAULT_EVENTS = ['order.created', 'order.status_changed'];
/** The others that a subscription can select; test/contract/events.test.ts says which events there are. */
export const OPT_IN_EVENTS = SELECTABLE_EVENTS.filter((event) => !DEFAULT_EVENTS.includes(event));

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** What responses contain, by the OpenAPI documents. */
export type Schemas = components['schemas'];
export type Order = Schemas['Order'];
export type Filament = Schemas['Filament'];
export type Printer = Schemas['Printer'];
export type Attempt = Schemas['DeliveryAttempt'];
export type Problem = Schemas['Problem'];
/** The secret only in the response that creates it. */
export type Subscription = Schemas['UpdatedWebhookSubscription'] &
  Pick<Schemas['CreatedWebhookSubscription'], 'secret'>;

export interface Listed<T> {
  items: T[];
  total: number;
  page: number;
  per_page: number;
}

interface SubscriptionOptions {
  events?: string[];
  format?: string;
  /** The receiver's response; 204 by default. */
  answer?: (res: ServerResponse, received: Received) => void;
  enabled?: boolean;
  filter?: Subscription['filter'];
  pause_after_failures?: number;
  header?: { name: string; value: string };
  client_key?: string;
}

export type Farm = Awaited<ReturnType<typeof startFarm>>;

/** Creates and reads records through the automation API. */
function recordsOf(client: Client) {
  const createOrder = (fields: Record<string, unknown> = {}, options?: CallOptions) =>
    client.post<Order>('/print-jobs', { model_name: 'Bracket', ...fields }, options);

  return {
    createOrder,

    /** A new order, for tests about something else. */
    async order(fields: Record<string, unknown> = {}): Promise<Order> {
      const answer = await createOrder(fields);
      expect(answer.status).toBe(201);
      return answer.body;
    },

    /** New orders. @returns their ids */
    async orders(count: number): Promise<string[]> {
      const ids: string[] = [];
      for (let i = 0; i < count; i++)
        ids.push((await client.post<Order>('/print-jobs', { model_name: `part ${i}` })).body.id);
      return ids;
    },

    /** A subscription with a receiver that the test created itself. @returns its id */
    subscribe: async (url: string, events = ['order.status_changed']): Promise<string> =>
      (await client.post<Subscription>('/webhook-subscriptions', { url, events })).body.id,

    readOrder: async (id: string): Promise<Order> => (await client.get<Order>(`/print-jobs/${id}`)).body,

    async setStatus(id: string, workflow_status: unknown): Promise<Answer<Order>> {
      const answer = await client.put<Order>(`/print-jobs/${id}`, { workflow_status });
      expect(answer.status).toBe(200);
      return answer;
    },

    async filament(fields: Record<string, unknown> = {}): Promise<Filament> {
      const answer = await client.post<Filament>('/filaments', { name: 'PETG Black', ...fields });
      expect(answer.status).toBe(201);
      return answer.body;
    },
  };
}

/** Subscriptions with receivers of their own. */
function subscriptionsOf(client: Client) {
  const receivers: Receiver[] = [];

  async function openReceiver(answer?: SubscriptionOptions['answer']): Promise<Receiver> {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  }

  async function stopReceivers(): Promise<void> {
    for (const receiver of receivers.splice(0)) await receiver.stop();
  }

  return {
    receiver: openReceiver,
    stopReceivers,

    /** A subscription with its own receiver. */
    async subscription({ answer, events = DEFAULT_EVENTS, ...more }: SubscriptionOptions = {}) {
      const receiver = await openReceiver(answer);
      const made = await client.post<Subscription>('/webhook-subscriptions', { url: receiver.url, events, ...more });
      expect(made.status).toBe(201);
      const { id, secret = '' } = made.body;
      const path = `/webhook-subscriptions/${id}`;
      /** The attempts, once so many are recorded, which is after the receiver has responded. */
      const untilRecorded = (count: number) =>
        eventually(
          async () => (await client.get<Listed<Attempt>>(`${path}/deliveries`)).body.items,
          (attempts) => attempts.length >= count,
        );
      return { ...receiver, id, secret, path, created: made.body, untilRecorded };
    },

    /** Deletes every subscription and stops every receiver. */
    async clear(): Promise<void> {
      const { body } = await client.get<Listed<Subscription>>('/webhook-subscriptions');
      for (const { id } of body.items) await client.delete(`/webhook-subscriptions/${id}`);
      await stopReceivers();
    },
  };
}

/** An account with a token in a running service. `close` leaves the service running. @param file of its database */
export async function farmIn(service: Service, file: string) {
  const { env } = service;
  const account = await createAccountWithToken(env);
  const client = await createClient(service.origin, account.token);
  const { stopReceivers, ...subscriptions } = subscriptionsOf(client);
  const inspector: DatabaseInspector = await inspectDatabase(file);
  let owner: Browser | undefined;

  /** The console, where the account is signed in. */
  async function openConsole(): Promise<Browser> {
    if (owner === undefined) {
      owner = await openBrowser(service);
      await owner.signIn(account.email);
    }
    return owner;
  }

  return {
    service,
    client,
    env,
    file,
    inspector,
    ...account,
    ...recordsOf(client),
    ...subscriptions,
    newAccount: () => createAccountWithToken(env),

    /** Printers have no POST in the automation API, so they come with the sample data. */
    async printers(): Promise<Printer[]> {
      const made = await farmboard(['demo', '--email', account.email], env);
      expect(made.stderr).toBe('');
      return (await client.get<Listed<Printer>>('/printers')).body.items;
    },

    console: openConsole,

    /** A printer created by the owner. */
    async printer(fields: Record<string, unknown> = {}): Promise<Printer> {
      const made = await (await openConsole()).post<Printer>('/printers', { name: 'A-01', model: 'MK4', ...fields });
      expect(made.status).toBe(201);
      return made.body;
    },

    origin: service.origin,

    /** An agent created by the owner, with its client. */
    agent: async (of: AgentOptions) => createAgent(service.origin, await openConsole(), of),

    async close(): Promise<void> {
      await inspector.close();
      await stopReceivers();
    },
  };
}

/** A running service with its own database, and one account with a token. */
export async function startFarm(settings: Env = {}) {
  const folder = createDataFolder();
  const env: Env = { ...folder.env, ...settings };
  const service = await startService(env);
  const farm = await farmIn(service, folder.file);
  const others: Service[] = [];

  return {
    ...farm,

    /** Another process on the same database. */
    async startProcess() {
      const another = await startService(env);
      others.push(another);
      return { service: another, client: await createClient(another.origin, farm.token) };
    },

    /** Ends every process, whatever its state, and removes the database. */
    async remove(): Promise<void> {
      await farm.close();
      for (const one of [service, ...others]) await one.kill();
      folder.remove();
    },

    async close(): Promise<void> {
      await farm.close();
      const codes: (number | null)[] = [];
      for (const one of [service, ...others]) codes.push(await one.stop());
      folder.remove();
      expect(codes).toEqual(codes.map(() => 0));
    },
  };
}

/** The names of the events a receiver got, in order. */
export const names = (received: Received[]): string[] => received.map(({ body }) => body.event);

/** What a receiver got about one order, in order. */
export const about = (received: Received[], id: string): Received[] =>
  received.filter(({ body }) => body.data.id === id);

export const sequenceOf = ({ headers }: Received): number => Number(headers['x-svc-sequence']);

/** Checks a refusal by its code and status; the client has already checked its format. */
export function expectProblem(answer: Answer<unknown>, status: number, code: string): Problem {
  const problem = answer.body as Problem;
  expect({ status: answer.status, code: problem?.code }).toEqual({ status, code });
  expect(problem.status).toBe(status);
  return problem;
}

/** The numbers from one to the given one. */
export const range = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
