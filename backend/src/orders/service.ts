import type { Author } from '../accounts/token.ts';
import { type Clock, toDay } from '../clock.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import type { AppendEvent } from '../events/outbox.ts';
import type { IdempotencyRequest, Once, Outcome } from '../idempotency/once.ts';
import { newId } from '../ids.ts';
import type { Announce } from '../jobs/jobs.ts';
import { checkNames, quote } from '../names.ts';
import type { Patch } from '../patch.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage, Tx } from '../storage/open.ts';
import type { Listed, Page } from '../wire.ts';
import { INITIAL_STATUS, isWorkflowStatus, RESET_STATUS, WORKFLOW_STATUSES, type WorkflowStatus } from '../workflow.ts';
import { describeReceived, matchesETag, type Order, type OrderFields, type StoredOrder, toEventData } from './order.ts';
import * as store from './store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** An order without a date is due in two weeks: the contract's `due_date` is always a date. */
const DEFAULT_DUE_DAYS = 14;

/** How much of a received status the history keeps, in characters. */
const MOST_RECEIVED = 200;

/** How much of a received entity tag an error quotes, in characters. */
const MAX_TAG = 60;

const NAMES = ['model_name', 'material_name', 'customer_name'] as const;

/** PostgreSQL stores neither NUL nor half a surrogate pair, and what was received may hold both. */
const toStorable = (received: string): string =>
  received.slice(0, MOST_RECEIVED).toWellFormed().replaceAll('\0', '\u2400');

export type OrderInput = Partial<OrderFields> & { model_name: string; workflow_status?: WorkflowStatus | undefined };

/** The fields to change. `workflow_status` may hold anything; whether the key is there at all is what counts. */
export type OrderPatch = Patch<OrderFields> & {
  workflow_status?: unknown;
};

export interface UpdateOptions {
  /** refuse a status that is not listed instead of resetting the order */
  strict: boolean;
  /** an `If-Match` header: refuse unless it names the stored version */
  ifMatch: string | undefined;
}

export interface Updated extends StoredOrder {
  /** what was received, when it reset the order */
  resetReceived: string | undefined;
}

export type OrderService = ReturnType<typeof createOrderService>;

