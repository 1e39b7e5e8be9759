import type { AppendEvent } from '../../events/outbox.ts';
import type { PublishChange } from '../../jobs/jobs.ts';
import { type Clock, toIso } from '../../shared/clock.ts';
import { isWellFormedToken, sha256 } from '../../shared/crypto.ts';
import { toMajor } from '../../shared/currency.ts';
import { newId } from '../../shared/ids.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage, Tx } from '../../storage/open.ts';
import type { InvoiceDocument } from '../document.ts';
import { assessMovement, type Movement } from '../invoice.ts';
import * as store from '../invoice-store.ts';
import * as payments from './payment-store.ts';
import type { PaymentNotification } from './providers/provider.ts';

/** The prefix of the token in a payment link. */
export const PAY_TOKEN_PREFIX = 'pay';

/** Whether a notification was recorded now or before. */
export type Effect = 'recorded' | 'duplicate';

/** A payment or refund, and what is stored with it. */
export interface ToRecord extends Movement {
  providerId: string | null;
  eventId: string | null;
  paymentId: string | null;
  reference: string | null;
  namedInvoice: string | null;
  payer: string | null;
  note: string | null;
  excerpt: Record<string, unknown> | null;
}

export type Payments = ReturnType<typeof createPayments>;

/** Records payments and refunds. An authentic notification is never refused or dropped. */
export function createPayments(deps: {
  storage: Storage;
  clock: Clock;
  append: AppendEvent;
  publishChange?: PublishChange | undefined;
}) {
  const { storage, clock, append, publishChange } = deps;

  /**
   * Records a payment or refund for a locked invoice, or for none.
   * @returns the payment's id; undefined if it was recorded before
   */
  async function record(
    tx: Tx,
    accountId: string,
    found: store.StoredInvoice | undefined,
    movement: ToRecord,
  ): Promise<string | undefined> {
    const now = clock();
    const assessment = found && assessMovement(found.paymentState, movement);
    const reason = assessment ? assessment.reason : 'unknown_invoice';
    const id = newId();
    const isNew = await payments.insertPayment(tx.db, {
      id,
      accountId,
      invoiceId: found?.invoice.id ?? null,
      providerId: movement.providerId,
      source: movement.source,
      eventId: movement.eventId,
      paymentId: movement.paymentId,
      reference: movement.reference,
      namedInvoice: found ? null : movement.namedInvoice,
      kind: movement.kind,
      amount: movement.amount,
      currency: movement.currency,
      counts: assessment?.counts ?? false,
      payer: movement.payer,
      note: movement.note,
      raw: movement.excerpt && JSON.stringify(movement.excerpt),
      reason,
      at: movement.at,
      recordedAt: now,
    });
    if (!isNew) return undefined;
    if (found && assessment) {
      const refunded = await assignRefunds(tx, found, movement);
      const after = { ...assessment.after, received: assessment.after.received - refunded };
      await store.savePaymentState(tx.db, found.invoice.id, after, now);
      // payments entered by the owner were not made online
      if (movement.kind === 'payment' && movement.source !== 'manual') {
        await publishPayment(tx, found, movement, reason !== null, now);
      }
    }
    const changed = found?.invoice.id ?? id;
    tx.afterCommit(() => publishChange?.(accountId, { kind: 'invoice', id: changed }));
    return id;
  }

  /** Providers don't guarantee an order: a refund may be reported before its payment. */
  async function assignRefunds(
    tx: Tx,
    { invoice }: store.StoredInvoice,
    { kind, providerId, reference }: ToRecord,
  ): Promise<number> {
    if (kind !== 'payment' || providerId === null || reference === null) return 0;
    const { id: invoiceId, currency } = invoice;
    return payments.assignRefunds(tx.db, { providerId, reference, invoiceId, currency });
  }

  async function publishPayment(
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
    await append(tx, {
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

  /** The invoice that a notification is about. A refund may only refer to its payment. */
  async function findFor(
    db: Db,
    accountId: string,
    providerId: string,
    notification: PaymentNotification,
  ): Promise<string | undefined> {
    if (notification.kind === 'refund' && notification.reference !== null) {
      const id = await payments.findInvoiceByReference(db, providerId, notification.reference);
      if (id !== undefined) return id;
    }
    const { invoice: name } = notification;
    if (name === null) return undefined;
    return store.findIssuedId(db, accountId, {
      id: name.toLowerCase(),
      number: name,
      ...(isWellFormedToken(PAY_TOKEN_PREFIX, name) ? { payHash: sha256(name) } : {}),
    });
  }

  return {
    record,

    /**
     * Records what a provider reported, once, however often it is reported.
     * @returns undefined if the provider was deleted in the meantime
     */
    take: (
      provider: Pick<payments.StoredProvider, 'id' | 'accountId' | 'kind'>,
      notification: PaymentNotification,
    ): Promise<Effect | undefined> =>
      storage.inTransaction(async (tx) => {
        const { id: providerId, accountId } = provider;
        if (!(await payments.holdProvider(tx.db, providerId))) return undefined;
        const invoiceId = await findFor(tx.db, accountId, providerId, notification);
        // locked before it is judged: of two concurrent payments, the second sees the first
        const found = invoiceId === undefined ? undefined : await store.lockInvoice(tx.db, accountId, invoiceId);
        const recorded = await record(tx, accountId, found, {
          kind: notification.kind,
          source: provider.kind,
          amount: notification.amount,
          currency: notification.currency,
          at: notification.at,
          isInexact: notification.isInexact,
          providerId,
          eventId: notification.eventId,
          paymentId: notification.paymentId,
          reference: notification.reference,
          namedInvoice: notification.invoice,
          payer: notification.payer,
          note: null,
          excerpt: notification.excerpt,
        });
        return recorded === undefined ? 'duplicate' : 'recorded';
      }),
  };
}
