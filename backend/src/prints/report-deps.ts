import type { AppendEvent } from '../events/outbox.ts';
import type { FilamentService } from '../filaments/filament-service.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { Clock } from '../shared/clock.ts';
import { invalid } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import type { Agent } from './agent.ts';
import type { AgentPrinter } from './agent-store.ts';
import type { LockedPrinter } from './report-store.ts';

/** What recording print reports needs from the rest of the server. */
export interface ReportDeps {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  append: AppendEvent;
  orders: Pick<OrderService, 'holdOrder' | 'lockOrder' | 'listPrintingOn' | 'updateInTransaction'>;
  filaments: Pick<FilamentService, 'holdFilament' | 'lockFilament' | 'consumeInTransaction' | 'deductedFor'>;
  printerExists(db: Db, accountId: string, id: string): Promise<boolean>;
  lockPrinterForReport(db: Db, accountId: string, id: string): Promise<LockedPrinter | undefined>;
  listPrintersOf(db: Db, agent: Pick<Agent, 'printer_id' | 'printer_group_id'>): Promise<AgentPrinter[]>;
}

/** Locks a printer until the transaction ends. @throws DomainError validation_error */
export async function lockPrinter(
  deps: ReportDeps,
  tx: Tx,
  accountId: string,
  printerId: string,
): Promise<LockedPrinter> {
  const printer = await deps.lockPrinterForReport(tx.db, accountId, printerId);
  if (!printer) throw invalid('/printer_id', 'The printer has just been deleted.');
  return printer;
}
