import { get, idempotencyHeader, type List, type RequestOptions, request, type Schemas } from '../api/client';

export type Order = Schemas['Order'];
export type NewOrder = Schemas['NewOrderInput'];
export type OrderPatch = Schemas['OrderPatchInput'];
export type WorkflowStatus = Order['workflow_status'];
export type HistoryEntry = Schemas['OrderHistoryEntry'];

/** The ETag of each order that was read alone, for If-Match. Orders from a list have none. */
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

export const ordersApi = {
  /** @param filter query string without the page */
  list: (filter: string, page: number, signal?: AbortSignal) =>
    get<List<Order>>(`/print-jobs?per_page=200&page=${page}&${filter}`, signal),
  get: (id: string, signal?: AbortSignal) => requestOrder('GET', `/print-jobs/${id}`, { signal }),
  create: (body: NewOrder, key: string) =>
    requestOrder('POST', '/print-jobs', { body, headers: idempotencyHeader(key) }),
  /** @param expected the version the change is based on; the server answers 412 if the order has changed since */
  update: (id: string, body: OrderPatch, expected?: Order) =>
    requestOrder('PUT', `/print-jobs/${id}`, { body, headers: { Prefer: 'handling=strict', ...ifMatch(expected) } }),
  remove: (id: string) => request('DELETE', `/print-jobs/${id}`),
  history: (id: string, signal?: AbortSignal) =>
    get<List<HistoryEntry>>(`/print-jobs/${id}/history?per_page=100`, signal),
};
