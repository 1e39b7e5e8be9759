import { createOutbox } from '../events/outbox.ts';
import { filamentRoutes } from '../filaments/filament-routes.ts';
import type { FilamentService } from '../filaments/filament-service.ts';
import type { DryRunResult, Route, RouteRequest } from '../http/route.ts';
import { orderRoutes } from '../orders/order-routes.ts';
import { DomainError } from '../shared/errors.ts';
import { fromThousandths, toThousandths } from '../shared/units.ts';
import { createWithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Tx } from '../storage/transaction.ts';
import { insertDeliveries } from '../webhooks/delivery/delivery-store.ts';
import { createOrderFeatures } from './orders.ts';
import type { Shared } from './parts.ts';

type Request = RouteRequest<never, never, never>;

/** Ends the transaction of a dry run, which undoes everything. */
class Undone extends Error {
  readonly result: DryRunResult;
  constructor(result: DryRunResult) {
    super('a dry run');
    this.result = result;
  }
}

/** Notes the events that are appended, and who would get them. Nobody is woken. */
function createNotes() {
  const events: DryRunResult['would']['events'] = [];
  const counts = new Map<string, number>();
  const outbox = createOutbox({
    async insertDeliveries(db, event) {
      const ids = await insertDeliveries(db, event);
      events.push({ event: event.event, subject: event.subject });
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
      return ids;
    },
    wake() {},
  });
  const noted = () => ({
    events,
    deliveries: [...counts].sort().map(([subscription_id, n]) => ({ subscription_id, events: n })),
  });
  return { outbox, noted };
}

/** @returns milligrams; undefined if the filament doesn't exist */
async function usedOf(filaments: FilamentService, accountId: string, id: string): Promise<number | undefined> {
  try {
    return toThousandths((await filaments.get(accountId, id)).used_grams);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Handles a request by services of its own, whose transactions and reads are this transaction. */
async function runIn({ db }: Tx, { storage, clock }: Shared, route: Route, request: Request): Promise<DryRunResult> {
  const tx: Tx = { db, afterCommit: () => undefined, changed: () => undefined };
  const inTx = { ...storage, read: db, inTransaction: <T>(work: (tx: Tx) => Promise<T>) => work(tx) };
  const { outbox, noted } = createNotes();
  const withIdempotency = createWithIdempotency({ storage: inTx, clock });
  const { orders, filaments } = createOrderFeatures({ storage: inTx, clock, outbox, withIdempotency });
  const { accountId } = request.actor;
  const filamentId = route.path.startsWith('/filaments/{id}') ? (request.params as { id: string }).id : undefined;
  // held, so that the difference is this request's
  if (filamentId !== undefined) await filaments.lockFilament(db, accountId, filamentId);
  const before = filamentId === undefined ? undefined : await usedOf(filaments, accountId, filamentId);
  const same = [...orderRoutes(orders), ...filamentRoutes(filaments)].find(
    ({ operationId }) => operationId === route.operationId,
  ) as Route;
  const reply = await same.handle(request);
  const after = filamentId === undefined ? undefined : await usedOf(filaments, accountId, filamentId);
  const deductedMg = before === undefined || after === undefined ? 0 : after - before;
  return { reply, would: { ...noted(), deducted_grams: fromThousandths(deductedMg) } };
}

/**
 * Carries out requests that change orders or stock, and undoes them: everything in one transaction that is rolled back.
 * It shares its commit with none, because there is none.
 */
export const createDryRun =
  (shared: Shared) =>
  async (route: Route, request: Request): Promise<DryRunResult> => {
    try {
      return await shared.storage.inTransaction(
        async (tx) => {
          throw new Undone(await runIn(tx, shared, route, request));
        },
        { isLong: true },
      );
    } catch (error) {
      if (error instanceof Undone) return error.result;
      throw error;
    }
  };
