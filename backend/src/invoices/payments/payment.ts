import { type Clock, toIso } from '../../../../common/src/clock.ts';
import { isWellFormedToken, sha256 } from '../../../../common/src/crypto.ts';
import type { Outbox } from '../../events/outbox.ts';
import { toMajor } from '../../shared/currency.ts';
import { newId } from '../../shared/ids.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { InvoiceDocument } from '../document.ts';
import { type Assessment, assessMovement, isStruck, type Movement, type StruckReason } from '../invoice.ts';
import * as store from '../invoice-store.ts';
import * as payments from './payment-store.ts';
import type { PaymentNotification } from './providers/provider.ts';

/** The prefix of the token in a payment link. */
export const PAY_TOKEN_PREFIX = 'pay';

/** A payment link proves that its holder may see the invoice, so only its hash is stored. */
const hashPayTokens = (text: string): string =>
  text.replace(new RegExp(`${PAY_TOKEN_PREFIX}_[0-9a-z]+`, 'gi'), (token) => `sha256:${sha256(token)}`);

/** Whether a notification was recorded now or before. */
export type Effect = 'recorded' | 'duplicate';

/** A payment or refund, and what is stored with it. */
export interface RecordedMovement extends Movement {
  providerId: string | null;
  eventId: string | null;
  paymentId: string | null;
  reference: string | null;
  namedInvoice: string | null;
  payer: string | null;
  note: string | null;
  excerpt: Record<string, unknown> | null;
}

interface PaymentDeps {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
}

type NotifyingProvider = Pick<payments.StoredProvider, 'id' | 'accountId' | 'kind'>;

export type Payments = ReturnType<typeof createPayments>;

/** Records payments and refunds. An authentic notification is never refused or dropped. */
export function createPayments(deps: PaymentDeps) {
  /**
   * Records a payment or refund for a locked invoice, or for none.
   * @returns the payment's id; undefined if it was recorded before
   */
  async function record(
    tx: Tx,
    accountId: string,
    found: store.StoredInvoice | undefined,
    movement: RecordedMovement,
  ): Promise<string | undefined> {
    const now = deps.clock();
    const assessment = found && assessMovement(found.paymentState, movement);
    const reason = assessment ? assessment.reason : (movement.problem ?? 'unknown_invoice');
    const id = newId();
    const isNew = await payments.insertPayment(tx.db, {
      ...movement,
      id,
      accountId,
      invoiceId: found?.invoice.id ?? null,
      namedInvoice: found ? null : movement.namedInvoice,
      counts: assessment?.counts ?? false,
      raw: movement.excerpt && JSON.stringify(movement.excerpt),
      reason,
      recordedAt: now,
    });
    if (!isNew) return undefined;
    if (found && assessment) await updateInvoice(deps, tx, found, movement, assessment, now);
    const changed = found?.invoice.id ?? id;
    tx.changed(accountId, { kind: 'invoice', id: changed });
    return id;
  }

  return {
    record,

    /**
     * Records what a provider reported, once, however often it is reported.
     * @returns undefined if the provider was deleted in the meantime
     */
    recordNotification(
      { id: providerId, accountId, kind: source }: NotifyingProvider,
      notification: PaymentNotification,
    ): Promise<Effect | undefined> {
      return deps.storage.inTransaction(async (tx) => {
        if (!(await payments.holdProvider(tx.db, providerId))) return undefined;
        const invoiceId = await findInvoiceId(tx.db, accountId, providerId, notification);
        // locked before it is judged: of two concurrent payments, the second sees the first
        const found = invoiceId === undefined ? undefined : await store.lockInvoice(tx.db, accountId, invoiceId);
        const { invoice: name, ...reported } = notification;
        const namedInvoice = name && hashPayTokens(name);
        const movement = { ...reported, source, providerId, namedInvoice, note: null };
        const recorded = await record(tx, accountId, found, movement);
        if (recorded !== undefined) return 'recorded';
        return (await strikeRefund(deps, tx, providerId, movement)) ? 'recorded' : 'duplicate';
      });
    },
  };
}

