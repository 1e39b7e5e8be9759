import { type Clock, DAY_MS, toDay, toIso } from '../../../common/src/clock.ts';
import type { Author } from '../accounts/token.ts';
import type { Outbox } from '../events/outbox.ts';
import type * as printerStore from '../printers/printer-store.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import { checkVersion } from '../shared/etag.ts';
import { newId } from '../shared/ids.ts';
import { checkNames, quote } from '../shared/names.ts';
import type { Listed, Page } from '../shared/pagination.ts';
import { type Patch, patched } from '../shared/patch.ts';
import type { IdempotencyRequest, IdempotentResult, WithIdempotency } from '../storage/idempotency/with-idempotency.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import { describeReceived, type StoredOrder, toEventData } from './order.ts';
import { type ExternalId, INITIAL_VALUES, type Order, type OrderFields } from './order-fields.ts';
import * as historyStore from './order-history-store.ts';
import type { ExternalOrder, HistoryEntry, NewOrder, OrderPatch, StatusChange, StatusResult } from './order-schema.ts';
import * as store from './order-store.ts';
import { fromStoredResults, setStatuses, toStoredResults } from './set-statuses.ts';
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

export interface Put extends StoredOrder {
  /** stale: nothing was written, because a newer state is stored */
  outcome: 'created' | 'updated' | 'stale';
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
  outbox: Outbox;
  printers: Pick<typeof printerStore, 'holdPrinter'>;
}

