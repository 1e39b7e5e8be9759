import type { Clock } from '../../../common/src/clock.ts';
import type { Actor } from '../accounts/token.ts';
import { invalid, notFound } from '../shared/errors.ts';
import { nextVersion } from '../shared/etag.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import type { Patch } from '../shared/patch.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import type { Printer, PrinterGroup, PrinterInput, PrinterSort } from './printer-schema.ts';
import * as store from './printer-store.ts';

/** The fields that are checked for misleading characters. */
const PRINTER_NAMES = ['name', 'internal_name', 'model', 'technology'] as const;

/** Absent fields keep their values. */
export type PrinterPatch = { [field in keyof store.PrinterChange]: store.PrinterChange[field] | undefined };
export type GroupPatch = { [field in keyof store.GroupChange]: store.GroupChange[field] | undefined };

interface PrinterDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  /** updates the orders of a printer, which contain its name */
  printerChanged(tx: Tx, accountId: string, printerId: string, what: 'renamed' | 'removed'): Promise<void>;
}

export type PrinterService = ReturnType<typeof createPrinterService>;

/** Printers and printer groups. The automation API only reads them. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createPrinterService({ storage, clock, withIdempotency, printerChanged }: PrinterDeps) {
  return {
    list: (accountId: string, page: Page, filter: store.PrinterFilter = {}): Promise<Listed<Printer>> =>
      store.listPrinters(storage.read, accountId, page, filter),

    /** @throws DomainError not_found */
    async get(accountId: string, id: string): Promise<Printer> {
      const found = await store.findPrinter(storage.read, accountId, id);
      if (!found) throw notFound();
      return found;
    },

    listGroups: (accountId: string, page: Page, sort: PrinterSort = '-created_at'): Promise<Listed<PrinterGroup>> =>
      store.listGroups(storage.read, accountId, page, sort),

    /** @throws DomainError not_found */
    async getGroup(accountId: string, id: string): Promise<PrinterGroup> {
      const found = await store.findGroup(storage.read, accountId, id);
      if (!found) throw notFound();
      return found;
    },

    /** The number of printers and groups, for the summary. */
    counts: (accountId: string) => store.countPrinters(storage.read, accountId),

    /** @throws DomainError validation_error, idempotency_conflict */
    create: (
      { accountId }: Actor,
      input: PrinterInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<Printer>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const created = await createPrinter(tx, accountId, { ...input, at: clock() });
        tx.changed(accountId, { kind: 'printer', id: created.id });
        if (created.group_id !== null) tx.changed(accountId, { kind: 'printer', id: created.group_id });
        return created;
      }),

    /** @throws DomainError not_found, precondition_failed, validation_error */
    update: ({ accountId }: Actor, id: string, patch: PrinterPatch, ifMatch?: string): Promise<Printer> =>
      storage.inTransaction(async (tx) => {
        const before = await store.lockPrinter(tx.db, accountId, id);
        if (!before) throw notFound();
        const at = nextVersion(before, ifMatch, 'printer', clock());
        await requireGroup(tx, accountId, patch.group_id);
        const change: store.PrinterChange = changesOf(patch, before);
        checkNames<store.PrinterChange>(PRINTER_NAMES, change);
        if (Object.keys(change).length === 0) return before;
        const after = await store.updatePrinter(tx.db, id, change, at);
        if (change.name !== undefined) await printerChanged(tx, accountId, id, 'renamed');
        tx.changed(accountId, { kind: 'printer', id });
        return after;
      }),

    /** Deletes a printer. Its orders and its consumption stay, without a printer. @throws DomainError not_found */
    remove: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        if (!(await store.lockPrinter(tx.db, accountId, id))) throw notFound();
        await printerChanged(tx, accountId, id, 'removed');
        await store.deletePrinter(tx.db, id);
        tx.changed(accountId, { kind: 'printer', id });
      }),

    /** Moves printers into a group, in the given order. @throws DomainError validation_error */
    place: (
      { accountId }: Actor,
      { group_id, ids }: { group_id: string | null; ids: readonly string[] },
    ): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await requireGroup(tx, accountId, group_id);
        await lockAll(tx, 'printers', accountId, ids);
        for (const id of await store.placePrinters(tx.db, ids, group_id, clock()))
          tx.changed(accountId, { kind: 'printer', id });
      }),

    /** @throws DomainError validation_error */
    placeGroups: ({ accountId }: Actor, ids: readonly string[]): Promise<void> =>
      storage.inTransaction(async (tx) => {
        await lockAll(tx, 'printer_groups', accountId, ids);
        for (const id of await store.placeGroups(tx.db, ids, clock())) tx.changed(accountId, { kind: 'printer', id });
      }),

    /** @throws DomainError idempotency_conflict */
    createGroup: (
      { accountId }: Actor,
      input: { name: string; sort_order?: number | undefined },
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<PrinterGroup>> =>
      withIdempotency(accountId, idempotency, async (tx) => {
        const created = await createGroup(tx, accountId, { ...input, at: clock() });
        tx.changed(accountId, { kind: 'printer', id: created.id });
        return created;
      }),

    /** @throws DomainError not_found, precondition_failed */
    updateGroup: ({ accountId }: Actor, id: string, patch: GroupPatch, ifMatch?: string): Promise<PrinterGroup> =>
      storage.inTransaction(async (tx) => {
        const before = await store.lockGroup(tx.db, accountId, id);
        if (!before) throw notFound();
        const at = nextVersion(before, ifMatch, 'group', clock());
        const change: store.GroupChange = changesOf(patch, before);
        checkNames<store.GroupChange>(['name'], change);
        if (Object.keys(change).length === 0) return before;
        const after = await store.updateGroup(tx.db, id, change, at);
        const printers = change.name === undefined ? [] : await store.touchPrintersOf(tx.db, id, false, at);
        for (const changed of [id, ...printers]) tx.changed(accountId, { kind: 'printer', id: changed });
        return after;
      }),

    /** Deletes a group. Its printers stay, without a group. @throws DomainError not_found */
    removeGroup: ({ accountId }: Actor, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        if (!(await store.lockGroup(tx.db, accountId, id))) throw notFound();
        const printers = await store.touchPrintersOf(tx.db, id, true, clock());
        await store.deleteGroup(tx.db, id);
        for (const changed of [id, ...printers]) tx.changed(accountId, { kind: 'printer', id: changed });
      }),

    /** The printers that an agent may report: its printer, or those of its group in the owner's order. */
    listOfAgent: (agent: { printer_id: string | null; printer_group_id: string | null }) =>
      store.listPrintersOf(storage.read, agent),

    holdPrinter: store.holdPrinter,
    holdGroup: store.holdGroup,
    lockForReport: store.lockPrinterForReport,
  };
}

