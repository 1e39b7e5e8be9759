import { queryOptions } from '@tanstack/react-query';
import { get, type List, request, type Schemas } from '../api/client';

export type Lead = Schemas['Lead'];
export type LeadState = Lead['state'];

export const PER_PAGE = 50;

/** The states a list can be filtered by, besides `all`. */
export const STATES: readonly LeadState[] = ['new', 'answered', 'archived'];

export const leadsQuery = (state: LeadState | 'all', q: string, page: number) =>
  queryOptions({
    queryKey: ['leads', 'list', state, q, page],
    queryFn: ({ signal }) => {
      const filter = new URLSearchParams({
        per_page: String(PER_PAGE),
        page: String(page),
        ...(state !== 'all' && { state }),
        ...(q && { q }),
      });
      return get<List<Lead>>(`/leads?${filter}`, signal);
    },
  });

/** The request an order was created from, if any. */
export const leadOfQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['leads', 'of order', orderId],
    queryFn: ({ signal }) => get<List<Lead>>(`/leads?order_id=${orderId}&per_page=1`, signal),
  });

export const leadQuery = (id: string) =>
  queryOptions({
    queryKey: ['leads', 'one', id],
    queryFn: ({ signal }) => get<Lead>(`/leads/${id}`, signal),
  });

export const countsQuery = queryOptions({
  queryKey: ['leads', 'counts'],
  queryFn: ({ signal }) => get<Schemas['LeadCounts']>('/lead-counts', signal),
});

export const leadsApi = {
  setState: async (id: string, state: LeadState) =>
    (await request<Lead>('PUT', `/leads/${id}`, { body: { state } })).answer,
  remove: (id: string) => request('DELETE', `/leads/${id}`),
  toOrder: async (id: string, language: 'en' | 'ru') =>
    (await request<Lead>('POST', `/leads/${id}/order`, { body: { language } })).answer,
};

/** URL of an attachment; always served as a download. */
export const fileAddress = (id: string) => `/console/api/leads/${id}/file`;
