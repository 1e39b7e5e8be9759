import type { Actor, Author } from '../accounts/token.ts';
import type { AppendEvent } from '../events/outbox.ts';
import type { FilamentService } from '../filaments/filament-service.ts';
import type { IdempotentResult as Replayable } from '../idempotency/with-idempotency.ts';
import type { PublishChange } from '../jobs/jobs.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { WorkflowStatus } from '../orders/status.ts';
import type { Clock } from '../shared/clock.ts';
import { toIso } from '../shared/clock.ts';
import { sha256 } from '../shared/crypto.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import { type Patch, patched } from '../shared/patch.ts';
import { fromThousandths, type Listed, type Page, toThousandths } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import type { AgentActor } from './agent-service.ts';
import { type AgentPrinter, listPrintersOf } from './agent-store.ts';
import {
  hasMovedOn,
  type Outcome,
  ordersIn,
  type PrinterRules,
  type PrintReport,
  type ReportNote,
  type Source,
} from './report.ts';
import * as store from './report-store.ts';

/** How far ahead of our clock a print may have ended. */
const MAX_AHEAD_MS = 5 * 60_000;

/** How long a failure that may be a cancelled print waits for the word that it is one. */
export const HOLD_MS = 10_000;

export interface ReportInput {
  event_id: string;
  printer_id?: string | undefined;
  filename: string;
  /** milliseconds; default now */
  at?: number | undefined;
  outcome: Outcome;
  grams?: number | undefined;
  order_id?: string | undefined;
  filament_id?: string | undefined;
  reason?: string | undefined;
}

/** A print as printer software tells of it that gives its notices no id. */
export interface Notice {
  source: Exclude<Source, 'report'>;
  /** id, name or label of the printer: where the agent has several */
  printer?: string | undefined;
  filename: string;
  /** what tells this file from others of the printer, such as its path */
  file: string;
  outcome: Outcome;
  /** a failure of which nobody said why: it may be a cancelled print */
  mayBeCancelled: boolean;
  /** how long it was printed */
  seconds: number | undefined;
  grams?: number | undefined;
  reason?: string | undefined;
}

export type ReportService = ReturnType<typeof createReportService>;

