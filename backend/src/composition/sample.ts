import type { Clock } from '../../../common/src/clock.ts';
import type { AccountService } from '../accounts/account-service.ts';
import { findAccount, findCurrency, lockAccount } from '../accounts/account-store.ts';
import type { SessionService } from '../accounts/sessions.ts';
import { deleteEvents } from '../events/event-store.ts';
import { createOutbox } from '../events/outbox.ts';
import { sessionCookie } from '../http/cookie.ts';
import { createInvoiceService } from '../invoices/invoice-service.ts';
import { createPayments } from '../invoices/payments/payment.ts';
import { createLeadService } from '../leads/lead-service.ts';
import { createReportService } from '../prints/report-service.ts';
import { createSampleService } from '../sample/sample-service.ts';
import { insertSampleRecord } from '../sample/sample-store.ts';
import { createLauncher } from '../sample/simulation-process.ts';
import { simulationRoutes } from '../sample/simulation-routes.ts';
import { createSimulationService } from '../sample/simulation-service.ts';
import { closeAccount, deleteAccount } from '../storage/account-removal.ts';
import { createWithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Tx } from '../storage/transaction.ts';
import type { OpenedParts } from './open.ts';
import { createOrderFeatures } from './orders.ts';
import type { Shared } from './parts.ts';

type SampleParts = Pick<OpenedParts, 'logger' | 'secretBox' | 'signForms'>;

/** The sample farm, which is created in one transaction and at times in the past. */
export const createSample = (shared: Shared, parts: SampleParts) =>
  createSampleService({
    storage: shared.storage,
    clock: shared.clock,
    accounts: { findCurrency, lockAccount },
    events: { deleteEvents },
    transactionalServices: (tx, clock) => createServices(shared, parts, tx, clock),
  });

/** The services that create real records, on one transaction. Their events are recorded as sample data and not sent. */
function createServices({ storage }: Shared, parts: SampleParts, tx: Tx, clock: Clock) {
  const outbox = createOutbox({
    async insertDeliveries(db, { accountId, eventSeq }) {
      await insertSampleRecord(db, accountId, 'event', String(eventSeq));
      return [];
    },
    wake() {},
  });
  const common = {
    clock,
    outbox,
    // all transactions join this one, and reads see what it changed
    storage: { ...storage, read: tx.db, inTransaction: <T>(work: (tx: Tx) => Promise<T>) => work(tx) },
  };
  const withIdempotency = createWithIdempotency(common);
  const { orders, filaments, printers } = createOrderFeatures({ ...common, withIdempotency });
  const leads = createLeadService({ ...common, sign: parts.signForms, orders });
  const invoices = createInvoiceService({
    ...common,
    withIdempotency,
    secretBox: parts.secretBox,
    payments: createPayments(common),
    // no links are shown while samples are created
    publicUrl: () => '',
    orders,
    accounts: { findCurrency, lockAccount },
    findCharacters: async () => new Set(),
  });
  const reports = createReportService({ ...common, logger: parts.logger, orders, filaments, printers });
  return { orders, filaments, printers, leads, invoices, reports };
}

interface SimulationParts extends Pick<OpenedParts, 'logger'> {
  accounts: AccountService;
  sessions: SessionService;
  /** how many may run at a time, in all processes */
  max: number;
  https: boolean;
  /** where this server listens */
  server(): string;
}

/** Simulated farms, each in an account of its own. */
export function createSimulations({ storage, clock }: Shared, parts: SimulationParts) {
  const { accounts, sessions, logger, max, https, server } = parts;
  const simulations = createSimulationService({
    storage,
    clock,
    logger,
    accounts: {
      createUnlocked: accounts.createUnlocked,
      close: closeAccount,
      delete: deleteAccount,
      findAccount,
      findCurrency,
    },
    sessions,
    launch: createLauncher(logger),
    max,
    server,
    toCookie: ({ token, expiresAt }) => sessionCookie(token, expiresAt, https).split(';', 1).join(),
  });
  return { simulations, ...simulationRoutes({ simulations, findSession: sessions.find, https }) };
}