/** Updates the payment state of an invoice and sends `invoice.paid` for an online payment. */
async function updateInvoice(
  { outbox }: PaymentDeps,
  tx: Tx,
  found: store.StoredInvoice,
  movement: RecordedMovement,
  { after, reason }: Assessment,
  now: number,
): Promise<void> {
  const refunded = await assignRefunds(tx, found, movement);
  await store.savePaymentState(tx.db, found.invoice.id, { ...after, received: after.received - refunded }, now);
  // payments entered by the owner were not made online
  if (movement.kind === 'payment' && movement.source !== 'manual') {
    await sendPaid(outbox, tx, found, movement, reason !== null, now);
  }
}

/** Providers don't guarantee an order: a refund may be reported before its payment. */
async function assignRefunds(
  tx: Tx,
  { invoice }: store.StoredInvoice,
  { kind, providerId, reference }: RecordedMovement,
): Promise<number> {
  if (kind !== 'payment' || providerId === null || reference === null) return 0;
  const { id: invoiceId, currency } = invoice;
  return payments.assignRefunds(tx.db, { providerId, reference, invoiceId, currency });
}

async function sendPaid(
  outbox: Outbox,
  tx: Tx,
  { accountId, invoice }: store.StoredInvoice,
  { amount, currency, at }: Movement,
  needsReview: boolean,
  occurredAt: number,
): Promise<void> {
  const text = (await store.findDocument(tx.db, invoice.id)) as string;
  const { lines } = JSON.parse(text) as InvoiceDocument;
  // from the document, because orders may have been deleted since
  const orderIds = new Set(lines.flatMap(({ order_id }) => order_id ?? []));
  await outbox.append(tx, {
    accountId,
    event: 'invoice.paid',
    subject: `invoice:${invoice.id}`,
    data: {
      document_id: invoice.id,
      number: invoice.number as string,
      amount: toMajor(amount, currency),
      paid_at: toIso(at),
      order_ids: [...orderIds],
      needs_review: needsReview,
    },
    occurredAt,
  });
}

/** A refund that was recorded, and that the customer did not get in the end, no longer counts and is to be reviewed. */
async function strikeRefund(
  { clock }: PaymentDeps,
  tx: Tx,
  providerId: string,
  { problem, paymentId }: RecordedMovement,
): Promise<boolean> {
  if (!isStruck(problem) || paymentId === null) return false;
  const refund = await payments.findRefund(tx.db, providerId, paymentId);
  if (!refund || isStruck(refund.reason)) return false;
  const invoice =
    refund.invoiceId === null ? undefined : await store.lockInvoice(tx.db, refund.accountId, refund.invoiceId);
  await payments.strikePayment(tx.db, refund.id, problem as StruckReason);
  if (invoice && refund.counts) {
    const { paymentState: state } = invoice;
    await store.savePaymentState(
      tx.db,
      invoice.invoice.id,
      { ...state, received: state.received + refund.amount },
      clock(),
    );
  }
  const changed = refund.invoiceId ?? refund.id;
  tx.changed(refund.accountId, { kind: 'invoice', id: changed });
  return true;
}

/** The invoice that a notification is about. A refund may only refer to its payment. */
async function findInvoiceId(
  db: Db,
  accountId: string,
  providerId: string,
  { kind, reference, invoice: name }: PaymentNotification,
): Promise<string | undefined> {
  if (kind === 'refund' && reference !== null) {
    const id = await payments.findInvoiceByReference(db, providerId, reference);
    if (id !== undefined) return id;
  }
  if (name === null) return undefined;
  return store.findIssuedId(db, accountId, {
    id: name.toLowerCase(),
    number: name,
    ...(isWellFormedToken(PAY_TOKEN_PREFIX, name) ? { payHash: sha256(name) } : {}),
  });
}