/** @throws DomainError validation_error if the account lacks one of them */
async function lockAll(tx: Tx, table: 'printers' | 'printer_groups', accountId: string, ids: readonly string[]) {
  const known = await store.lockAll(tx.db, table, accountId, ids);
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw invalid(`/ids/${unknown}`, 'No record with this ID in the account.');
}

/** The sent fields that differ from the stored ones. */
function changesOf<T extends object>(patch: Patch<T>, stored: T): Partial<T> {
  const entries = Object.entries(patch) as [keyof T, unknown][];
  return Object.fromEntries(
    entries.filter(([field, value]) => value !== undefined && value !== stored[field]),
  ) as Partial<T>;
}

/** @throws DomainError validation_error if the account has no such group */
async function requireGroup(tx: Tx, accountId: string, groupId: string | null | undefined): Promise<void> {
  if (groupId && !(await store.holdGroup(tx.db, accountId, groupId))) {
    throw invalid('/group_id', 'No printer group with this ID in the account.');
  }
}

/**
 * Adds a printer; `at` in milliseconds. In the specification printers are read-only, so only the owner does this.
 * @throws DomainError validation_error if the account has no such group
 */
export async function createPrinter(tx: Tx, accountId: string, input: PrinterInput & { at: number }): Promise<Printer> {
  checkNames(PRINTER_NAMES, input);
  const groupId = input.group_id ?? null;
  await requireGroup(tx, accountId, groupId);
  return store.insertPrinter(tx.db, accountId, {
    id: newId(),
    name: input.name,
    internal_name: input.internal_name ?? '',
    model: input.model,
    technology: input.technology ?? 'fdm',
    group_id: groupId,
    is_favorite: input.is_favorite ?? false,
    sort_order: input.sort_order ?? 0,
    at: input.at,
  });
}

/** Adds a printer group; `at` in milliseconds. @throws DomainError validation_error */
export async function createGroup(
  tx: Tx,
  accountId: string,
  input: { name: string; sort_order?: number | undefined; at: number },
): Promise<PrinterGroup> {
  checkNames(['name'], input);
  return store.insertGroup(tx.db, accountId, {
    id: newId(),
    name: input.name,
    sort_order: input.sort_order ?? 0,
    at: input.at,
  });
}
