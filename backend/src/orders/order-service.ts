import type { Author } from '../accounts/token.ts';
import type { AppendEvent } from '../events/outbox.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../idempotency/with-idempotency.ts';
import { type Clock, DAY_MS, toDay } from '../shared/clock.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { checkVersion } from '../shared/etag.ts';
import { newId } from '../shared/ids.ts';
import { checkNames, quote } from '../shared/names.ts';
import { type Patch, patched } from '../shared/patch.ts';
import type { Listed, Page } from '../shared/schemas.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import { describeReceived, type StoredOrder, toEventData } from './order.ts';
import { INITIAL_VALUES, type Order, type OrderFields } from './order-fields.ts';
import * as store from './order-store.ts';
import { isWorkflowStatus, RESET_STATUS, WORKFLOW_STATUSES, type WorkflowStatus } from './status.ts';

/** An order without a date is due in two weeks: in the specification `due_date` is always a date. */
const DEFAULT_DUE_DAYS = 14;

/** How much of an unlisted status the history keeps, in characters. */
const MAX_RECEIVED = 200;

/** What `If-Match` is compared with. */
const VERSIONED = { name: 'order', tag: 'ETag as it is, with the quotes' };

const NAMES = ['model_name', 'material_name', 'customer_name'] as const;

/** PostgreSQL stores neither NUL nor lone surrogates, and a received value may contain both. */
const toStorable = (received: string): string =>
  received.slice(0, MAX_RECEIVED).toWellFormed().replaceAll('\0', '\u2400');

export type OrderInput = Patch<OrderFields> & { model_name: string; workflow_status?: WorkflowStatus | undefined };

/** The fields to change. `workflow_status` may have any value; a missing key means that it was not sent. */
export type OrderPatch = Patch<OrderFields> & {
  workflow_status?: unknown;
};

export interface UpdateOptions {
  /** refuse an unlisted status instead of resetting the order */
  strict: boolean;
  /** an `If-Match` header; the update is refused unless it matches the stored version */
  ifMatch: string | undefined;
}

export interface Updated extends StoredOrder {
  /** the unlisted status that reset the order, if one did */
  resetReceived: string | undefined;
}

/** What an order consumed from stock. Amounts are negative when a deduction was undone. */
export interface OrderConsumption {
  orderId: string;
  filamentId: string;
  gramsMg: number;
  costMinor: number | null;
  note: string | null;
  actor: string;
  /** milliseconds */
  at: number;
}

interface OrderDeps {
  storage: Storage;
  clock: Clock;
  withIdempotency: WithIdempotency;
  append: AppendEvent;
  /** whether the account has this printer, which can't be deleted until the transaction ends */
  holdPrinter(db: Db, accountId: string, id: string): Promise<boolean>;
}

export type OrderService = ReturnType<typeof createOrderService>;

