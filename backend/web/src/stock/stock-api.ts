import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, getAll, idempotencyHeader, type List, request, type Schemas } from '../api/client';
import { ifUnchanged } from '../api/if-unchanged';
import type { Order } from '../order-data/orders-api';

export type Filament = Schemas['Filament'];
export type Batch = Schemas['FilamentBatch'];
export type LedgerEntry = Schemas['FilamentLedgerEntry'];
export type LaterStocktake = NonNullable<LedgerEntry['later_stocktake']>;
export type Usage = Schemas['FilamentUsage'];
export type UsageDays = 30 | 90 | 365;

const PER_PAGE = 200;
export const LEDGER_PAGE = 50;

// all start with 'filaments', so live updates invalidate them together
export const filamentsQuery = queryOptions({
  queryKey: ['filaments', 'all'],
  queryFn: async ({ signal }) => (await getAll<Filament>('/filaments', signal)).items,
});

/** The filaments that a search finds. The server decides, so that the console and programs find the same. */
export const filamentSearchQuery = (q: string) =>
  queryOptions({
    queryKey: ['filaments', 'search', q],
    queryFn: async ({ signal }) =>
      (await getAll<Filament>(`/filaments?q=${encodeURIComponent(q.slice(0, 200))}`, signal)).items,
    enabled: q !== '',
    // the last result stays while the next one loads
    placeholderData: keepPreviousData,
  });

export const filamentQuery = (id: string) =>
  queryOptions({
    queryKey: ['filaments', 'one', id],
    queryFn: ({ signal }) => get<Filament>(`/filaments/${id}`, signal),
  });

export const batchesQuery = (id: string) =>
  queryOptions({
    queryKey: ['filaments', 'batches', id],
    queryFn: ({ signal }) => get<List<Batch>>(`/filaments/${id}/batches?per_page=${PER_PAGE}`, signal),
  });

const readLedger = (id: string, page: number, signal?: AbortSignal) =>
  get<List<LedgerEntry>>(`/filaments/${id}/ledger?per_page=${LEDGER_PAGE}&page=${page}`, signal);

export const ledgerQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ['filaments', 'ledger', id, page],
    queryFn: ({ signal }) => readLedger(id, page, signal),
  });

/** @param filamentId undefined for all filaments */
export const usageQuery = (days: UsageDays, filamentId: string | undefined) =>
  queryOptions({
    queryKey: ['filaments', 'usage', days, filamentId],
    queryFn: ({ signal }) =>
      get<Usage>(`/filaments/usage?days=${days}${filamentId ? `&filament_id=${filamentId}` : ''}`, signal),
  });

const post = async <T>(path: string, body: unknown, key: string) =>
  (await request<T>('POST', path, { body, headers: idempotencyHeader(key) })).answer;

export const stockApi = {
  create: (body: Schemas['NewFilamentInput'], key: string) => post<Filament>('/filaments', body, key),
  /** @param expected the version the change is based on; the server answers 412 if the filament has changed since */
  update: async (body: Schemas['FilamentPatchInput'], expected: Filament) =>
    (await request<Filament>('PUT', `/filaments/${expected.id}`, { body, headers: ifUnchanged(expected) })).answer,
  remove: (id: string) => request('DELETE', `/filaments/${id}`),
  receive: (id: string, body: Schemas['NewFilamentBatchInput'], key: string) =>
    post<Batch>(`/filaments/${id}/batches`, body, key),
  consume: (id: string, body: Schemas['ConsumeRequestInput'], key: string) =>
    post<Filament>(`/filaments/${id}/consume`, body, key),
  stocktake: (id: string, body: Schemas['StocktakeInput'], key: string) =>
    post<Filament>(`/filaments/${id}/stocktake`, body, key),
  /** Undo is idempotent per entry, so the entry's ID serves as the key. */
  undo: (id: string, entryId: string) =>
    post<Filament>(`/filaments/${id}/ledger/${entryId}/undo`, {}, `undo-${entryId}`),

  findOrders: (text: string, signal?: AbortSignal) =>
    get<List<Order>>(
      `/print-jobs?per_page=20${text.trim() ? `&q=${encodeURIComponent(text.trim().slice(0, 200))}` : ''}`,
      signal,
    ),
};

/**
 * Finds the ledger entry of the request that returned `after`. Undefined if it can't be identified with certainty; it
 * can then still be undone in the ledger.
 */
export async function findLedgerEntry(after: Filament, kind: LedgerEntry['kind']): Promise<LedgerEntry | undefined> {
  const { items } = await readLedger(after.id, 1);
  const fresh = items.filter((entry) => entry.kind === kind && entry.at === after.updated_at && !entry.undone_by_id);
  const deductions = new Set(fresh.map((entry) => entry.deduction_id ?? entry.id));
  return deductions.size === 1 ? fresh[0] : undefined;
}
