import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pdfParse from 'pdf-parse/lib/pdf-parse.js';
import { createInvoices } from '../../../../test/kit/invoice-service.ts';
import { forSuite } from '../../../../test/kit/opened.ts';
import { openTestStorage } from '../../../../test/kit/storage.ts';
import { query } from '../../storage/dialect.ts';
import type { InvoiceDocument } from '../document.ts';
import { toPdf } from '../pdf.ts';
import { payRoutes } from './pay-routes.tsx';
import { createStripeProvider } from './providers/stripe.ts';

interface Asked {
  key: string | undefined;
  authorization: string | undefined;
  form: URLSearchParams;
}

/**
 * Stripe's API as published: sessions are created from form data, and an idempotency key gets its first response again.
 */
function createFarStripe() {
  const asked: Asked[] = [];
  const answers = new Map<string, { status: number; body: string }>();
  const far = {
    asked,
    sessions: 0,
    status: 200,
    expiresIn: 24 * 3600,
    /** begins an answer that is never ended */
    hangs: undefined as ((res: ServerResponse) => void) | undefined,
  };
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (more) => {
      text += more;
    });
    req.on('end', () => {
      if (far.hangs) return far.hangs(res);
      const key = req.headers['idempotency-key'] as string | undefined;
      asked.push({ key, authorization: req.headers.authorization, form: new URLSearchParams(text) });
      const known = key === undefined ? undefined : answers.get(key);
      const answer = known ?? make();
      if (key !== undefined) answers.set(key, answer);
      res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
    });
  });
  function make() {
    if (far.status !== 200) {
      return { status: far.status, body: JSON.stringify({ error: { type: 'api_error', message: 'down' } }) };
    }
    far.sessions += 1;
    const id = `cs_test_${far.sessions}`;
    const body = {
      id,
      object: 'checkout.session',
      status: 'open',
      url: `https://checkout.stripe.com/c/pay/${id}`,
      expires_at: Math.floor(Date.now() / 1000) + far.expiresIn,
    };
    return { status: 200, body: JSON.stringify(body) };
  }
  return { ...far, far, server };
}

const storage = forSuite(openTestStorage);
let stripe: ReturnType<typeof createFarStripe>;
let farm: Awaited<ReturnType<typeof createInvoices>>;
let server: Server;
let origin: string;

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const shut = (server: Server) => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
};