export function createOrderService(deps: OrderDeps) {
  const { storage } = deps;

  return {
    list: (accountId: string, filter: store.OrderFilter, page: Page): Promise<Listed<Order>> =>
      store.listOrders(storage.read, accountId, filter, page),

    /** The ids of all orders that the `q` of a list finds, of every status. */
    find: (accountId: string, q: string): Promise<string[]> => store.listFound(storage.read, accountId, q),

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
    create: (
      actor: Author,
      input: OrderInput,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<StoredOrder>> =>
      deps.withIdempotency(actor.accountId, idempotency, (tx) => createInTransaction(deps, tx, actor, input)),

    /**
     * Writes the fields that are present and leaves the others. `order.status_changed` is sent exactly when the stored
     * status changes; a write that changes nothing keeps the version and `updated_at`.
     * @throws DomainError not_found, precondition_failed, validation_error, unknown_workflow_status
     */
    update: (actor: Author, id: string, patch: OrderPatch, options: UpdateOptions): Promise<Updated> =>
      storage.inTransaction((tx) => updateInTransaction(deps, tx, actor, id, patch, options)),

    /** As `create`, as part of a larger transaction and without an idempotency key. */
    createInTransaction: (tx: Tx, actor: Author, input: OrderInput) => createInTransaction(deps, tx, actor, input),

    /** As `update`, as part of a larger transaction. */
    updateInTransaction: (tx: Tx, actor: Author, id: string, patch: OrderPatch, options: UpdateOptions) =>
      updateInTransaction(deps, tx, actor, id, patch, options),

    /** @throws DomainError not_found, precondition_failed */
    remove: (actor: Author, id: string, ifMatch: string | undefined): Promise<void> =>
      storage.inTransaction(async (tx) => {
        const stored = await store.lockOrder(tx.db, actor.accountId, id);
        if (!stored) throw notFound();
        checkVersion(ifMatch, stored.version, VERSIONED);
        await store.deleteOrder(tx.db, id);
        tx.changed(actor.accountId, { kind: 'order', id, gone: true });
      }),

    /** As `create`, at a time in the past: for sample data, whose events have no deliveries. */
    async backfill(tx: Tx, actor: Author, input: Omit<store.NewOrder, 'id'>): Promise<Order> {
      const { order } = await store.insertOrder(tx.db, actor.accountId, { ...input, id: newId() });
      await insertCreated(tx, actor, order, input.at);
      await emit(deps, tx, 'order.created', actor, order, input.at);
      tx.changed(actor.accountId, { kind: 'order', id: order.id });
      return order;
    },

    /** Moves an order at a time in the past: for sample data. */
    async backfillMove(tx: Tx, actor: Author, order: Order, to: WorkflowStatus, at: number): Promise<Order> {
      const moved = { id: newId(), orderId: order.id, at, actor: actor.tokenName };
      const fromStatus = order.workflow_status;
      await store.insertHistory(tx.db, { ...moved, kind: 'status_changed', fromStatus, toStatus: to });
      const { order: after } = await store.updateOrder(tx.db, order, { workflow_status: to }, at);
      await emit(deps, tx, 'order.status_changed', actor, after, at);
      return after;
    },

    /** Adds to an order's history what was deducted from stock for it. */
    async recordConsumption(tx: Tx, use: OrderConsumption): Promise<void> {
      await store.insertHistory(tx.db, { id: newId(), kind: 'consumption', ...use });
    },

    /** A printer was renamed or deleted, which changes its orders. The caller has locked the printer. */
    async printerChanged(tx: Tx, accountId: string, printerId: string, what: 'renamed' | 'removed'): Promise<void> {
      for (const id of await store.touchOrdersOf(tx.db, printerId, what === 'removed', deps.clock()))
        tx.changed(accountId, { kind: 'order', id });
    },

    holdOrder: store.holdOrder,
    lockOrder: store.lockOrder,
    listPrintingOn: store.listPrintingOn,
  };
}

/** @throws DomainError validation_error */
async function createInTransaction(deps: OrderDeps, tx: Tx, actor: Author, input: OrderInput): Promise<StoredOrder> {
  await checkPrinter(deps, tx.db, actor.accountId, input.printer_id);
  checkNames(NAMES, input);
  const at = deps.clock();
  const created = await store.insertOrder(tx.db, actor.accountId, withDefaults(input, at));
  const { order } = created;
  await insertCreated(tx, actor, order, at);
  await emit(deps, tx, 'order.created', actor, order, at);
  tx.changed(actor.accountId, { kind: 'order', id: order.id });
  return created;
}

function withDefaults(input: OrderInput, at: number): store.NewOrder {
  const dueDate = toDay(at + DEFAULT_DUE_DAYS * DAY_MS);
  const initial = { ...INITIAL_VALUES, model_name: input.model_name, due_date: dueDate };
  return { ...patched<Omit<store.NewOrder, 'id' | 'at'>>(initial, input), id: newId(), at };
}

const insertCreated = (tx: Tx, actor: Author, order: Order, at: number): Promise<void> =>
  store.insertHistory(tx.db, {
    id: newId(),
    orderId: order.id,
    kind: 'created',
    at,
    actor: actor.tokenName,
    toStatus: order.workflow_status,
  });

/** @throws DomainError not_found, precondition_failed, validation_error, unknown_workflow_status */
async function updateInTransaction(
  deps: OrderDeps,
  tx: Tx,
  actor: Author,
  id: string,
  patch: OrderPatch,
  { strict, ifMatch }: UpdateOptions,
): Promise<Updated> {
  const { accountId } = actor;
  const before = await store.lockOrder(tx.db, accountId, id);
  if (!before) throw notFound();
  checkVersion(ifMatch, before.version, VERSIONED);
  const { workflow_status: received, ...fields } = patch;
  await checkPrinter(deps, tx.db, accountId, fields.printer_id);
  checkNames<Patch<OrderFields>>(NAMES, fields, before.order);

  const { status, resetReceived } =
    'workflow_status' in patch ? resolveStatus(received, strict) : { status: undefined, resetReceived: undefined };
  const change = { ...changedFields(fields, before.order), ...changedStatus(status, resetReceived, before.order) };
  const at = deps.clock();
  const after = await writeChange(tx, accountId, before, change, at);
  if (change.workflow_status !== undefined || resetReceived !== undefined) {
    await insertMove(tx, actor, before.order, after.order, resetReceived, at);
  }
  if (change.workflow_status !== undefined) await emit(deps, tx, 'order.status_changed', actor, after.order, at);
  if (after.version !== before.version) tx.changed(accountId, { kind: 'order', id });
  return { ...after, resetReceived };
}

const changedFields = (fields: Patch<OrderFields>, stored: Order): store.OrderChange =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => value !== undefined && value !== stored[field as keyof OrderFields],
    ),
  );

