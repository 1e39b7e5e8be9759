import { notifications } from '@mantine/notifications';
import { useMutation, useMutationState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, call, get, getAll, type List, once, type Printer, type Schemas } from '../api/api';
import { useSpeech } from '../i18n/i18n';
import { sayProblem } from '../api/format-error';
import { useChangeOf } from '../api/use-api-mutation';
import { applyPlacements, byPlace, type Placement } from './placements';

export type Group = Schemas['PrinterGroup'];
export type NewPrinter = Schemas['NewPrinterInput'];
export type PrinterPatch = Schemas['PrinterPatchInput'];
export type Load = Schemas['PrinterFigures']['items'][number];

export const printersApi = {
  create: async (body: NewPrinter, key: string) =>
    (await call<Printer>('POST', '/printers', { body, headers: once(key) })).answer,
  update: async (id: string, body: PrinterPatch) => (await call<Printer>('PUT', `/printers/${id}`, { body })).answer,
  remove: (id: string) => call('DELETE', `/printers/${id}`),
  place: (body: Placement) => call('PUT', '/printer-order', { body }),
  groups: (signal?: AbortSignal) => getAll<Group>('/printer-groups', signal),
  createGroup: async (body: { name: string; sort_order: number }, key: string) =>
    (await call<Group>('POST', '/printer-groups', { body, headers: once(key) })).answer,
  renameGroup: async (id: string, name: string) =>
    (await call<Group>('PUT', `/printer-groups/${id}`, { body: { name } })).answer,
  removeGroup: (id: string) => call('DELETE', `/printer-groups/${id}`),
  placeGroups: (ids: string[]) => call('PUT', '/printer-group-order', { body: { ids } }),
};

const PRINTERS = ['printers'];
const GROUPS = ['printer-groups'];
const PLACE = ['place-printers'];

/** What each printer has to do, by its id; null: orders without a printer. */
export const usePrinterLoad = () =>
  useQuery({
    queryKey: ['figures', 'printers'],
    queryFn: ({ signal }) => get<Schemas['PrinterFigures']>('/figures/printers', signal),
    select: ({ items }) => new Map(items.map((load) => [load.printer_id, load])),
  });

/** The groups in their order. */
export const useGroups = () =>
  useQuery({
    queryKey: GROUPS,
    queryFn: ({ signal }) => printersApi.groups(signal),
    select: ({ items }) => [...items].sort(byPlace),
  });

/** All printers as they will stand once everything that was moved here is answered. */
export function useAllPrinters(groups: readonly Group[]) {
  const query = useQuery({ queryKey: PRINTERS, queryFn: ({ signal }) => api.printers(signal) });
  const pending = useMutationState({
    filters: { mutationKey: PLACE, status: 'pending' },
    select: ({ state }) => state.variables as Placement,
  });
  const printers = useMemo(() => {
    const names = new Map(groups.map(({ id, name }) => [id, name]));
    return query.data && applyPlacements(query.data.items, pending, (id) => names.get(id) ?? null);
  }, [query.data, pending, groups]);
  return { ...query, printers };
}

export const useChange = <Value, Answer = unknown>(
  change: (value: Value) => Promise<Answer>,
  done?: (answer: Answer) => void,
) => useChangeOf([PRINTERS, GROUPS], change, done);

/** Puts printers in order: shown at once, taken back with a notice when the service refuses. */
export function usePlace() {
  const client = useQueryClient();
  const { words } = useSpeech();
  return useMutation({
    mutationKey: PLACE,
    // one after the other: two moves must arrive in the order they were made
    scope: { id: 'place-printers' },
    mutationFn: printersApi.place,
    async onSuccess(_, placement) {
      // what was asked for before this answer knows nothing of it
      await client.cancelQueries({ queryKey: PRINTERS });
      client.setQueryData<List<Printer>>(
        PRINTERS,
        (list) => list && { ...list, items: applyPlacements(list.items, [placement], () => null) },
      );
    },
    onError: (error) => notifications.show({ color: 'red', message: sayProblem(error, words) }),
    onSettled: () => {
      // not awaited: the next move need not wait for it
      client.invalidateQueries({ queryKey: PRINTERS });
      client.invalidateQueries({ queryKey: GROUPS });
    },
  }).mutate;
}
