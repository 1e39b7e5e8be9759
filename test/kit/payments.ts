import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import type { components } from '../../backend/web/src/api-types.d.ts';
import { type Browser, openBrowser, PASSWORD } from './console-client.ts';

export const STRIPE_SECRET = 'whsec_theSigningSecretOfATest';

const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** Signs as the guide describes it, with only node:crypto and the secret. */
export const signNotification = (secret: string, raw: string, at = nowInSeconds()): Record<string, string> => ({
  'Content-Type': 'application/json',
  'X-Notification-Signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${raw}`).digest('hex')}`,
});

/** Signs like Stripe, with its own library. */
export const signStripe = (secret: string, payload: string, timestamp = nowInSeconds()): Record<string, string> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
});

let events = 0;

export interface Paid {
  invoice: string;
  amount: number;
  currency?: string;
  id?: string;
  session?: string;
  intent?: string;
  status?: string;
  type?: string;
  created?: number;
}

/** `checkout.session.completed` as Stripe sends it, with unrelated fields. */
export function sessionEvent({ invoice, amount, currency = 'eur', created = nowInSeconds(), ...more }: Paid): string {
  events += 1;
  const { id = `evt_test_${events}`, session = `cs_test_${events}`, intent = `pi_test_${events}` } = more;
  return JSON.stringify({
    id,
    object: 'event',
    api_version: '2025-09-30.clover',
    created,
    data: {
      object: {
        id: session,
        object: 'checkout.session',
        amount_subtotal: amount,
        amount_total: amount,
        client_reference_id: invoice,
        currency,
        customer_details: { email: 'buyer@example.com', name: 'Вера Buyer', phone: null, tax_exempt: 'none' },
        livemode: false,
        metadata: { invoice_id: invoice, amount: String(amount) },
        mode: 'payment',
        payment_intent: intent,
        payment_method_types: ['card'],
        payment_status: more.status ?? 'paid',
        status: 'complete',
      },
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: more.type ?? 'checkout.session.completed',
  });
}

export function refundEvent(fields: {
  intent: string;
  amount: number;
  refund?: string;
  type?: string;
  status?: string;
}): string {
  events += 1;
  return JSON.stringify({
    id: `evt_test_${events}`,
    object: 'event',
    created: nowInSeconds(),
    data: {
      object: {
        id: fields.refund ?? `re_test_${events}`,
        object: 'refund',
        amount: fields.amount,
        currency: 'eur',
        metadata: {},
        payment_intent: fields.intent,
        reason: 'requested_by_customer',
        status: fields.status ?? 'succeeded',
      },
    },
    type: fields.type ?? 'refund.created',
  });
}

export type InvoiceBody = components['schemas']['InvoiceDetail'];

/** The signed-in owner of an account with business details. */
export async function openSeller(service: { origin: string }, email: string): Promise<Browser> {
  const owner = await openBrowser(service);
  expect((await owner.signIn(email, PASSWORD)).status).toBe(200);
  const seller = {
    name: 'Мастерская «Слой»',
    address: 'Tverskaya 1\nMoscow',
    tax_id: '7700000000',
    bank_details: 'IBAN DE00 0000',
    payment_note: 'Please name the number.',
    default_currency: 'EUR',
  };
  expect((await owner.put('/invoice-seller', seller)).status).toBe(200);
  return owner;
}

/** An issued invoice for the given orders, or with one free line. */
export async function issueInvoice(owner: Browser, fields: Record<string, unknown> = {}): Promise<InvoiceBody> {
  const lines = [{ description: 'Bracket', quantity: 2, unit_price: 2495 }];
  const drafted = await owner.post<InvoiceBody>('/invoices', {
    customer_name: 'Вера',
    ...('order_ids' in fields ? {} : { lines }),
    ...fields,
  });
  expect([drafted.status, drafted.text]).toEqual([201, expect.any(String)]);
  const issued = await owner.post<InvoiceBody>(`/invoices/${drafted.body.id}/issue`, {});
  expect([issued.status, issued.text]).toEqual([200, expect.any(String)]);
  return issued.body;
}

/** The two providers of an account. */
export async function addProviders(owner: Browser) {
  const stripe = await owner.post<{ id: string; notification_url: string }>('/payment-providers', {
    kind: 'stripe',
    secret_key: 'sk_test_abc',
    webhook_secret: STRIPE_SECRET,
  });
  const bank = await owner.post<{ id: string; notification_url: string; secret: string }>('/payment-providers', {
    kind: 'notification',
    name: 'Bank',
  });
  expect([stripe.status, bank.status]).toEqual([201, 201]);
  return { stripe: stripe.body, bank: bank.body };
}

export interface Sent {
  status: number;
  text: string;
  result?: string;
}

export async function send(url: string, raw: string | Buffer, headers: Record<string, string>): Promise<Sent> {
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: typeof raw === 'string' ? raw : new Uint8Array(raw),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    ...(answer.ok ? { result: (JSON.parse(text) as { result: string }).result } : {}),
  };
}
