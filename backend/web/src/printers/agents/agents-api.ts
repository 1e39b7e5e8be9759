import { queryOptions } from '@tanstack/react-query';
import { get, type List, request, type Schemas } from '../../api/client';

export type Agent = Schemas['Agent'];
export type Report = Schemas['PrintReport'];
export type RefusedReport = Schemas['RefusedReport'];
export type Rules = Schemas['PrinterRules'];
export type NewAgent = Schemas['NewAgentInput'];

export const REPORTS_PER_PAGE = 25;

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => get<{ items: Agent[] }>('/agents', signal),
});

export const reportsQuery = (printerId: string, page: number) =>
  queryOptions({
    queryKey: ['reports', printerId, page],
    queryFn: ({ signal }) =>
      get<List<Report>>(`/printers/${printerId}/reports?per_page=${REPORTS_PER_PAGE}&page=${page}`, signal),
  });

/** The last report of each printer, by printer ID. */
export const lastReportsQuery = queryOptions({
  queryKey: ['reports', 'last'],
  queryFn: ({ signal }) => get<{ items: Report[] }>('/print-reports', signal),
  select: ({ items }) => new Map(items.map((report) => [report.printer_id, report])),
});

export const refusedQuery = (printerId: string) =>
  queryOptions({
    queryKey: ['reports', 'refused', printerId],
    queryFn: ({ signal }) => get<{ items: RefusedReport[] }>(`/printers/${printerId}/refused-reports`, signal),
  });

/** How many refused reports each printer has, by printer ID; printers without any are missing. */
export const refusedCountsQuery = queryOptions({
  queryKey: ['reports', 'refused', 'counts'],
  queryFn: ({ signal }) => get<Schemas['RefusedReportCounts']>('/refused-reports', signal),
  select: ({ items }) => new Map(items.map(({ printer_id, refused }) => [printer_id, refused])),
});

export const rulesQuery = (printerId: string) =>
  queryOptions({
    queryKey: ['reports', 'rules', printerId],
    queryFn: ({ signal }) => get<Rules>(`/printers/${printerId}/rules`, signal),
  });

export const agentsApi = {
  create: async (body: NewAgent) => (await request<Schemas['CreatedAgent']>('POST', '/agents', { body })).answer,
  revoke: (id: string) => request('DELETE', `/agents/${id}`),
  retry: (printerId: string, id: string) => request('POST', `/printers/${printerId}/refused-reports/${id}/retry`),
  dismiss: (printerId: string, id: string) => request('DELETE', `/printers/${printerId}/refused-reports/${id}`),
  setRules: async (printerId: string, body: Schemas['PrinterRulesPatchInput']) =>
    (await request<Rules>('PUT', `/printers/${printerId}/rules`, { body })).answer,
};
