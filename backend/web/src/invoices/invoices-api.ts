import { queryOptions } from '@tanstack/react-query';
import { get, idempotencyHeader, type List, request, type Schemas } from '../api/client';
import { newKey } from '../api/ids';
import { useMessages } from '../i18n/i18n';
import type { Order } from '../order-data/orders-api';
import { useApiMutation } from '../ui/use-api-mutation';
import { MESSAGES } from './messages';

export type Invoice = Schemas['Invoice'];
export type InvoiceDetail = Schemas['InvoiceDetail'];
export type InvoicePatch = Schemas['InvoicePatchInput'];
export type Payment = Schemas['InvoicePayment'];
export type BusinessDetails = Schemas['InvoiceSeller'];
export type Provider = Schemas['PaymentProvider'];

/** Today in the browser's time zone, such as `2026-03-09`: the default issue date. */
const today = () => {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};

export const invoicesApi = {
  create: async (body: Schemas['NewInvoiceInput']) =>
    (await request<InvoiceDetail>('POST', '/invoices', { body, headers: idempotencyHeader(newKey()) })).answer,
  update: async (id: string, body: InvoicePatch) =>
    (await request<InvoiceDetail>('PUT', `/invoices/${id}`, { body })).answer,
  remove: (id: string) => request('DELETE', `/invoices/${id}`),
  issue: (id: string) =>
    request('POST', `/invoices/${id}/issue`, { body: { issue_date: today() }, headers: idempotencyHeader(newKey()) }),
  void: (id: string) => request('POST', `/invoices/${id}/void`),
  recordPayment: (id: string, body: Schemas['NewManualPaymentInput'], key: string) =>
    request('POST', `/invoices/${id}/payments`, { body, headers: idempotencyHeader(key) }),
  review: (id: string) => request('POST', `/invoice-payments/${id}/review`),
  saveBusinessDetails: async (body: Partial<BusinessDetails>) =>
    (await request<BusinessDetails>('PUT', '/invoice-seller', { body })).answer,
  addProvider: async (body: Schemas['NewPaymentProviderInput']) =>
    (await request<Provider>('POST', '/payment-providers', { body, headers: idempotencyHeader(newKey()) })).answer,
  changeProvider: (id: string, body: Schemas['PaymentProviderPatchInput']) =>
    request('PUT', `/payment-providers/${id}`, { body }),
  renewSecret: async (id: string) =>
    (await request<Provider>('POST', `/payment-providers/${id}/secret`, { headers: idempotencyHeader(newKey()) }))
      .answer,
  removeProvider: (id: string) => request('DELETE', `/payment-providers/${id}`),
};

export const PER_PAGE = 50;

/** First element of every query key here, invalidated by live updates. */
const INVOICES = 'invoices';

export const listQuery = (filter: { status: string | null; q: string; page: number }) => {
  const query = new URLSearchParams({ per_page: String(PER_PAGE), page: String(filter.page) });
  if (filter.status) query.set('status', filter.status);
  if (filter.q) query.set('q', filter.q.slice(0, 200));
  return queryOptions({
    queryKey: [INVOICES, 'list', query.toString()],
    queryFn: ({ signal }) => get<List<Invoice>>(`/invoices?${query}`, signal),
    placeholderData: (before) => before,
  });
};

/** The invoices that include an order. */
export const invoicesOfQuery = (orderId: string) =>
  queryOptions({
    queryKey: [INVOICES, 'of order', orderId],
    queryFn: ({ signal }) => get<List<Invoice>>(`/invoices?order_id=${orderId}&per_page=${PER_PAGE}`, signal),
  });

export const invoiceQuery = (id: string) =>
  queryOptions({
    queryKey: [INVOICES, id],
    queryFn: ({ signal }) => get<InvoiceDetail>(`/invoices/${id}`, signal),
  });

/** Unreviewed payments that belong to no invoice. */
export const unassignedQuery = queryOptions({
  queryKey: [INVOICES, 'unassigned'],
  queryFn: ({ signal }) => get<List<Payment>>('/invoice-payments?unassigned=true&waiting=true&per_page=50', signal),
});

export const businessDetailsQuery = queryOptions({
  queryKey: [INVOICES, 'seller'],
  queryFn: ({ signal }) => get<BusinessDetails>('/invoice-seller', signal),
});

export const providersQuery = queryOptions({
  queryKey: [INVOICES, 'providers'],
  queryFn: ({ signal }) => get<List<Provider>>('/payment-providers', signal),
});

/** Orders to invoice that match a search; the newest if it is empty. */
export const ordersQuery = (q: string) => {
  const query = new URLSearchParams({ per_page: '50', include_closed: 'true' });
  if (q) query.set('q', q.slice(0, 200));
  return queryOptions({
    queryKey: ['orders', 'to-bill', q],
    queryFn: ({ signal }) => get<List<Order>>(`/print-jobs?${query}`, signal),
    placeholderData: (before) => before,
    staleTime: 0,
  });
};

export function useInvoiceMutation<Value, Answer>(
  change: (value: Value) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) {
  const { close } = useMessages(MESSAGES);
  return useApiMutation([[INVOICES]], change, onDone, { closeButtonProps: { 'aria-label': close } });
}