export type OrderService = ReturnType<typeof createOrderService>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createOrderService({ storage, clock, withIdempotency, outbox, printers }: OrderDeps) {
  /** @throws DomainError validation_error */
  async function checkPrinter(tx: Tx, accountId: string, id: string | null | undefined): Promise<void> {
    if (id && !(await printers.holdPrinter(tx.db, accountId, id))) {
      throw invalid('/printer_id', 'No printer with this ID in the account. GET /printers lists the printers.');
    }
  }

  const appendEvent = (
    tx: Tx,
    event: 'order.created' | 'order.status_changed',
    { accountId, traceparent }: Author,
    order: Order,
    at: number,
  ): Promise<void> =>
    outbox.append(tx, {
      accountId,
      event,
      traceparent,
      data: toEventData(order),
      subject: `order:${order.id}`,
      occurredAt: at,
    });

  /** @returns undefined if an order has the external id */
  async function insert(tx: Tx, actor: Author, input: store.NewOrder): Promise<StoredOrder | undefined> {
    const created = await store.insertOrder(tx.db, actor.accountId, input);
    if (!created) return undefined;
    const { order } = created;
    await historyStore.insertHistory(tx.db, {
      id: newId(),
      orderId: order.id,
      kind: 'created',
      at: input.at,
      actor: actor.tokenName,
      toStatus: order.workflow_status,
    });
    await appendEvent(tx, 'order.created', actor, order, input.at);
    tx.changed(actor.accountId, { kind: 'order', id: order.id });
    return created;
  }

  /** @returns undefined if an order has the external id */
  async function checkAndInsert(tx: Tx, actor: Author, input: NewOrder): Promise<StoredOrder | undefined> {
    await checkPrinter(tx, actor.accountId, input.printer_id);
    checkNames([...NAMES, 'source', 'external_id'], input);
    return insert(tx, actor, withDefaults(input, clock()));
  }

  /** As `create`, as part of a larger transaction and without an idempotency key. */
  async function createInTransaction(tx: Tx, actor: Author, input: NewOrder): Promise<StoredOrder> {
    const created = await checkAndInsert(tx, actor, input);
    if (created) return created;
    const key = { source: input.source ?? '', external_id: input.external_id ?? '' };
    const existing = await store.findByExternalId(tx.db, actor.accountId, key);
    const detail = 'An order from this source has this external_id. PUT /print-jobs/by-external-id changes it.';
    throw new DomainError('external_id_in_use', detail, { facts: { id: existing?.order.id } });
  }

  /** As `update`, as part of a larger transaction. */
  async function updateInTransaction(
    tx: Tx,
    actor: Author,
    id: string,
    patch: OrderPatch & Pick<ExternalOrder, 'external_updated_at'>,
    { strict, ifMatch }: UpdateOptions,
  ): Promise<Updated> {
    const { accountId } = actor;
    const before = await store.lockOrder(tx.db, accountId, id);
    if (!before) throw notFound();
    checkVersion(ifMatch, before.version, VERSIONED);
    const { workflow_status: received, ...fields } = patch;
    await checkPrinter(tx, accountId, fields.printer_id);
    checkNames<Patch<OrderFields>>(NAMES, fields, before.order);

    const { status, resetReceived } =
      'workflow_status' in patch ? resolveStatus(received, strict) : { status: undefined, resetReceived: undefined };
    const change = { ...changedFields(fields, before.order), ...changedStatus(status, resetReceived, before.order) };
    const at = clock();
    const after = await writeChange(tx, accountId, before, change, at);
    if (change.workflow_status !== undefined || resetReceived !== undefined) {
      await insertMove(tx, actor, before.order, after.order, resetReceived, at);
    }
    if (change.workflow_status !== undefined) await appendEvent(tx, 'order.status_changed', actor, after.order, at);
    if (after.version !== before.version) tx.changed(accountId, { kind: 'order', id });
    return { ...after, resetReceived };
  }

  /** As `putByExternalId`, as part of a larger transaction. */
  async function putInTransaction(tx: Tx, actor: Author, key: ExternalId, sent: ExternalOrder): Promise<Put> {
    const { model_name } = sent;
    for (;;) {
      const stored = await store.lockByExternalId(tx.db, actor.accountId, key);
      if (stored) return write(tx, actor, stored, sent);
      if (model_name === undefined) throw invalid('/model_name', 'is missing: no order has this ID yet');
      // another request may create the order at the same time: then this one changes it
      const created = await checkAndInsert(tx, actor, { ...sent, model_name, ...key });
      if (created) return { ...created, outcome: 'created' };
    }
  }

  /** Writes what another system sent, unless it is older than what is stored. */
  async function write(tx: Tx, actor: Author, stored: StoredOrder, sent: ExternalOrder): Promise<Put> {
    const { id, external_updated_at: known } = stored.order;
    const { external_updated_at, ...fields } = sent;
    const at = external_updated_at ? toIso(Date.parse(external_updated_at)) : known;
    // both are times in UTC with the same number of places
    if (at !== null && known !== null && at < known) return { ...stored, outcome: 'stale' };
    const change = { ...fields, external_updated_at: at };
    const updated = await updateInTransaction(tx, actor, id, change, { strict: true, ifMatch: undefined });
    return { ...updated, outcome: 'updated' };
  }

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
    async history(accountId: string, id: string, page: Page): Promise<Listed<HistoryEntry>> {
      if (!(await store.orderExists(storage.read, accountId, id))) throw notFound();
      return historyStore.listHistory(storage.read, id, page);
    },

    /** Creates an order and sends `order.created`. @throws DomainError validation_error, external_id_in_use, idempotency_conflict */
    create: (
      actor: Author,
      input: NewOrder,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<StoredOrder>> =>
      withIdempotency(actor.accountId, idempotency, (tx) => createInTransaction(tx, actor, input)),

    /**
     * Writes the fields that are present and leaves the others. `order.status_changed` is sent exactly when the stored
     * status changes; a write that changes nothing keeps the version and `updated_at`.
     * @throws DomainError not_found, precondition_failed, validation_error, unknown_workflow_status
     */
    update: (actor: Author, id: string, patch: OrderPatch, options: UpdateOptions): Promise<Updated> =>
      storage.inTransaction((tx) => updateInTransaction(tx, actor, id, patch, options)),

    createInTransaction,
    updateInTransaction,

    /**
     * Sets the status of several orders; one that is refused doesn't affect the others. If all are, the key stays unused.
     * @throws DomainError idempotency_conflict
     */
    setStatuses: (
      actor: Author,
      change: StatusChange,
      idempotency: IdempotencyRequest | undefined,
    ): Promise<IdempotentResult<{ results: StatusResult[] }>> =>
      withIdempotency(
        actor.accountId,
        idempotency,
        async (tx) => {
          const update = (id: string, patch: OrderPatch) =>
            updateInTransaction(tx, actor, id, patch, { strict: true, ifMatch: undefined });
          return { results: await setStatuses(change, update) };
        },
        {
          keep: ({ results }) => toStoredResults(results),
          restore: (kept) => ({ results: fromStoredResults(change.ids, kept) }),
          isLong: true,
        },
      ),

    /** @throws DomainError not_found */
    async getByExternalId(accountId: string, key: ExternalId): Promise<StoredOrder> {
      const found = await store.findByExternalId(storage.read, accountId, key);
      if (!found) throw notFound();
      return found;
    },

    /**
     * Creates the order with this id in another system, or updates it unless what was sent is older than what is stored.
     * @throws DomainError validation_error
     */
    putByExternalId: (actor: Author, key: ExternalId, sent: ExternalOrder): Promise<Put> =>
      storage.inTransaction((tx) => putInTransaction(tx, actor, key, sent)),

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
    backfill: async (tx: Tx, actor: Author, input: Omit<store.NewOrder, 'id'>): Promise<Order> =>
      ((await insert(tx, actor, { ...input, id: newId() })) as StoredOrder).order,

    /** Moves an order at a time in the past: for sample data. */
    async backfillMove(tx: Tx, actor: Author, order: Order, to: WorkflowStatus, at: number): Promise<Order> {
      const { order: after } = await store.updateOrder(tx.db, order, { workflow_status: to }, at);
      await insertMove(tx, actor, order, after, undefined, at);
      await appendEvent(tx, 'order.status_changed', actor, after, at);
      return after;
    },

    /** Adds to an order's history what was deducted from stock for it. */
    async recordConsumption(tx: Tx, use: OrderConsumption): Promise<void> {
      await historyStore.insertHistory(tx.db, { id: newId(), kind: 'consumption', ...use });
    },

    /** A printer was renamed or deleted, which changes its orders. The caller has locked the printer. */
    async printerChanged(tx: Tx, accountId: string, printerId: string, what: 'renamed' | 'removed'): Promise<void> {
      const write = what === 'removed' ? store.releaseOrdersOf : store.touchOrdersOf;
      for (const { id } of await write(tx.db, printerId, clock())) tx.changed(accountId, { kind: 'order', id });
    },

    holdOrder: store.holdOrder,
    lockOrder: store.lockOrder,
    listPrintingOn: store.listPrintingOn,
  };
}

function withDefaults(input: NewOrder, at: number): store.NewOrder {
  const dueDate = toDay(at + DEFAULT_DUE_DAYS * DAY_MS);
  const initial = { ...INITIAL_VALUES, model_name: input.model_name, due_date: dueDate };
  return { ...patched<Omit<store.NewOrder, 'id' | 'at'>>(initial, input), id: newId(), at };
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
  historyStore.insertHistory(tx.db, {
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