/** @param status undefined: no status was sent */
function changedStatus(
  status: WorkflowStatus | undefined,
  resetReceived: string | undefined,
  stored: Order,
): Pick<store.OrderChange, 'workflow_status' | 'status_reset_received'> {
  if (status === undefined) return {};
  const trace = resetReceived === undefined ? null : toStorable(resetReceived);
  return {
    ...(status === stored.workflow_status ? {} : { workflow_status: status }),
    ...(trace === stored.status_reset_received ? {} : { status_reset_received: trace }),
  };
}

/** An unchanged order is read again: the row seen while waiting for the lock may have an outdated printer name. */
async function writeChange(
  tx: Tx,
  accountId: string,
  before: StoredOrder,
  change: store.OrderChange,
  at: number,
): Promise<StoredOrder> {
  if (Object.keys(change).length > 0) return store.updateOrder(tx.db, before.order, change, at);
  return (await store.findOrder(tx.db, accountId, before.order.id)) ?? before;
}

const insertMove = (
  tx: Tx,
  actor: Author,
  before: Order,
  after: Order,
  resetReceived: string | undefined,
  at: number,
): Promise<void> =>
  store.insertHistory(tx.db, {
    id: newId(),
    orderId: before.id,
    kind: resetReceived === undefined ? 'status_changed' : 'status_reset',
    at,
    actor: actor.tokenName,
    fromStatus: before.workflow_status,
    toStatus: after.workflow_status,
    ...(resetReceived === undefined ? {} : { received: toStorable(resetReceived) }),
  });

/**
 * By the specification ("States and transitions"), a listed value is accepted and any other resets the order; a caller that prefers
 * strict handling gets an error instead.
 * @throws DomainError unknown_workflow_status
 */
function resolveStatus(
  received: unknown,
  strict: boolean,
): { status: WorkflowStatus; resetReceived: string | undefined } {
  if (isWorkflowStatus(received)) return { status: received, resetReceived: undefined };
  const description = describeReceived(received);
  if (strict) {
    const sent = (typeof received === 'string' ? quote(received) : JSON.stringify(received)).slice(0, 80);
    const expected = `must be one of ${WORKFLOW_STATUSES.join(', ')}`;
    throw new DomainError('unknown_workflow_status', `${sent} is not a valid workflow status: it ${expected}.`, {
      faults: [{ pointer: '/workflow_status', detail: `${expected}; received ${sent}` }],
      facts: { allowed: WORKFLOW_STATUSES },
    });
  }
  return { status: RESET_STATUS, resetReceived: description };
}

/** @throws DomainError validation_error */
async function checkPrinter(
  { holdPrinter }: OrderDeps,
  db: Db,
  accountId: string,
  id: string | null | undefined,
): Promise<void> {
  if (id && !(await holdPrinter(db, accountId, id))) {
    throw invalid('/printer_id', 'No printer with this ID in the account. GET /printers lists the printers.');
  }
}

const emit = (
  deps: OrderDeps,
  tx: Tx,
  event: 'order.created' | 'order.status_changed',
  { accountId, traceparent }: Author,
  order: Order,
  at: number,
): Promise<void> =>
  deps.append(tx, {
    accountId,
    event,
    traceparent,
    data: toEventData(order),
    subject: `order:${order.id}`,
    occurredAt: at,
  });
