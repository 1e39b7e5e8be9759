import { notifications } from '@mantine/notifications';
import { type QueryClient, useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get, getAll, idempotencyHeader, type List, request, type Schemas } from '../api/client';
import { ifUnchanged } from '../api/if-unchanged';
import { formatError } from '../i18n/format-error';
import { useI18n } from '../i18n/i18n';
import { useApiMutation } from '../ui/use-api-mutation';
import { applyPlacements, byPosition, type Placement, type Printer } from './placements';
import { printersQuery } from './use-printers';

export type Group = Schemas['PrinterGroup'];
export type NewPrinter = Schemas['NewPrinterInput'];
export type PrinterPatch = Schemas['PrinterPatchInput'];
export type Load = Schemas['PrinterStats']['items'][number];

export const printersApi = {
  create: async (body: NewPrinter, key: string) =>
    (await request<Printer>('POST', '/printers', { body, headers: idempotencyHeader(key) })).answer,
  /** @param expected the version the change is based on; the server answers 412 if the printer has changed since */
  update: async (id: string, body: PrinterPatch, expected?: Printer) =>
    (await request<Printer>('PUT', `/printers/${id}`, { body, headers: expected ? ifUnchanged(expected) : {} })).answer,
  remove: (id: string) => request('DELETE', `/printers/${id}`),
  place: (body: Placement) => request('PUT', '/printer-order', { body }),
  groups: (signal?: AbortSignal) => getAll<Group>('/printer-groups', signal),
  createGroup: async (body: { name: string; sort_order: number }, key: string) =>
    (await request<Group>('POST', '/printer-groups', { body, headers: idempotencyHeader(key) })).answer,
  /** @param expected as for `update` */
  updateGroup: async (body: { name?: string }, expected: Group) =>
    (await request<Group>('PUT', `/printer-groups/${expected.id}`, { body, headers: ifUnchanged(expected) })).answer,
  removeGroup: (id: string) => request('DELETE', `/printer-groups/${id}`),
  placeGroups: (ids: string[]) => request('PUT', '/printer-group-order', { body: { ids } }),
};

const PRINTERS = printersQuery.queryKey;
const GROUPS = ['printer-groups'];
const REORDER_KEY = ['place-printers'];

/** Reads all printers again, also for the page. @returns the one with this ID; `fallback` if it is gone */
export const readPrinter = async (client: QueryClient, fallback: Printer): Promise<Printer> =>
  findIn<Printer>(await client.fetchQuery({ ...printersQuery, staleTime: 0 }), fallback);

/** The same for a group. */
export const readGroup = async (client: QueryClient, fallback: Group): Promise<Group> =>
  findIn<Group>(
    await client.fetchQuery({ queryKey: GROUPS, queryFn: () => printersApi.groups(), staleTime: 0 }),
    fallback,
  );

const findIn = <T extends { id: string }>({ items }: List<T>, fallback: T): T =>
  items.find(({ id }) => id === fallback.id) ?? fallback;

/** Workload by printer ID; null for orders without a printer. */
export const usePrinterLoad = () =>
  useQuery({
    queryKey: ['stats', 'printers'],
    queryFn: ({ signal }) => get<Schemas['PrinterStats']>('/stats/printers', signal),
    select: ({ items }) => new Map(items.map((load) => [load.printer_id, load])),
  });

export const useGroups = () =>
  useQuery({
    queryKey: GROUPS,
    queryFn: ({ signal }) => printersApi.groups(signal),
    select: ({ items }) => [...items].sort(byPosition),
  });

/** All printers, with pending moves applied. */
export function useAllPrinters(groups: readonly Group[]) {
  const query = useQuery(printersQuery);
  const pending = useMutationState({
    filters: { mutationKey: REORDER_KEY, status: 'pending' },
    select: ({ state }) => state.variables as Placement,
  });
  const printers = useMemo(() => {
    const names = new Map(groups.map(({ id, name }) => [id, name]));
    return query.data && applyPlacements(query.data.items, pending, (id) => names.get(id) ?? null);
  }, [query.data, pending, groups]);
  return { ...query, printers };
}

export const usePrinterMutation = <Value, Answer = unknown>(
  change: (value: Value) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) => useApiMutation([PRINTERS, GROUPS], change, onDone);

/** Reorders printers optimistically; rolls back with a notification if the server refuses. */
export function useReorder() {
  const client = useQueryClient();
  const { messages } = useI18n();
  return useMutation({
    mutationKey: REORDER_KEY,
    // sequential, so that moves arrive in order
    scope: { id: 'place-printers' },
    mutationFn: printersApi.place,
    async onSuccess(_, placement) {
      // a fetch started before this response would return the old order
      await client.cancelQueries({ queryKey: PRINTERS });
      client.setQueryData(
        PRINTERS,
        (list) => list && { ...list, items: applyPlacements(list.items, [placement], () => null) },
      );
    },
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, messages) }),
    onSettled: () => {
      // not awaited, so the next move doesn't have to wait
      client.invalidateQueries({ queryKey: PRINTERS });
      client.invalidateQueries({ queryKey: GROUPS });
    },
  }).mutate;
}