export function createOrderService(deps: {
  storage: Storage;
  clock: Clock;
  once: Once;
  append: AppendEvent;
  printerExists(db: Db, accountId: string, id: string): Promise<boolean>;
  /** tells open pages */
  announce?: Announce | undefined;
}) {
  const { storage, clock, once, append, printerExists } = deps;

  const tell = (tx: Tx, accountId: string, id: string) =>
    tx.afterCommit(() => deps.announce?.(accountId, { kind: 'order', id }));

  async function checkPrinter(db: Db, accountId: string, id: string | null | undefined): Promise<void> {
    if (id && !(await printerExists(db, accountId, id))) {
      throw invalid('/printer_id', 'No printer with this ID in the account. GET /printers lists the printers.');
    }
  }

  /** The contract: every listed value is taken; any other resets the order, or is refused where that was asked for. */
  function resolveStatus(received: unknown, strict: boolean): { status: WorkflowStatus; reset: string | undefined } {
    if (isWorkflowStatus(received)) return { status: received, reset: undefined };
    const words = describeReceived(received);
    if (strict) {
      const sent = (typeof received === 'string' ? quote(received) : JSON.stringify(received)).slice(0, 80);
      const expected = `must be one of ${WORKFLOW_STATUSES.join(', ')}`;
      throw new DomainError('unknown_workflow_status', `${sent} is not a valid workflow status: it ${expected}.`, {
        faults: [{ pointer: '/workflow_status', detail: `${expected}; received ${sent}` }],
        facts: { allowed: WORKFLOW_STATUSES },
      });
    }
    return { status: RESET_STATUS, reset: words };
  }

  function checkVersion(stored: StoredOrder, ifMatch: string | undefined): void {
    if (ifMatch !== undefined && !matchesETag(ifMatch, stored.version)) {
      throw new DomainError(
        'precondition_failed',
        // not "has changed": a tag without its quotes names no version at all
        `If-Match does not name the current version of the order; received ${ifMatch.slice(0, MAX_TAG) || 'an empty header'}. Read the order again and send its ETag as it is, with the quotes.`,
      );
    }
  }

  async function emit(
    tx: Tx,
    event: 'order.created' | 'order.status_changed',
    accountId: string,
    order: Order,
    at: number,
  ) {
    await append(tx, { accountId, event, subject: `order:${order.id}`, data: toEventData(order), occurredAt: at });
  }

  return {
    list: (accountId: string, filter: store.OrderFilter, page: Page): Promise<Listed<Order>> =>
      store.listOrders(storage.read, accountId, filter, page),

    /** @throws DomainError not_found */
    async get(accountId: string, id: string): Promise<StoredOrder> {
      const found = await store.findOrder(storage.read, accountId, id);
      if (!found) throw notFound();
      return found;
    },

    /** @throws DomainError not_found */
    async history(accountId: string, id: string, page: Page): Promise<Listed<store.HistoryEntry>> {
      if (!(await store.orderExists(storage.read, accountId, id))) throw notFound();
      return store.listHistory(storage.read, id, page);
    },

    /** Creates an order and sends `order.created`. @throws DomainError validation_error, idempotency_conflict */
    create(
      actor: Author,
      input: OrderInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<Outcome<StoredOrder>> {
      return once(actor.accountId, idempotency, async (tx) => {
        await checkPrinter(tx.db, actor.accountId, input.printer_id);
        checkNames(NAMES, input);
        const at = clock();
        const created = await store.insertOrder(tx.db, actor.accountId, {
          id: newId(),
          model_name: input.model_name,
          quantity_pieces: input.quantity_pieces ?? 1,
          material_name: input.material_name ?? '',
          color_hex: input.color_hex ?? '#808080',
          material_grams: input.material_grams ?? 0,
          print_hours: input.print_hours ?? 0,
          due_date: input.due_date ?? toDay(at + DEFAULT_DUE_DAYS * DAY_MS),
          order_notes: input.order_notes ?? '',
          printer_id: input.printer_id ?? null,
          customer_name: input.customer_name ?? null,
          customer_contact: input.customer_contact ?? null,
          price: input.price ?? null,
          currency: input.currency ?? null,
          workflow_status: input.workflow_status ?? INITIAL_STATUS,
          at,
        });
        const { order } = created;
        await store.insertHistory(tx.db, {
          id: newId(),
          orderId: order.id,
          kind: 'created',
          at,
          actor: actor.tokenName,
          toStatus: order.workflow_status,
        });
        await emit(tx, 'order.created', actor.accountId, order, at);
        tell(tx, actor.accountId, order.id);
        return created;
      });
    },

    /** Writes an order as of an earlier time and sends no event: for sample data, which nobody should be notified of. */
    async record(tx: Tx, actor: Author, input: Omit<store.NewOrder, 'id'>) {
      const { order } = await store.insertOrder(tx.db, actor.accountId, { ...input, id: newId() });
      const made = { id: newId(), orderId: order.id, at: input.at, actor: actor.tokenName };
      await store.insertHistory(tx.db, { ...made, kind: 'created', toStatus: order.workflow_status });
      tell(tx, actor.accountId, order.id);
      return order;
    },

    /** Moves an order as of an earlier time and sends no event, as `record`. */
    async recordMove(tx: Tx, actor: Author, order: Order, to: WorkflowStatus, at: number) {
      const moved = { id: newId(), orderId: order.id, at, actor: actor.tokenName };
      const fromStatus = order.workflow_status;
      await store.insertHistory(tx.db, { ...moved, kind: 'status_changed', fromStatus, toStatus: to });
      return (await store.updateOrder(tx.db, order, { workflow_status: to }, at)).order;
    },

    /**
     * Writes the given fields, leaves the others. `order.status_changed` is sent exactly when the stored status changed.
     * A write that changes nothing leaves the version and the time of change as they are.
     * @throws DomainError not_found, precondition_failed, validation_error, unknown_workflow_status
     */
    update(actor: Author, id: string, patch: OrderPatch, options: UpdateOptions): Promise<Updated> {
      return storage.inTransaction(async (tx) => {
        const before = await store.lockOrder(tx.db, actor.accountId, id);
        if (!before) throw notFound();
        checkVersion(before, options.ifMatch);
        const { workflow_status: received, ...fields } = patch;
        await checkPrinter(tx.db, actor.accountId, fields.printer_id);
        checkNames<Patch<OrderFields>>(NAMES, fields, before.order);

        const change: store.OrderChange = Object.fromEntries(
          Object.entries(fields).filter(
            ([field, value]) => value !== undefined && value !== before.order[field as keyof OrderFields],
          ),
        );
        let resetReceived: string | undefined;
        if ('workflow_status' in patch) {
          const { status, reset } = resolveStatus(received, options.strict);
          resetReceived = reset;
          if (status !== before.order.workflow_status) change.workflow_status = status;
          const trace = reset === undefined ? null : toStorable(reset);
          if (trace !== before.order.status_reset_received) change.status_reset_received = trace;
        }

        const at = clock();
        // where nothing changes it is read once more: whoever waited for the lock has the row of now, and beside it the
        // printer's name as of when the waiting began
        const after =
          Object.keys(change).length > 0
            ? await store.updateOrder(tx.db, before.order, change, at)
            : ((await store.findOrder(tx.db, actor.accountId, id)) ?? before);
        if (change.workflow_status !== undefined || resetReceived !== undefined) {
          await store.insertHistory(tx.db, {
            id: newId(),
            orderId: id,
            kind: resetReceived === undefined ? 'status_changed' : 'status_reset',
            at,
            actor: actor.tokenName,
            fromStatus: before.order.workflow_status,
            toStatus: after.order.workflow_status,
            ...(resetReceived === undefined ? {} : { received: toStorable(resetReceived) }),
          });
        }
        if (change.workflow_status !== undefined)
          await emit(tx, 'order.status_changed', actor.accountId, after.order, at);
        if (after.version !== before.version) tell(tx, actor.accountId, id);
        return { ...after, resetReceived };
      });
    },

    /** @throws DomainError not_found, precondition_failed */
    remove(actor: Author, id: string, ifMatch: string | undefined): Promise<void> {
      return storage.inTransaction(async (tx) => {
        const stored = await store.lockOrder(tx.db, actor.accountId, id);
        if (!stored) throw notFound();
        checkVersion(stored, ifMatch);
        await store.deleteOrder(tx.db, id);
        tx.afterCommit(() => deps.announce?.(actor.accountId, { kind: 'order', id, gone: true }));
      });
    },

    /** Notes in an order's history what was taken from stock for it, negative what was given back; part of that very transaction. */
    async recordConsumption(
      tx: Tx,
      use: {
        orderId: string;
        filamentId: string;
        gramsMg: number;
        costMinor: number | null;
        note: string | null;
        actor: string;
        at: number;
      },
    ): Promise<void> {
      await store.insertHistory(tx.db, { id: newId(), kind: 'consumption', ...use });
    },

    /** A printer got another name, which its orders show, or is taken away from them. The caller has locked the printer. */
    async printerChanged(tx: Tx, accountId: string, printerId: string, what: 'renamed' | 'removed'): Promise<void> {
      for (const id of await store.touchOrdersOf(tx.db, printerId, what === 'removed', clock()))
        tell(tx, accountId, id);
    },

    orderExists: store.orderExists,
    lockOrder: store.lockOrder,
    printingOn: store.listPrintingOn,

    /** Orders by status for the summary; all counts are of this account. */
    counts: (accountId: string) => store.countOrders(storage.read, accountId, toDay(clock())),
  };
}
