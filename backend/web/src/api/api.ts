import type { components } from '../wire';

export type Schemas = components['schemas'];
export type Order = Schemas['Order'];
export type NewOrder = Schemas['NewOrderInput'];
export type OrderPatch = Schemas['OrderPatchInput'];
export type WorkflowStatus = Order['workflow_status'];
export type HistoryEntry = Schemas['OrderHistoryEntry'];
export type Printer = Schemas['Printer'];
export type Session = Schemas['Session'];
export type ErrorCode = Schemas['Problem']['code'];

export interface List<T> {
  items: T[];
  total: number;
}

/** What the service refused, as RFC 9457 has it. Without a `code`: the service could not be asked at all. */
export class Problem extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  readonly faults: { pointer: string; detail: string }[];
  /** what else the refusal says for programs, such as `available_grams` */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Partial<Schemas['Problem']>) {
    super(body.detail ?? body.title ?? '');
    this.status = status;
    this.code = body.code ?? 'unreachable';
    this.faults = body.errors ?? [];
    this.facts = { ...body };
  }
}

interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** One request to the owner's door. @throws Problem */
export async function request<T>(method: string, path: string, { body, headers = {}, signal }: RequestOptions = {}) {
  const response = await fetch(`/console/api${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new Problem(0, {});
  });
  const answer = response.status === 204 ? undefined : await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, answer);
  return { answer: answer as T, etag: response.headers.get('etag') };
}

/** The header of a change that is made once, however often it is sent with the same key (`newKey`). */
export const idempotencyHeader = (key: string) => ({ 'Idempotency-Key': key });

export const get = async <T>(path: string, signal?: AbortSignal) => (await request<T>('GET', path, { signal })).answer;

const PER_PAGE = 200;

/** Every page of a list, for lists of things that a farm has some hundreds of. `path` may have a query. */
export async function getAll<T extends { id: string }>(path: string, signal?: AbortSignal): Promise<List<T>> {
  const all = new Map<string, T>();
  // what is added meanwhile comes last, so that nothing slips from page to page
  const baseUrl = `${path}${path.includes('?') ? '&' : '?'}sort=created_at&per_page=${PER_PAGE}`;
  for (let page = 1, total = 1; (page - 1) * PER_PAGE < total; page++) {
    const list = await get<List<T>>(`${baseUrl}&page=${page}`, signal);
    total = list.total;
    for (const item of list.items) all.set(item.id, item);
  }
  return { items: [...all.values()], total: all.size };
}

/** The version that each order was answered as, for If-Match. Orders out of a list come without one. */
const etags = new WeakMap<Order, string>();

async function requestOrder(method: string, path: string, options: RequestOptions): Promise<Order> {
  const { answer, etag } = await request<Order>(method, path, options);
  if (etag) etags.set(answer, etag);
  return answer;
}

const ifMatch = (expected: Order | undefined): Record<string, string> => {
  const etag = expected && etags.get(expected);
  return etag ? { 'If-Match': etag } : {};
};

export const api = {
  session: (signal?: AbortSignal) => get<Session>('/session', signal),
  signIn: async (body: Schemas['CredentialsInput']) => (await request<Session>('POST', '/session', { body })).answer,
  signOut: () => request('DELETE', '/session'),
  signUp: async (body: Schemas['NewOwnerInput']) => (await request<Session>('POST', '/sign-up', { body })).answer,
  setUp: async (body: Schemas['SetUpInput']) => (await request<Session>('POST', '/set-up', { body })).answer,

  /** @param filter a query string without the page */
  listOrders: (filter: string, page: number, signal?: AbortSignal) =>
    get<List<Order>>(`/print-jobs?per_page=200&page=${page}&${filter}`, signal),
  getOrder: (id: string, signal?: AbortSignal) => requestOrder('GET', `/print-jobs/${id}`, { signal }),
  createOrder: (body: NewOrder, key: string) =>
    requestOrder('POST', '/print-jobs', { body, headers: idempotencyHeader(key) }),
  /** @param expected the order the change is meant for: refused with 412 when it is another by now */
  updateOrder: (id: string, body: OrderPatch, expected?: Order) =>
    requestOrder('PUT', `/print-jobs/${id}`, { body, headers: { Prefer: 'handling=strict', ...ifMatch(expected) } }),
  deleteOrder: (id: string) => request('DELETE', `/print-jobs/${id}`),
  history: (id: string, signal?: AbortSignal) =>
    get<List<HistoryEntry>>(`/print-jobs/${id}/history?per_page=100`, signal),

  printers: (signal?: AbortSignal) => getAll<Printer>('/printers', signal),
};

/** An address can say anything: what is no id must not become a part of a path. */
export const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** An Idempotency-Key. Not `randomUUID`, which browsers keep from pages on plain http. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('');