export function createReportService(deps: {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  append: AppendEvent;
  orders: Pick<OrderService, 'orderExists' | 'lockOrder' | 'printingOn'>;
  /** it then stays until the transaction ends */
  holdFilament(db: Db, accountId: string, id: string): Promise<boolean>;
  /** as `holdFilament`, and nobody else changes it */
  lockFilament: FilamentService['lockFilament'];
  printerExists(db: Db, accountId: string, id: string): Promise<boolean>;
  /** the services joined to a transaction: what a report does is done with it or not at all */
  transactionalServices(tx: Tx): { orders: Pick<OrderService, 'update'>; filaments: Pick<FilamentService, 'consume'> };
  /** tells open pages */
  publishChange?: PublishChange | undefined;
}) {
  const { storage, clock, logger, append, orders, holdFilament, lockFilament, printerExists, transactionalServices } =
    deps;

  /** @throws DomainError validation_error */
  function choosePrinter(printers: AgentPrinter[], fits: ((printer: AgentPrinter) => boolean) | undefined): string {
    const fitting = fits ? printers.filter(fits) : printers;
    const [only] = fitting;
    if (only && fitting.length === 1) return only.id;
    const names = printers.map(({ id, name }) => `${name} (${id})`).slice(0, 10);
    const which = names.length > 0 ? `It has: ${names.join(', ')}.` : 'Its group has no printers.';
    throw invalid(
      '/printer_id',
      fits
        ? `The agent has no such printer, or more than one with that name. ${which}`
        : `The agent doesn't have exactly one printer, so name the one that printed. ${which}`,
    );
  }

  /** Which order a print was for: the one that was named, else that of the label in the file's name, else what the printer is printing. */
  async function guessOrder(
    db: Db,
    { accountId, report }: store.StoredReport,
    named: string | undefined,
  ): Promise<{ orderId: string | undefined; note: ReportNote }> {
    if (named !== undefined) return { orderId: named, note: 'unknown_order' };
    const [labelled, ...more] = ordersIn(report.filename);
    if (labelled !== undefined) {
      return more.length > 0
        ? { orderId: undefined, note: 'several_orders' }
        : { orderId: labelled, note: 'unknown_order' };
    }
    const [only, ...others] = await orders.printingOn(db, accountId, report.printer_id);
    return { orderId: others.length === 0 ? only : undefined, note: 'no_order' };
  }

  /** @returns what was booked, or why nothing was */
  async function book(
    tx: Tx,
    actor: Author,
    { report, gramsMg }: store.StoredReport,
    filamentId: string | null,
    orderId: string | null,
  ): Promise<{ deductedMg: number | null; note?: ReportNote }> {
    if (!gramsMg) return { deductedMg: null, note: 'no_grams' };
    if (filamentId === null) return { deductedMg: null, note: 'no_filament' };
    const use = {
      grams: fromThousandths(gramsMg),
      order_id: orderId,
      printer_id: report.printer_id,
      note: report.filename,
      allow_overdraw: true,
    };
    try {
      await transactionalServices(tx).filaments.consume(actor, filamentId, use, undefined);
      return { deductedMg: gramsMg };
    } catch (error) {
      // it is refused before anything is written, so the transaction goes on
      if (error instanceof DomainError && error.code === 'insufficient_stock')
        return { deductedMg: null, note: 'no_stock' };
      throw error;
    }
  }

  async function move(
    tx: Tx,
    actor: Author,
    orderId: string,
    to: WorkflowStatus,
  ): Promise<{ movedTo: WorkflowStatus | null; note?: ReportNote }> {
    const before = await orders.lockOrder(tx.db, actor.accountId, orderId);
    if (!before || before.order.workflow_status === to) return { movedTo: null };
    if (hasMovedOn(before.order.workflow_status)) return { movedTo: null, note: 'order_moved_on' };
    await transactionalServices(tx).orders.update(
      actor,
      orderId,
      { workflow_status: to },
      { strict: true, ifMatch: undefined },
    );
    return { movedTo: to };
  }

  /**
   * Tells of a print, and does with it what the rules of its printer say. Its printer is locked.
   * @throws DomainError validation_error when what it names is not there
   */
  async function settle(
    tx: Tx,
    printer: { id: string; name: string },
    stored: store.StoredReport,
    outcome: Outcome = stored.report.outcome,
    reason: string | null = stored.report.reason,
    named: Pick<ReportInput, 'order_id' | 'filament_id'> = {},
  ): Promise<PrintReport> {
    const { accountId, report } = stored;
    const actor: Author = { accountId, tokenName: report.agent_name };
    if (outcome !== 'cancelled') {
      const at = toIso(stored.at);
      await append(tx, {
        accountId,
        event: outcome === 'finished' ? 'printer.print_finished' : 'printer.print_failed',
        subject: `printer:${printer.id}`,
        data: { printer_id: printer.id, printer_name: printer.name, filename: report.filename, at },
        occurredAt: clock(),
      });
    }
    const rules = await store.findRules(tx.db, printer.id);
    const to = rules[`on_${outcome}`];
    const notes: ReportNote[] = [];
    const noteOf = <T extends { note?: ReportNote }>(result: T): T => {
      if (result.note !== undefined) notes.push(result.note);
      return result;
    };

    // first the filament, then the order, and each at once as it is needed: as consumption locks them, or two reports of
    // the same ones would wait for each other
    const isDeducted = rules.book_grams && Boolean(stored.gramsMg);
    const wanted = named.filament_id ?? (rules.book_grams ? rules.loaded_filament_id : null);
    const hold = isDeducted ? lockFilament : holdFilament;
    const filamentId = wanted !== null && (await hold(tx.db, accountId, wanted)) ? wanted : null;
    if (named.filament_id !== undefined && filamentId === null) {
      throw invalid('/filament_id', 'No filament with this ID in the account.');
    }
    const guess = await guessOrder(tx.db, stored, named.order_id);
    const holdOrder = to === null ? orders.orderExists : orders.lockOrder;
    const isThere = guess.orderId !== undefined && (await holdOrder(tx.db, accountId, guess.orderId));
    const orderId = isThere ? (guess.orderId as string) : null;
    if (named.order_id !== undefined && orderId === null) {
      throw invalid('/order_id', 'No order with this ID in the account.');
    }
    // that there is no order is worth a word only where it should have been moved
    if (orderId === null && to !== null) notes.push(guess.note);

    const { deductedMg } = rules.book_grams
      ? noteOf(await book(tx, actor, stored, filamentId, orderId))
      : { deductedMg: null };
    const { movedTo } =
      to !== null && orderId !== null ? noteOf(await move(tx, actor, orderId, to)) : { movedTo: null };
    const done = { outcome, reason, orderId, filamentId, deductedMg, movedTo, notes };
    const { report: settled } = await store.settleReport(tx.db, report.id, done);
    tell(tx, accountId, printer.id);
    return settled;
  }

  const tell = (tx: Tx, accountId: string, printerId: string) =>
    tx.afterCommit(() => deps.publishChange?.(accountId, { kind: 'report', id: printerId }));

  /** What is held of a locked printer goes before what comes after it. */
  async function release(
    tx: Tx,
    printer: { id: string; name: string },
    until = Number.MAX_SAFE_INTEGER,
  ): Promise<void> {
    for (const held of await store.listHeld(tx.db, printer.id, until)) await settle(tx, printer, held);
  }

  async function lock(tx: Tx, accountId: string, printerId: string) {
    const printer = await store.lockPrinterForReport(tx.db, accountId, printerId);
    if (!printer) throw invalid('/printer_id', 'The printer has just been deleted.');
    return printer;
  }

  /** What tells one report from another of the same event id. */
  const hashOf = (printerId: string, input: ReportInput): string => {
    const { filename, at = null, outcome, grams = null, order_id = null, filament_id = null, reason = null } = input;
    const mg = grams === null ? null : toThousandths(grams);
    return sha256(JSON.stringify([printerId, filename, at, outcome, mg, order_id, filament_id, reason]));
  };

  const printersOf = ({ agent }: AgentActor) => listPrintersOf(storage.read, agent);

  return {
    /**
     * Stores a report, once for each event id of a printer, tells of it, and does what the printer's rules say: all in one
     * transaction.
     * @throws DomainError validation_error, idempotency_conflict
     */
    async submit(actor: AgentActor, sent: ReportInput): Promise<Replayable<PrintReport>> {
      const [wanted, order_id, filament_id] = [sent.printer_id, sent.order_id, sent.filament_id].map((id) =>
        id?.toLowerCase(),
      );
      const input = { ...sent, order_id, filament_id };
      const printerId = choosePrinter(
        await printersOf(actor),
        wanted === undefined ? undefined : ({ id }) => id === wanted,
      );
      const contentHash = hashOf(printerId, input);
      return storage.inTransaction(async (tx) => {
        const printer = await lock(tx, actor.accountId, printerId);
        const replay = (first: store.StoredReport): Replayable<PrintReport> => {
          if (first.contentHash !== contentHash) {
            throw new DomainError(
              'idempotency_conflict',
              'This printer already has a different report with this event_id. Use a new event_id for each print.',
            );
          }
          return { result: first.report, replayed: true };
        };
        const first = await store.findReport(tx.db, printerId, input.event_id);
        if (first) return replay(first);
        const now = clock();
        if (input.at !== undefined && input.at > now + MAX_AHEAD_MS) {
          throw invalid('/at', `is more than 5 minutes ahead of this service's clock (${toIso(now)})`);
        }
        await release(tx, printer);
        const stored = await store.insertReport(tx.db, {
          id: newId(),
          accountId: actor.accountId,
          printerId,
          eventId: input.event_id,
          contentHash,
          printKey: null,
          source: 'report',
          agentName: actor.tokenName,
          filename: input.filename,
          outcome: input.outcome,
          at: input.at ?? now,
          gramsMg: input.grams === undefined ? null : toThousandths(input.grams),
          reason: input.reason ?? null,
          heldUntil: null,
          receivedAt: now,
        });
        // the constraint holds whatever way around the lock there may be
        if (!stored) return replay((await store.findReport(tx.db, printerId, input.event_id)) as store.StoredReport);
        const result = await settle(tx, printer, stored, input.outcome, input.reason, { order_id, filament_id });
        return { result, replayed: false };
      });
    },

    /**
     * Stores what printer software says of a print without giving it an id. A print that ran for some time cannot have ended
     * twice within that time: what is said of the same file again is said of the same print.
     * @throws DomainError validation_error
     */
    async notice(actor: AgentActor, notice: Notice): Promise<Replayable<PrintReport>> {
      const { source, outcome, seconds, mayBeCancelled } = notice;
      const wanted = notice.printer?.trim().toLowerCase();
      const all = await printersOf(actor);
      const printerId = choosePrinter(
        all,
        all.length === 1 || wanted === undefined
          ? undefined
          : ({ id, name, internal_name }) => [id, name.toLowerCase(), internal_name.toLowerCase()].includes(wanted),
      );
      const printKey = sha256(`${source} ${notice.file}`);
      return storage.inTransaction(async (tx) => {
        const printer = await lock(tx, actor.accountId, printerId);
        const now = clock();
        const ranMs = Math.max(HOLD_MS, (seconds ?? 0) * 1000);
        const known = await store.findPrint(tx.db, printerId, printKey, now - ranMs);
        if (known) {
          const isHeld = known.report.held_until !== null;
          if (isHeld && !mayBeCancelled && outcome !== 'finished') {
            const reason = notice.reason ?? known.report.reason;
            return { result: await settle(tx, printer, known, outcome, reason), replayed: false };
          }
          return { result: known.report, replayed: true };
        }
        // seconds with a fraction are another number for every print: the same again is the same notice, however late
        const isExact = seconds !== undefined && !Number.isInteger(seconds);
        const eventId = `${source}:${sha256(`${notice.file} ${outcome} ${isExact ? seconds : newId()}`)}`;
        const first = await store.findReport(tx.db, printerId, eventId);
        if (first) return { result: first.report, replayed: true };
        await release(tx, printer);
        const stored = await store.insertReport(tx.db, {
          id: newId(),
          accountId: actor.accountId,
          printerId,
          eventId,
          contentHash: printKey,
          printKey,
          source,
          agentName: actor.tokenName,
          filename: notice.filename,
          outcome,
          at: now,
          gramsMg: notice.grams === undefined ? null : toThousandths(notice.grams),
          reason: notice.reason ?? null,
          heldUntil: mayBeCancelled ? now + HOLD_MS : null,
          receivedAt: now,
        });
        if (!stored) throw new Error('received a report for a locked printer');
        if (mayBeCancelled) {
          tell(tx, actor.accountId, printerId);
          return { result: stored.report, replayed: false };
        }
        return { result: await settle(tx, printer, stored), replayed: false };
      });
    },

    /** Tells of the failures that nobody called cancelled in time. Reads first, and writes only when there are some. */
    async releaseHeld(): Promise<void> {
      const now = clock();
      for (const { account_id, printer_id } of await store.listHeldPrinters(storage.read, now)) {
        await storage
          .inTransaction(async (tx) => {
            const printer = await store.lockPrinterForReport(tx.db, account_id, printer_id);
            if (printer) await release(tx, printer, now);
          })
          // those of other printers are told all the same, and this one with the next round
          .catch((error: unknown) => logger.warn({ err: error, printer_id }, 'failed to settle a held report'));
      }
    },

    /** Newest first. @throws DomainError not_found */
    async list(accountId: string, printerId: string, page: Page): Promise<Listed<PrintReport>> {
      if (!(await printerExists(storage.read, accountId, printerId))) throw notFound();
      return store.listReports(storage.read, accountId, printerId, page);
    },

    /** The last one of every printer that has any. */
    last: (accountId: string): Promise<PrintReport[]> => store.listLastReports(storage.read, accountId),

    /** @throws DomainError not_found */
    async rules(accountId: string, printerId: string): Promise<PrinterRules> {
      if (!(await printerExists(storage.read, accountId, printerId))) throw notFound();
      return store.findRules(storage.read, printerId);
    },

    /** Writes the fields that are given. @throws DomainError not_found, validation_error */
    setRules: ({ accountId }: Actor, printerId: string, patch: Patch<PrinterRules>): Promise<PrinterRules> =>
      storage.inTransaction(async (tx) => {
        if (!(await store.lockPrinterForReport(tx.db, accountId, printerId))) throw notFound();
        const after = patched(await store.findRules(tx.db, printerId), patch);
        const { loaded_filament_id: loaded } = after;
        if (loaded !== null && !(await holdFilament(tx.db, accountId, loaded))) {
          throw invalid('/loaded_filament_id', 'No filament with this ID in the account.');
        }
        await store.saveRules(tx.db, printerId, after, clock());
        tell(tx, accountId, printerId);
        return after;
      }),
  };
}
