import type { Clock } from '../../../common/src/clock.ts';
import type * as accountStore from '../accounts/account-store.ts';
import type { PrinterService } from '../printers/printer-service.ts';
import { DomainError, type ErrorCode, notFound } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Storage } from '../storage/open.ts';
import type { AgentActor } from './agent-service.ts';
import type { AgentPrinter } from './agent-store.ts';
import { parseStoredBody } from './ingest/stored-body.ts';
import { fieldsOf, KEPT_CODES, toStoredBody } from './refused-report.ts';
import * as store from './refused-report-store.ts';
import type { Source } from './report.ts';
import { type RefusedReport, toText } from './report-schema.ts';
import type { Recorded, ReportService } from './report-service.ts';
import type { ReportedPrint } from './reported-print.ts';

/** How many are kept of a printer, and of a group without a printer. */
const KEPT_PER_PRINTER = 100;
/** How many are kept of an account, however many printers it has. */
const KEPT_PER_ACCOUNT = 2_000;
const MAX_REASON_LENGTH = 1_000;

/** What an agent sent, and why it was refused. */
export interface Refusal {
  source: Source;
  /** as parsed from JSON; undefined if it could not be read */
  body: unknown;
  code: ErrorCode;
  reason: string;
}

interface RefusedReportDeps {
  storage: Storage;
  clock: Clock;
  accounts: Pick<typeof accountStore, 'lockAccount'>;
  printers: Pick<PrinterService, 'get' | 'listOfAgent' | 'lockForReport'>;
  reports: Pick<ReportService, 'record'>;
}

export type RefusedReportService = ReturnType<typeof createRefusedReportService>;

/** Reports that were refused. Their owner sees them on the printer's page and can have them processed again. */
export function createRefusedReportService({ storage, clock, accounts, printers, reports }: RefusedReportDeps) {
  return {
    /**
     * Stores a refused report, unless sending it again may help.
     * @returns whether it can be processed again from here, so that the agent need not keep it
     */
    async keep(actor: AgentActor, { source, body, code, reason }: Refusal): Promise<boolean> {
      if (!KEPT_CODES.has(code)) return false;
      const { accountId, agent } = actor;
      const fields = fieldsOf(body);
      const candidates = await printers.listOfAgent(agent);
      const printerId = agent.printer_id ?? printerOf(candidates, source, fields) ?? null;
      const groupId = printerId === null ? agent.printer_group_id : null;
      const { text, hash } = toStoredBody(source, code, body);
      await storage.inTransaction(async (tx) => {
        // only the newest of the account are kept
        await accounts.lockAccount(tx.db, accountId);
        // reports of a printer are processed one after the other, and so are its refusals
        if (printerId !== null && !(await printers.lockForReport(tx.db, accountId, printerId))) return;
        await store.saveRefusal(tx.db, {
          id: newId(),
          accountId,
          printerId,
          groupId,
          source,
          agentName: actor.tokenName,
          code,
          contentHash: hash,
          body: text,
          eventId: textOf(fields.event_id, 200),
          filename: filenameOf(source, fields),
          reason: toText(reason, MAX_REASON_LENGTH),
          at: clock(),
        });
        if (printerId === null) await store.keepNewest(tx.db, 'printer_group_id', groupId as string, KEPT_PER_PRINTER);
        else await store.keepNewest(tx.db, 'printer_id', printerId, KEPT_PER_PRINTER);
        await store.keepNewest(tx.db, 'account_id', accountId, KEPT_PER_ACCOUNT);
        tx.changed(accountId, { kind: 'report', id: printerId ?? (groupId as string) });
      });
      return text !== null;
    },

    /** Newest first. @throws DomainError not_found */
    async list(accountId: string, printerId: string): Promise<RefusedReport[]> {
      await printers.get(accountId, printerId);
      return store.listRefused(storage.read, accountId, printerId);
    },

    /** How many each printer has, if any. */
    counts: (accountId: string) => store.countRefused(storage.read, accountId),

    /**
     * Processes a refused report again, as one of this printer, under its event id. It is then no longer listed.
     * @throws DomainError not_found, validation_error, idempotency_conflict
     */
    async retry(accountId: string, printerId: string, id: string): Promise<Recorded> {
      const stored = await store.findRefused(storage.read, accountId, printerId, id);
      if (!stored) throw notFound();
      const { refused } = stored;
      const actor = {
        accountId,
        tokenName: refused.agent_name,
        // its agent may be gone, and this page is of one printer
        agent: { printer_id: printerId, printer_group_id: null },
      };
      try {
        const print = toPrint(stored, clock());
        return await reports.record(actor, print, async (tx) => {
          if (!(await store.deleteRefused(tx.db, accountId, printerId, id))) throw notFound();
          tx.changed(accountId, { kind: 'report', id: printerId });
        });
      } catch (error) {
        if (error instanceof DomainError && KEPT_CODES.has(error.code)) {
          await storage.inTransaction(async (tx) => {
            await store.saveReason(tx.db, id, error.code, toText(error.message, MAX_REASON_LENGTH));
            tx.changed(accountId, { kind: 'report', id: printerId });
          });
        }
        throw error;
      }
    },

    /** Deletes a refused report. @throws DomainError not_found */
    dismiss: (accountId: string, printerId: string, id: string): Promise<void> =>
      storage.inTransaction(async (tx) => {
        if (!(await store.deleteRefused(tx.db, accountId, printerId, id))) throw notFound();
        tx.changed(accountId, { kind: 'report', id: printerId });
      }),
  };
}

const textOf = (value: unknown, maxLength: number): string | null =>
  typeof value === 'string' && value !== '' ? toText(value, maxLength) : null;

const NAMES_PRINTER = { report: 'printer_id', octoprint: 'deviceIdentifier', apprise: 'printer' } as const;

/** The printer of a group that a message is about, as far as it can be told. */
function printerOf(
  printers: readonly AgentPrinter[],
  source: Source,
  fields: Record<string, unknown>,
): string | undefined {
  const wanted = String(fields[NAMES_PRINTER[source]] ?? '')
    .trim()
    .toLowerCase();
  const found =
    wanted === ''
      ? printers
      : printers.filter(({ id, name, internal_name }) =>
          [id, name.toLowerCase(), internal_name.toLowerCase()].includes(wanted),
        );
  return found.length === 1 ? found[0]?.id : undefined;
}

/** The file that a message names, to recognize it by. */
function filenameOf(source: Source, fields: Record<string, unknown>): string | null {
  if (source === 'report') return textOf(fields.filename, 500);
  if (source === 'octoprint') return textOf(fieldsOf(fields.extra).name, 500);
  return textOf(fields.message, 500)?.split('\n', 1)[0] || null;
}

/** Reads a stored body again. @throws DomainError validation_error */
function toPrint({ refused, body, receivedAt }: store.StoredRefusal, now: number): ReportedPrint {
  if (body === null) {
    throw new DomainError(
      'validation_error',
      'This report could not be read or is too long, so there is nothing to try again.',
    );
  }
  const sent: unknown = JSON.parse(body);
  // the owner says which printer it is from
  if (refused.printer_id === null) for (const name of Object.values(NAMES_PRINTER)) delete fieldsOf(sent)[name];
  const print = parseStoredBody(refused.source, sent);
  if ('ignored' in print) throw new DomainError('validation_error', print.ignored);
  if (print.source !== 'report' || print.at === undefined) return print;
  // no print ended after its report was received, so a later end means that the sender's clock was ahead
  const sentAt = print.sentAt ?? Math.max(print.at, receivedAt);
  return { ...print, sentAt: sentAt + now - receivedAt };
}
