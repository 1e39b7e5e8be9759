import { invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { checkNames } from '../shared/names.ts';
import type { Listed, Page } from '../shared/schemas.ts';
import type { Storage, Tx } from '../storage/open.ts';
import type { Printer, PrinterGroup, PrinterSort } from './printer.ts';
import * as store from './printer-store.ts';

export type PrinterService = ReturnType<typeof createPrinterService>;

/** Printers and their groups as the contract has them: read only. */
export function createPrinterService(deps: { storage: Storage }) {
  const { storage } = deps;
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

    /** Whether the account has this printer; on the handle it is given, so that it can be asked inside a transaction. */
    exists: store.printerExists,
    groupExists: store.groupExists,

    /** How many of each there are, for the summary. */
    counts: (accountId: string) => store.countPrinters(storage.read, accountId),
  };
}

/** The fields that name a printer. */
export const PRINTER_NAMES = ['name', 'internal_name', 'model'] as const;

export interface PrinterInput {
  name: string;
  internal_name?: string | undefined;
  model: string;
  /** default `fdm` */
  technology?: string | undefined;
  group_id?: string | null | undefined;
  is_favorite?: boolean | undefined;
  sort_order?: number | undefined;
  /** milliseconds */
  at: number;
}

/** @throws DomainError validation_error when it is not one of the account */
export async function requireGroup(tx: Tx, accountId: string, groupId: string | null | undefined): Promise<void> {
  if (groupId && !(await store.groupExists(tx.db, accountId, groupId))) {
    throw invalid('/group_id', 'No printer group with this ID in the account.');
  }
}

/**
 * Adds a printer: only the owner does, the contract's printers are read only.
 * @throws DomainError validation_error when the group is not one of the account
 */
export async function createPrinter(tx: Tx, accountId: string, input: PrinterInput): Promise<Printer> {
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