beforeEach(async () => {
  stripe = createFarStripe();
  const port = await listen(stripe.server);
  const options = { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 } as const;
  farm = await createInvoices(storage, { stripe: createStripeProvider(options) });
  const app = express();
  app.use('/pay', payRoutes({ pay: farm.pay, limit: undefined, checkoutLimit: undefined, logger: farm.logger }));
  server = createServer(app);
  origin = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(async () => {
  await shut(server);
  if (stripe.server.listening) await shut(stripe.server);
});

const pathOf = ({ pay_url }: { pay_url: string | null }) => new URL(String(pay_url)).pathname;
const ask = (path: string, init: RequestInit = {}) => fetch(origin + path, { redirect: 'manual', ...init });
const click = (path: string) => ask(`${path}/checkout?lang=ru`, { method: 'POST' });

test('the button leads to Stripe with the amount due; two clicks share one session', async () => {
  await farm.addStripe();
  const invoice = await farm.issue();
  const path = pathOf(invoice);
  const [first, second] = await Promise.all([click(path), click(path)]);
  expect([first.status, second.status]).toEqual([303, 303]);
  expect(first.headers.get('location')).toBe('https://checkout.stripe.com/c/pay/cs_test_1');
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(stripe.far.sessions).toBe(1);
  const [{ form, authorization, key }] = stripe.far.asked as [Asked];
  expect(authorization).toBe('Bearer sk_test_1');
  expect(String(key)).toMatch(/^farmboard-[0-9a-f]{64}$/);
  const here = `https://farm.example${path}?lang=ru`;
  expect(Object.fromEntries(form)).toMatchObject({
    mode: 'payment',
    client_reference_id: invoice.id,
    'metadata[invoice_id]': invoice.id,
    'metadata[amount]': '4990',
    'line_items[0][price_data][unit_amount]': '4990',
    'line_items[0][price_data][currency]': 'eur',
    success_url: `${here}&paid=1`,
    cancel_url: here,
  });
  // after a partial payment, the rest is a new checkout
  await farm.invoices.recordManual(farm.actor, invoice.id, { kind: 'payment', amount: 990 }, undefined);
  await click(path);
  expect(stripe.far.sessions).toBe(2);
  expect(stripe.far.asked.at(-1)?.form.get('line_items[0][price_data][unit_amount]')).toBe('4000');
});

test.each([
  ['JPY', 4990, '4990'],
  ['KWD', 12_340, '12340'],
  // Stripe counts these in hundredths, people in whole units
  ['RSD', 100, '10000'],
  ['UGX', 500, '50000'],
])('%s %i is sent to Stripe as %s', async (currency, total, expected) => {
  await farm.addStripe();
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  const stripeDigits = { JPY: 0, KWD: 3, RSD: 2, UGX: 2 }[currency] as number;
  const factor = 10 ** (stripeDigits - digits);
  await click(pathOf(await farm.issue(total, { currency })));
  const sent = stripe.far.asked.at(-1)?.form.get('line_items[0][price_data][unit_amount]');
  // Intl decides how many decimals a currency has; Stripe gets the same amount of money in any case
  expect(sent).toBe(factor === 1 ? String(total) : expected);
});

test('when the provider is down, a page says so, nothing is lost, and the next click starts again', async () => {
  await farm.addStripe();
  const path = pathOf(await farm.issue());
  stripe.far.status = 500;
  const failed = await click(path);
  expect(failed.status).toBe(503);
  expect(await failed.text()).toMatch(/Страница оплаты сейчас недоступна[\s\S]*<form/);
  expect(farm.log.at(-1)?.msg).toBe('failed to start a checkout');
  // Stripe repeats its response to a key, even an error
  stripe.far.status = 200;
  expect((await click(path)).status).toBe(303);
  await shut(stripe.server);
  expect((await click(path)).status).toBe(503);
  expect((await ask(path)).status).toBe(200);
});

test('an answer of the provider that has no end is given up when it is too large, not by time', async () => {
  await farm.addStripe();
  const path = pathOf(await farm.issue());
  stripe.far.hangs = (res) => res.write('x'.repeat(1_000_000));
  expect((await click(path)).status).toBe(503);
  const reason = expect.not.stringContaining('timeout');
  expect(farm.log.at(-1)).toMatchObject({ msg: 'failed to start a checkout', reason });
});

test('an expired session is replaced', async () => {
  await farm.addStripe();
  const path = pathOf(await farm.issue());
  stripe.far.expiresIn = 60;
  expect((await click(path)).status).toBe(503);
  stripe.far.expiresIn = 24 * 3600;
  expect((await click(path)).status).toBe(303);
});

test('there is no button without a provider, after payment, or when the invoice is void', async () => {
  const invoice = await farm.issue();
  const path = pathOf(invoice);
  const page = async () => (await ask(`${path}?lang=en`)).text();
  expect(await page()).not.toContain('<form');
  expect(await page()).toContain('Online payment isn’t available');
  await farm.addStripe();
  expect(await page()).toContain('Pay 49.90\u00a0EUR');
  await farm.invoices.recordManual(farm.actor, invoice.id, { kind: 'payment', amount: 4990 }, undefined);
  expect(await page()).toMatch(/Paid on 2026-11-21/);
  expect(await page()).not.toContain('<form');
  expect((await click(path)).status).toBe(200);
  await farm.invoices.void(farm.actor, invoice.id);
  expect(await page()).toContain('This invoice has been voided');
  expect(stripe.far.asked).toEqual([]);
});

test('the whole page is in the language of the invoice, unless the reader chooses the other', async () => {
  const path = pathOf(await farm.issue(1, { language: 'en' }));
  const read = async (query: string) => (await ask(`${path}${query}`, { headers: { 'Accept-Language': 'ru' } })).text();
  const page = await read('');
  expect(page).toContain('<html lang="en">');
  expect(page).toContain('Amount due');
  expect(page).not.toContain('К оплате');
  expect(page).not.toContain('The invoice itself is in');
  const chosen = await read('?lang=ru');
  expect(chosen).toContain('К оплате');
  expect(chosen).toContain('Сам счёт — на английском языке.');
});

test('every invalid link gets the same page', async () => {
  const path = pathOf(await farm.issue());
  const wrong = `${path.slice(0, -1)}${path.endsWith('a') ? 'b' : 'a'}`;
  const seen = new Set<string>();
  for (const link of [wrong, '/pay/x', '/pay', `${wrong}/document`, `${wrong}/invoice.pdf`, `${path}/nothing`]) {
    const answer = await ask(`${link}?lang=en`);
    expect([link, answer.status]).toEqual([link, 404]);
    seen.add(await answer.text());
  }
  expect((await click(wrong)).status).toBe(404);
  expect(seen.size).toBe(1);
});

describe('the PDF', () => {
  test('contains readable Cyrillic text and is the same each time', async () => {
    const note = 'Спасибо за заказ!\nДо встречи';
    const lines = Array.from({ length: 80 }, (_, i) => ({
      description: `Кронштейн стенной № ${i + 1}`,
      quantity: 2,
      unit_price: 123_450,
    }));
    const invoice = await farm.issue(1, { language: 'ru', note, lines, currency: 'RUB', due_date: '2027-01-31' });
    const path = `${pathOf(invoice)}/invoice.pdf`;
    const answer = await ask(path);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { text, numpages } = await pdfParse(bytes);
    const plain = text.replaceAll('\u00a0', ' ');
    for (const messages of [
      ...[`Счёт № ${invoice.number}`, 'Мастерская', 'Вера', '31.01.2027', 'Кронштейн стенной № 80'],
      ...['1 234,50 RUB', '197 520,00 RUB', 'Спасибо за заказ!', 'До встречи', 'Страница 2 из'],
    ]) {
      // the text extraction reads № as No
      expect(plain).toContain(messages.normalize('NFKC'));
    }
    expect(numpages).toBeGreaterThan(1);
    // nothing in it depends on time or randomness
    expect(Buffer.from(await (await ask(path)).arrayBuffer())).toEqual(bytes);
  });

  test('is rendered once, however many ask for it', async () => {
    const path = `${pathOf(await farm.issue())}/invoice.pdf`;
    const bytes = async () => Buffer.from(await (await ask(path)).arrayBuffer());
    const all = await Promise.all(Array.from({ length: 20 }, bytes));
    for (const one of [...all, await bytes()]) expect(one).toEqual(all[0]);
    expect(farm.renderPdf).toHaveBeenCalledTimes(1);
  });

  test('is rendered one at a time, and again after a failure', async () => {
    const invoices = [await farm.issue(), await farm.issue(), await farm.issue()];
    const tokens = invoices.map((invoice) => pathOf(invoice).split('/').at(-1) as string);
    const findAll = () => Promise.allSettled(tokens.map(farm.pay.findPdf));
    const running: string[] = [];
    farm.renderPdf.mockImplementation(async ({ number }) => {
      running.push(number);
      // the lookups of the others are queued before these
      for (let i = 0; i < 10; i++) await query(storage.read, 'SELECT 1');
      expect(running).toEqual([number]);
      running.pop();
      throw new Error(`out of memory: ${number}`);
    });
    const reasons = invoices.map(({ number }) => new Error(`out of memory: ${number}`));
    expect(await findAll()).toEqual(reasons.map((reason) => ({ status: 'rejected', reason })));
    farm.renderPdf.mockImplementation(async ({ number }) => Buffer.from(String(number)));
    const pdfs = invoices.map(({ number }) => ({ number, content: Buffer.from(String(number)) }));
    expect(await findAll()).toEqual(pdfs.map((value) => ({ status: 'fulfilled', value })));
  });

  test('accepts any text', async () => {
    const text = '<script>\u0007 👩‍👩‍👧 \u202e مرحبا 你好 \r\n\t'.repeat(20);
    const document: InvoiceDocument = {
      version: 1,
      id: 'x',
      number: '2026-0001',
      issue_date: '2026-11-21',
      due_date: null,
      language: 'en',
      seller: { name: text.slice(0, 300), address: '\n'.repeat(900), tax_id: '', bank_details: text, payment_note: '' },
      customer: { name: 'x'.repeat(300), details: 'line\n'.repeat(200) },
      currency: 'EUR',
      digits: 2,
      total: 1,
      note: text,
      lines: [{ order_id: null, description: 'y'.repeat(500), quantity: 1_000_000, unit_price: 1, amount: 1_000_000 }],
    };
    expect((await pdfParse(await toPdf({ document, fontFiles: [] }))).text).toContain('2026-0001');
  });
});
