import fc from 'fast-check';
import { sha256 } from '../../../../common/src/crypto.ts';
import { createInvoices } from '../../../../test/kit/invoice-service.ts';
import { forSuite } from '../../../../test/kit/opened.ts';
import { signNotification } from '../../../../test/kit/payments.ts';
import { openTestStorage } from '../../../../test/kit/storage.ts';
import { newId } from '../../shared/ids.ts';
import { query } from '../../storage/dialect.ts';
import { assessMovement, type PaymentState } from '../invoice.ts';
import { findInvoiceFaults } from '../invoice-check-store.ts';
import type { PaymentNotification } from './providers/provider.ts';

const storage = forSuite(openTestStorage);
let farm: Awaited<ReturnType<typeof createInvoices>>;

beforeEach(async () => {
  farm = await createInvoices(storage);
});

const notification = (invoice: string, fields: Partial<PaymentNotification> = {}): PaymentNotification => ({
  eventId: newId(),
  kind: 'payment',
  paymentId: null,
  reference: null,
  invoice,
  amount: 1000,
  currency: 'EUR',
  at: farm.time.now,
  payer: null,
  excerpt: {},
  ...fields,
});

/** A notification, an earlier one again (by its index), or an action of the owner. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('notification' as const),
      kind: fc.constantFrom('payment' as const, 'payment' as const, 'refund' as const),
      amount: fc.constantFrom(400, 600, 1000),
      currency: fc.constantFrom('EUR', 'EUR', 'USD'),
    }),
    fc.record({ act: fc.constant('again' as const), index: fc.nat(5) }),
    fc.record({ act: fc.constant('manual' as const), amount: fc.constantFrom(400, 600, 1000) }),
    fc.record({ act: fc.constant('void' as const) }),
  ),
  { minLength: 1, maxLength: 8 },
);

test('random sequences of payments through the service are stored and sent as the rules say', async () => {
  const provider = { ...(await farm.addNotificationProvider()), accountId: farm.actor.accountId };
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { id } = await farm.issue(1000);
      farm.events.length = 0;
      let paymentState: PaymentState = { state: 'issued', currency: 'EUR', total: 1000, received: 0, paidAt: null };
      const sent: PaymentNotification[] = [];
      const expected: { needs_review: boolean; amount: number }[] = [];
      const reviews: boolean[] = [];
      for (const step of history) {
        if (step.act === 'void') {
          await farm.invoices.void(farm.actor, id);
          paymentState = { ...paymentState, state: 'void' };
        } else if (step.act === 'again') {
          const before = sent[step.index % Math.max(1, sent.length)];
          if (before) expect(await farm.payments.recordNotification(provider, before)).toBe('duplicate');
        } else {
          const { amount } = step;
          const isManual = step.act === 'manual';
          const kind = isManual ? 'payment' : step.kind;
          const currency = isManual ? 'EUR' : step.currency;
          const source = isManual ? 'manual' : 'notification';
          if (isManual) await farm.invoices.recordManual(farm.actor, id, { kind, amount }, undefined);
          else {
            const created = notification(id, { kind, amount, currency });
            sent.push(created);
            expect(await farm.payments.recordNotification(provider, created)).toBe('recorded');
          }
          const { reason, after } = assessMovement(paymentState, { kind, source, amount, currency, at: farm.time.now });
          paymentState = after;
          reviews.unshift(reason !== null);
          if (kind === 'payment' && !isManual) expected.push({ needs_review: reason !== null, amount: amount / 100 });
        }
      }
      const stored = await farm.invoices.get(farm.actor.accountId, id);
      expect(stored.received).toBe(paymentState.received);
      expect(stored.payments.map(({ needs_review }) => needs_review)).toEqual(reviews);
      expect(stored.needs_review).toBe(reviews.includes(true));
      const events = farm.events.map(({ event, data, subject }) => {
        expect([event, subject]).toEqual(['invoice.paid', `invoice:${id}`]);
        const { needs_review, amount } = data as { needs_review: boolean; amount: number };
        return { needs_review, amount };
      });
      expect(events).toEqual(expected);
    }),
    { numRuns: 60 },
  );
  expect(await findInvoiceFaults(storage.read)).toEqual([]);
});

test('of two concurrent payments of one invoice, the second is marked for review', async () => {
  const provider = { ...(await farm.addNotificationProvider()), accountId: farm.actor.accountId };
  const { id, number } = await farm.issue(1000);
  await Promise.all(
    Array.from({ length: 10 }, () => farm.payments.recordNotification(provider, notification(String(number)))),
  );
  const { payments, received } = await farm.invoices.get(farm.actor.accountId, id);
  expect(received).toBe(10_000);
  expect(payments.filter(({ needs_review }) => !needs_review)).toHaveLength(1);
  expect(farm.events.filter(({ data }) => !(data as { needs_review: boolean }).needs_review)).toHaveLength(1);
});

test('an invoice is found by its id, its number and its pay token; a draft is not', async () => {
  const provider = { ...(await farm.addNotificationProvider()), accountId: farm.actor.accountId };
  const { id, number, pay_url } = await farm.issue(3000);
  const names = [id, id.toUpperCase(), String(number), String(pay_url?.split('/').at(-1))];
  for (const name of names) await farm.payments.recordNotification(provider, notification(name));
  expect((await farm.invoices.get(farm.actor.accountId, id)).received).toBe(4000);
  const draft = (await farm.invoices.create(farm.actor, {}, undefined)).result;
  await farm.payments.recordNotification(provider, notification(draft.id));
  const { items } = await farm.invoices.listPayments(
    farm.actor.accountId,
    { unassigned: true, waiting: true },
    { page: 1, per_page: 50 },
  );
  expect(items).toMatchObject([{ named_invoice: draft.id, reason: 'unknown_invoice' }]);
});

test('a payment link is never stored in plain, whether it is known, of another account or mistyped', async () => {
  const { id, secret } = await farm.addNotificationProvider();
  const other = await createInvoices(storage);
  const linkOf = async ({ issue }: typeof farm) => String((await issue(1000)).pay_url);
  const links = [await linkOf(farm), await linkOf(other), `${(await linkOf(farm)).slice(0, -1)}-`];
  const tokens = links.map((link) => link.split('/').at(-1) as string);
  for (const invoice of [...tokens, ...links]) {
    const raw = JSON.stringify({
      id: newId(),
      type: 'payment',
      invoice,
      amount: 1000,
      currency: 'EUR',
      payer: 'Vera',
      paid_at: new Date(farm.time.now).toISOString(),
    });
    const headers = {
      'x-notification-signature': signNotification(secret, raw, farm.time.now / 1000)['X-Notification-Signature'],
    };
    expect(await farm.providers.receiveNotification('notification', id, Buffer.from(raw), headers)).toBe('recorded');
  }
  const rows = await query(storage.read, 'SELECT * FROM invoice_payments WHERE provider_id = ? ORDER BY seq', [id]);
  expect(rows.map(({ named_invoice }) => named_invoice)).toEqual([
    null,
    ...[`sha256:${sha256(tokens[1] as string)}`, `sha256:${sha256(tokens[2]?.slice(0, -1) as string)}-`],
    ...links.map(() => expect.stringMatching(/^https:\/\/farm\.example\/pay\/sha256:[0-9a-f]{64}-?$/)),
  ]);
  expect(JSON.stringify(rows)).not.toContain('pay_');
  expect(rows[0]?.raw).toContain('Vera');
});

test('a refund reported before its payment is assigned to the same invoice afterwards', async () => {
  const provider = { ...(await farm.addStripe()), accountId: farm.actor.accountId };
  const { id } = await farm.issue(1000);
  const refund = notification(id, { kind: 'refund', amount: 300, invoice: null, reference: 'pi_1', paymentId: 're_1' });
  expect(await farm.payments.recordNotification(provider, refund)).toBe('recorded');
  await farm.payments.recordNotification(provider, notification(id, { reference: 'pi_1', paymentId: 'cs_1' }));
  const stored = await farm.invoices.get(farm.actor.accountId, id);
  expect(stored).toMatchObject({ status: 'paid', received: 700 });
  expect(stored.payments.map(({ kind, reason }) => [kind, reason])).toEqual([
    ['payment', null],
    ['refund', 'unknown_invoice'],
  ]);
  expect(await findInvoiceFaults(storage.read)).toEqual([]);
});

describe('farmboard check finds', () => {
  test.each([
    ['a sum that differs', 'UPDATE invoices SET received_minor = 7 WHERE id = ?', /says 7 received/],
    ['a missing number', 'DELETE FROM invoices WHERE id = ?', /assigned 1 invoice numbers in 2026, but has 0/],
    ['a changed document', "UPDATE invoices SET document = document || ' ' WHERE id = ?", /was changed after/],
    ['a changed total', 'UPDATE invoices SET total_minor = 1 WHERE id = ?', /has a total of 1,/],
    ['a paid one that is not said to be', 'UPDATE invoices SET total_minor = 0 WHERE id = ?', /is marked as paid/],
  ])('%s', async (_what, sql, fault) => {
    const { id } = await farm.issue();
    const broken = new Error('undone');
    await storage
      .inTransaction(async ({ db }) => {
        await query(db, sql, [id]);
        expect((await findInvoiceFaults(db)).join('\n')).toMatch(fault);
        throw broken;
      })
      .catch((error: unknown) => expect(error).toBe(broken));
    expect(await findInvoiceFaults(storage.read)).toEqual([]);
  });
});
