import { dirname, join } from 'node:path';
import pdfParse from 'pdf-parse/lib/pdf-parse.js';
import { type Browser, openBrowser } from '../kit/console-client.ts';
import { write } from '../kit/database.ts';
import { expectProblem, type Farm, type Listed, type Order, range, startFarm, UTC_TIME } from '../kit/farm.ts';
import {
  addProviders,
  type InvoiceBody,
  issueInvoice,
  openSeller,
  refundEvent,
  STRIPE_SECRET,
  send,
  sessionEvent,
  signNotification,
  signStripe,
} from '../kit/payments.ts';
import { createRandom, seedFrom } from '../kit/random.ts';
import { isGenuine, type Received } from '../kit/receiver.ts';
import { farmboard } from '../kit/service.ts';

let farm: Farm;
let owner: Browser;
let providers: Awaited<ReturnType<typeof addProviders>>;

beforeAll(async () => {
  farm = await startFarm();
  owner = await openSeller(farm.service, farm.email);
  providers = await addProviders(owner);
});
afterEach(() => farm.clear());
afterAll(async () => {
  expect(await farmboard(['check'], farm.env)).toMatchObject({ code: 0 });
  await farm.close();
});

const FIELDS = ['amount', 'document_id', 'needs_review', 'number', 'order_ids', 'paid_at'];

const read = async (id: string) => (await farm.client.get<InvoiceBody>(`/invoices/${id}`)).body;

const order = (fields: Record<string, unknown> = {}) =>
  farm.order({
    model_name: 'Кронштейн',
    quantity_pieces: 2,
    price: 4990,
    currency: 'EUR',
    customer_name: 'Вера',
    ...fields,
  });

/** Checks the signature and the exact bytes (interface specification, Events). */
function expectPaid(received: Received | undefined, secret: string): Record<string, unknown> {
  const { headers, body } = received as Received;
  expect(headers['x-svc-event']).toBe('invoice.paid');
  expect(isGenuine(secret, received as Received)).toBe(true);
  expect(Object.keys(body).sort()).toEqual(['data', 'event', 'occurred_at']);
  expect(Object.keys(body.data).sort()).toEqual(FIELDS);
  expect(body.data.paid_at).toMatch(UTC_TIME);
  farm.client.checkPushed('invoice.paid', body);
  return body.data;
}

describe('payment notifications', () => {
  test('send invoice.paid when signed by Stripe’s own library', async () => {
    const subscription = await farm.subscription({ events: ['invoice.paid'] });
    const orders = [await order(), await order({ model_name: 'Gear', quantity_pieces: 3, price: 1000 })];
    const invoice = await issueInvoice(owner, { order_ids: orders.map(({ id }) => id) });
    expect(invoice).toMatchObject({ status: 'issued', total: 5990, amount_due: 5990 });
    const raw = sessionEvent({ invoice: invoice.id, amount: 5990, created: Math.floor(Date.now() / 1000) });
    const url = providers.stripe.notification_url;
    expect(await send(url, raw, signStripe(STRIPE_SECRET, raw))).toMatchObject({ status: 200, result: 'recorded' });
    await subscription.until((all) => all.length === 1);
    expect(expectPaid(subscription.received[0], subscription.secret)).toEqual({
      document_id: invoice.id,
      number: invoice.number,
      amount: 59.9,
      paid_at: new Date((JSON.parse(raw) as { created: number }).created * 1000).toISOString(),
      order_ids: orders.map(({ id }) => id),
      needs_review: false,
    });
    expect(await read(invoice.id)).toMatchObject({
      status: 'paid',
      received: 5990,
      amount_due: 0,
      needs_review: false,
    });
    expect(await send(url, raw, signStripe(STRIPE_SECRET, raw))).toMatchObject({ status: 200, result: 'duplicate' });
    // reported by two different events about one session
    const again = sessionEvent({
      invoice: invoice.id,
      amount: 5990,
      type: 'checkout.session.async_payment_succeeded',
      session: (JSON.parse(raw) as { data: { object: { id: string } } }).data.object.id,
    });
    expect(await send(url, again, signStripe(STRIPE_SECRET, again))).toMatchObject({ result: 'duplicate' });
    expect((await read(invoice.id)).payments).toHaveLength(1);
  });

  test('send invoice.paid when signed by a bank', async () => {
    const subscription = await farm.subscription({ events: ['invoice.paid'] });
    const { id: orderId } = await order();
    const invoice = await issueInvoice(owner, { order_ids: [orderId] });
    // an issued invoice keeps a deleted order
    await farm.client.delete(`/print-jobs/${orderId}`);
    const paid_at = '2026-11-20T10:00:00.000Z';
    const raw = JSON.stringify({
      id: 'bank-1',
      type: 'payment',
      invoice: invoice.number,
      amount: 4990,
      currency: 'EUR',
      paid_at,
      payer: 'Вера',
    });
    const { notification_url, secret } = providers.bank;
    expect(await send(notification_url, raw, signNotification(secret, raw))).toMatchObject({
      status: 200,
      result: 'recorded',
    });
    await subscription.until((all) => all.length === 1);
    expect(expectPaid(subscription.received[0], subscription.secret)).toEqual({
      document_id: invoice.id,
      number: invoice.number,
      amount: 49.9,
      paid_at,
      order_ids: [orderId],
      needs_review: false,
    });
  });

  test('are recorded and marked for a second payment, a stale amount, another currency or a void invoice', async () => {
    const subscription = await farm.subscription({ events: ['invoice.paid'] });
    const pay = async (invoice: InvoiceBody, amount: number, currency = 'eur') => {
      const raw = sessionEvent({ invoice: invoice.id, amount, currency });
      expect(await send(providers.stripe.notification_url, raw, signStripe(STRIPE_SECRET, raw))).toMatchObject({
        result: 'recorded',
      });
    };
    const first = await issueInvoice(owner);
    await pay(first, 4000);
    await pay(first, 990);
    await pay(first, 4990);
    const second = await issueInvoice(owner);
    await pay(second, 4990, 'usd');
    await owner.post(`/invoices/${second.id}/void`, {});
    await pay(second, 4990);
    await subscription.until((all) => all.length === 5);
    const told = subscription.received.map((one) => expectPaid(one, subscription.secret));
    // in order for each invoice
    const toldOf = ({ id }: InvoiceBody) =>
      told.filter(({ document_id }) => document_id === id).map(({ amount, needs_review }) => [amount, needs_review]);
    expect(toldOf(first)).toEqual([
      [40, true],
      [9.9, false],
      [49.9, true],
    ]);
    expect(toldOf(second)).toEqual([
      [49.9, true],
      [49.9, true],
    ]);
    expect(await read(first.id)).toMatchObject({ status: 'paid', received: 9980, needs_review: true });
    expect((await read(second.id)).payments.map(({ reason }) => reason)).toEqual(['invoice_void', 'currency_differs']);
  });

  test('record a refund with its payment and keep a payment of an unknown invoice', async () => {
    const url = providers.stripe.notification_url;
    const invoice = await issueInvoice(owner);
    const paid = sessionEvent({ invoice: invoice.id, amount: 4990, intent: 'pi_refunded' });
    await send(url, paid, signStripe(STRIPE_SECRET, paid));
    for (const [raw, result] of [
      [refundEvent({ intent: 'pi_refunded', amount: 990, refund: 're_1' }), 'recorded'],
      [refundEvent({ intent: 'pi_refunded', amount: 990, refund: 're_1', type: 'refund.updated' }), 'duplicate'],
      [sessionEvent({ invoice: invoice.id, amount: 4990, status: 'unpaid' }), 'ignored'],
      [JSON.stringify({ id: 'evt_x', created: 1, type: 'customer.created', data: { object: {} } }), 'ignored'],
      [sessionEvent({ invoice: 'of another shop', amount: 700 }), 'recorded'],
    ] as const) {
      expect(await send(url, raw, signStripe(STRIPE_SECRET, raw))).toMatchObject({ status: 200, result });
    }
    expect(await read(invoice.id)).toMatchObject({
      status: 'paid',
      received: 4000,
      amount_due: 0,
      needs_review: false,
    });
    const { items } = (
      await owner.get<Listed<{ amount: number; named_invoice: string; reason: string; id: string }>>(
        '/invoice-payments?unassigned=true&waiting=true',
      )
    ).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ amount: 700, named_invoice: 'of another shop', reason: 'unknown_invoice' });
    expect((await owner.post(`/invoice-payments/${items[0]?.id}/review`)).status).toBe(200);
    expect((await owner.get<Listed<unknown>>('/invoice-payments?waiting=true&unassigned=true')).body.total).toBe(0);
  });

  test.each([
    [
      'a refund that fails in the end',
      'succeeded refund.created, failed refund.updated, failed refund.failed',
      'refund_failed',
      4990,
    ],
    ['a refund whose failure arrives first', 'failed refund.failed, succeeded refund.created', 'refund_failed', 4990],
    ['a canceled refund', 'pending refund.created, canceled charge.refund.updated', 'refund_failed', 4990],
    ['a dispute', 'needs_response charge.dispute.funds_withdrawn', 'disputed', 4000],
    [
      'a dispute that is won',
      'under_review charge.dispute.funds_withdrawn, won charge.dispute.funds_reinstated',
      'dispute_won',
      4990,
    ],
    [
      'a dispute whose end arrives first',
      'won charge.dispute.funds_reinstated, under_review charge.dispute.funds_withdrawn',
      'dispute_won',
      4990,
    ],
  ])('of Stripe show %s, and need a review', async (name, reports, reason, received) => {
    const url = providers.stripe.notification_url;
    const invoice = await issueInvoice(owner);
    const intent = `pi ${name}`;
    const paid = sessionEvent({ invoice: invoice.id, amount: 4990, intent });
    await send(url, paid, signStripe(STRIPE_SECRET, paid));
    const reviewed = async () => {
      const { payments } = await read(invoice.id);
      for (const { id, kind } of payments) if (kind === 'refund') await owner.post(`/invoice-payments/${id}/review`);
    };
    for (const report of reports.split(', ')) {
      await reviewed();
      const [status = '', type = ''] = report.split(' ');
      const raw = refundEvent({ intent, amount: 990, refund: name, status, type });
      await send(url, raw, signStripe(STRIPE_SECRET, raw));
      // repeated by the provider
      expect(await send(url, raw, signStripe(STRIPE_SECRET, raw))).toMatchObject({ status: 200 });
    }
    expect(await read(invoice.id)).toMatchObject({ status: 'paid', received, amount_due: 0 });
    const refunds = (await read(invoice.id)).payments.filter(({ kind }) => kind === 'refund');
    expect(refunds).toMatchObject([{ reason, needs_review: true }]);
  });

  test('aren’t needed for manual payments, which are counted without an event', async () => {
    const subscription = await farm.subscription({ events: ['invoice.paid'] });
    const invoice = await issueInvoice(owner);
    const enter = (body: object) => owner.post<InvoiceBody>(`/invoices/${invoice.id}/payments`, body);
    expect((await enter({ kind: 'payment', amount: 990, note: 'cash' })).body).toMatchObject({ amount_due: 4000 });
    // the amount due now is to be paid, not the one at issue
    const raw = sessionEvent({ invoice: invoice.id, amount: 4000 });
    await send(providers.stripe.notification_url, raw, signStripe(STRIPE_SECRET, raw));
    await subscription.until((all) => all.length === 1);
    expect(subscription.received[0]?.body.data).toMatchObject({ amount: 40, needs_review: false });
    expect((await enter({ kind: 'refund', amount: 1000 })).body).toMatchObject({ received: 3990, status: 'paid' });
  });
});

test('applies one of 50 concurrent replays', async () => {
  const subscription = await farm.subscription({ events: ['invoice.paid'] });
  const invoice = await issueInvoice(owner);
  const stripe = sessionEvent({ invoice: invoice.id, amount: 2000 });
  const bank = JSON.stringify({
    id: 'bank-50',
    type: 'payment',
    invoice: invoice.id,
    amount: 2990,
    currency: 'EUR',
    paid_at: '2026-11-20T10:00:00Z',
  });
  const all = await Promise.all(
    range(50).flatMap(() => [
      send(providers.stripe.notification_url, stripe, signStripe(STRIPE_SECRET, stripe)),
      send(providers.bank.notification_url, bank, signNotification(providers.bank.secret, bank)),
    ]),
  );
  expect(all.every(({ status }) => status === 200)).toBe(true);
  expect(all.filter(({ result }) => result === 'recorded')).toHaveLength(2);
  expect(await read(invoice.id)).toMatchObject({ received: 4990, status: 'paid' });
  // events of one invoice arrive in order
  const last = sessionEvent({ invoice: invoice.id, amount: 4990 });
  await send(providers.stripe.notification_url, last, signStripe(STRIPE_SECRET, last));
  await subscription.until((received) => received.some(({ body }) => body.data.amount === 49.9));
  expect(subscription.received).toHaveLength(3);
});

test('refuses 1,000 altered notifications identically and records nothing', async () => {
  const seed = seedFrom('NOTIFICATION_SEED');
  const { between, pick } = createRandom(seed);
  const invoice = await issueInvoice(owner);
  const kinds = [
    {
      url: providers.stripe.notification_url,
      header: 'Stripe-Signature',
      make: () => sessionEvent({ invoice: invoice.id, amount: 4990 }),
      sign: (raw: string, at?: number, secret = STRIPE_SECRET) => signStripe(secret, raw, at),
    },
    {
      url: providers.bank.notification_url,
      header: 'X-Notification-Signature',
      make: () =>
        JSON.stringify({
          id: `bank-${between(1, 1e9)}`,
          type: 'payment',
          invoice: invoice.id,
          amount: 4990,
          currency: 'EUR',
          paid_at: '2026-11-20T10:00:00Z',
        }),
      sign: (raw: string, at?: number, secret = providers.bank.secret) => signNotification(secret, raw, at),
    },
  ] as const;
  const flipped = (bytes: Buffer) => {
    const at = between(0, bytes.length - 1);
    bytes[at] = (bytes[at] as number) ^ (1 << between(0, 7));
    return bytes;
  };
  const now = () => Math.floor(Date.now() / 1000);
  const before = await farm.inspector.rows('SELECT * FROM invoice_payments ORDER BY id');
  const answers = new Map<string, number>();
  let left = 1_000;
  const worker = async () => {
    while (left-- > 0) {
      const { url, header, make, sign } = kinds[left % 2] as (typeof kinds)[number];
      const raw = make();
      const body = Buffer.from(raw);
      const right = sign(raw);
      const signature = String(right[header]);
      const digit = signature.length - between(1, 64);
      const [sent, headers] = pick<() => [Buffer, Record<string, string>]>([
        () => [flipped(body), right],
        () => [body.subarray(0, -between(1, 40)), right],
        () => [Buffer.concat([body, Buffer.from(' ')]), right],
        () => [body, { [header]: '' }],
        () => [body, {}],
        () => [
          body,
          { [header]: signature.slice(0, digit) + (signature[digit] === '0' ? '1' : '0') + signature.slice(digit + 1) },
        ],
        () => [body, { [header]: signature.replace(/t=\d+/, `t=${now() - between(1, 200)}`) }],
        () => [body, sign(raw, now() - 302 - between(0, 1e6))],
        () => [body, sign(raw, now() + 310 + between(0, 1e6))],
        () => [body, sign(raw, now(), `${signature.slice(-9)}x`)],
      ])();
      const answer = await fetch(url, {
        method: 'POST',
        body: new Uint8Array(sent),
        headers: { ...headers, 'Content-Type': 'application/json' },
      });
      const { status, code, detail } = (await answer.json()) as Record<string, unknown>;
      const said = JSON.stringify([answer.status, status, code, detail]);
      answers.set(said, (answers.get(said) ?? 0) + 1);
    }
  };
  await Promise.all(range(16).map(worker));
  process.stdout.write(`invoices.test: NOTIFICATION_SEED=${seed}, answers ${JSON.stringify([...answers])}\n`);
  expect([...answers.values()]).toEqual([1_000]);
  expect([...answers.keys()][0]).toMatch(/^\[400,400,"malformed_request"/);
  expect(await farm.inspector.rows('SELECT * FROM invoice_payments ORDER BY id')).toEqual(before);
  expect(await read(invoice.id)).toMatchObject({ received: 0, status: 'issued' });
});

test('numbers 50 concurrently issued invoices without gaps or duplicates', async () => {
  const before = (await farm.client.get<Listed<InvoiceBody>>('/invoices?per_page=200')).body.items.map(
    ({ number }) => number,
  );
  const drafts = await Promise.all(
    range(50).map(() =>
      owner.post<InvoiceBody>('/invoices', {
        customer_name: 'x',
        lines: [{ description: 'x', quantity: 1, unit_price: 1 }],
      }),
    ),
  );
  // some of them fail and must not leave a gap in the numbers
  const issued = await Promise.all(
    drafts.flatMap(({ body }) => [
      owner.post<InvoiceBody>(`/invoices/${body.id}/issue`, {}),
      owner.post(`/invoices/${body.id}/issue`, {}),
    ]),
  );
  const numbers = issued.filter(({ status }) => status === 200).map(({ body }) => String(body.number));
  expect(numbers).toHaveLength(50);
  expect(issued.filter(({ status }) => status === 409)).toHaveLength(50);
  const year = new Date().getUTCFullYear();
  const expected = range(before.length + 50).map((place) => `${year}-${String(place).padStart(4, '0')}`);
  expect([...before, ...numbers].sort()).toEqual(expected);
});

describe('an invoice with letters that its PDF cannot show', () => {
  const ISSUE_FIELDS = [
    [{ customer_name: '株式会社テスト' }, '/customer_name', '株 (U+682A), 式 (U+5F0F)'],
    [{ customer_details: 'सड़क 12' }, '/customer_details', 'स (U+0938)'],
    [{ note: 'Danke 👩‍💻' }, '/note', '👩‍💻 (U+1F469 U+1F4BB)'],
    [
      {
        lines: [
          { description: 'Halter', quantity: 1, unit_price: 1 },
          { description: 'ที่', quantity: 1, unit_price: 1 },
        ],
      },
      '/lines/1/description',
      'ที่ (U+0E17 U+0E35 U+0E48)',
    ],
  ] as const;
  const draft = async (fields: object) =>
    (
      await owner.post<InvoiceBody>('/invoices', {
        customer_name: 'Vera',
        lines: [{ description: 'Bracket', quantity: 1, unit_price: 1 }],
        ...fields,
      })
    ).body;
  const placeOf = ({ number }: InvoiceBody) => Number(String(number).split('-')[1]);

  test.each(ISSUE_FIELDS)('stays a draft and uses no number: %j', async (fields, pointer, named) => {
    const before = placeOf(await issueInvoice(owner));
    const { id } = await draft(fields);
    const counters = await farm.inspector.rows('SELECT * FROM invoice_counters ORDER BY year');
    const refused = await owner.post<{ errors: object[]; missing_letters: object[] }>(`/invoices/${id}/issue`, {});
    expectProblem(refused, 422, 'validation_error');
    expect(refused.body.errors).toEqual([{ pointer, detail: expect.stringContaining(named) }]);
    expect(refused.body.missing_letters).toEqual([{ pointer, letters: expect.any(Array) }]);
    expect(await farm.inspector.rows('SELECT * FROM invoice_counters ORDER BY year')).toEqual(counters);
    expect(await read(id)).toMatchObject({ status: 'draft', number: null });
    expect(placeOf(await issueInvoice(owner))).toBe(before + 1);
    await owner.put(`/invoices/${id}`, {
      customer_name: 'ורה',
      customer_details: '',
      note: 'شكرا',
      lines: [{ description: 'Bracket', quantity: 1, unit_price: 1 }],
    });
    const issued = await owner.post<InvoiceBody>(`/invoices/${id}/issue`, {});
    expect([issued.status, placeOf(issued.body)]).toEqual([200, before + 2]);
  });

  test('is refused for business details, too', async () => {
    const seller = (await owner.get<Record<string, string>>('/invoice-seller')).body;
    const { id } = await draft({});
    for (const name of ['name', 'address', 'tax_id', 'bank_details', 'payment_note']) {
      await owner.put('/invoice-seller', { ...seller, [name]: '银行' });
      const refused = await owner.post<{ errors: { pointer: string }[] }>(`/invoices/${id}/issue`, {});
      expectProblem(refused, 422, 'validation_error');
      expect(refused.body.errors.map(({ pointer }) => pointer)).toEqual([`/seller/${name}`]);
    }
    await owner.put('/invoice-seller', seller);
    expect((await owner.post(`/invoices/${id}/issue`, {})).status).toBe(200);
  });
});

test('an extra font shows the letters that it has', async () => {
  const folder = dirname(require.resolve('@fontsource/noto-sans-thai/package.json'));
  const font = join(folder, 'files/noto-sans-thai-thai-400-normal.woff');
  const other = await startFarm({ INVOICE_FONT_FILES: font });
  try {
    const seller = await openSeller(other.service, other.email);
    const { pay_url } = await issueInvoice(seller, { customer_name: 'ห้างหุ้นส่วน' });
    const pdf = await fetch(`${other.service.origin}${new URL(String(pay_url)).pathname}/invoice.pdf`);
    expect((await pdfParse(Buffer.from(await pdf.arrayBuffer()))).text).toContain('ห้างหุ้นส่วน');
  } finally {
    await other.close();
  }
  const refused = await farmboard(['serve'], { ...farm.env, INVOICE_FONT_FILES: `${font},${folder}/package.json` });
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`INVOICE_FONT_FILES: "${folder}/package.json" is not a font`),
  });
});

describe('an issued invoice', () => {
  test('is returned whole for a repeated Idempotency-Key, whose stored result has no payment link', async () => {
    const lines = [{ description: 'Bracket', quantity: 2, unit_price: 2495 }];
    const { id } = (await owner.post<InvoiceBody>('/invoices', { customer_name: 'Вера', lines })).body;
    for (const [action, body] of [
      ['issue', {}],
      ['payments', { kind: 'payment', amount: 990 }],
    ] as const) {
      const send = () =>
        owner.post<InvoiceBody>(`/invoices/${id}/${action}`, body, {
          headers: { 'Idempotency-Key': `${action} ${id}` },
        });
      const [first, again] = [await send(), await send()];
      expect(first.body.pay_url).toMatch(/\/pay\/pay_\w{22,}$/);
      expect([again.headers.get('idempotency-replayed'), again.status, again.text]).toEqual([
        'true',
        first.status,
        first.text,
      ]);
    }
    const kept = await farm.inspector.rows<{ result: string }>('SELECT result FROM idempotency_keys WHERE key LIKE ?', [
      `%${id}`,
    ]);
    expect(kept.map(({ result }) => (JSON.parse(result) as InvoiceBody).pay_url)).toEqual([null, null]);
  });

  test('is shown without its payment link if that was encrypted with a lost key', async () => {
    const invoice = await issueInvoice(owner, { order_ids: [(await order()).id] });
    expect(invoice.pay_url).toMatch(/\/pay\//);
    await write(farm.file, `UPDATE invoices SET pay_encrypted = 'v1.${'A'.repeat(64)}' WHERE id = '${invoice.id}'`);
    expect(await read(invoice.id)).toMatchObject({ number: invoice.number, pay_url: null });
  });

  test('does not change with its orders and business details, and keeps its number when void', async () => {
    const { id: orderId } = await order();
    const invoice = await issueInvoice(owner, { order_ids: [orderId], customer_details: 'Ул. Ленина, 1' });
    const token = String(invoice.pay_url).split('/').at(-1);
    const page = async (path: string) =>
      Buffer.from(await (await fetch(`${farm.service.origin}/pay/${token}${path}`)).arrayBuffer());
    const html = await page('/document');
    const pdf = await page('/invoice.pdf');
    expect(html.toString()).toContain('Кронштейн');
    await farm.client.put<Order>(`/print-jobs/${orderId}`, { model_name: 'Other', price: 1, quantity_pieces: 9 });
    await owner.put('/invoice-seller', { name: 'Another', address: 'elsewhere' });
    expect(await page('/document')).toEqual(html);
    await farm.client.delete(`/print-jobs/${orderId}`);
    const change = { customer_name: 'Nobody', lines: [] };
    expectProblem(await owner.put(`/invoices/${invoice.id}`, change), 409, 'invoice_state');
    expectProblem(await owner.delete(`/invoices/${invoice.id}`), 409, 'invoice_state');
    const voided = (await owner.post<InvoiceBody>(`/invoices/${invoice.id}/void`, {})).body;
    expect(voided).toMatchObject({ status: 'void', number: invoice.number, document_sha256: invoice.document_sha256 });
    expect(await page('/document')).toEqual(html);
    expect(await page('/invoice.pdf')).toEqual(pdf);
    await owner.put('/invoice-seller', { name: 'Мастерская «Слой»' });
  });

  test('gives programs the PDF that the customer gets, and a draft has none', async () => {
    const lines = [{ description: 'Bracket', quantity: 1, unit_price: 995 }];
    const draft = (await owner.post<InvoiceBody>('/invoices', { customer_name: 'Vera', lines })).body;
    expectProblem(await farm.client.get(`/invoices/${draft.id}/pdf`), 409, 'invoice_state');
    const { pay_url, number } = (await owner.post<InvoiceBody>(`/invoices/${draft.id}/issue`, {})).body;
    const download = (address: string) => fetch(address, { headers: { Authorization: `Bearer ${farm.token}` } });
    const [own, customers] = [
      await download(`${farm.client.baseUrl}/invoices/${draft.id}/pdf`),
      await download(`${farm.service.origin}${new URL(String(pay_url)).pathname}/invoice.pdf`),
    ];
    expect(own.status).toBe(200);
    for (const name of ['content-type', 'content-disposition', 'cache-control', 'x-content-type-options', 'etag'])
      expect([name, own.headers.get(name)]).toEqual([name, customers.headers.get(name)]);
    const pdf = Buffer.from(await own.arrayBuffer());
    expect(pdf).toEqual(Buffer.from(await customers.arrayBuffer()));
    expect((await pdfParse(pdf)).text).toContain(number);
  });

  test('does not hold up other requests while its PDF is rendered', async () => {
    const description = 'Кронштейн стенной усиленный, чёрный матовый';
    const lines = range(100).map((index) => ({ description: `${description} ${index}`, quantity: 2, unit_price: 995 }));
    const { pay_url } = await issueInvoice(owner, { lines });
    let isRendered = false;
    const pdf = fetch(`${farm.service.origin}${new URL(String(pay_url)).pathname}/invoice.pdf`).finally(() => {
      isRendered = true;
    });
    let answered = 0;
    while (!isRendered) {
      await farm.client.get('/printers');
      answered += 1;
    }
    expect((await pdf).status).toBe(200);
    // on the same thread, only those that arrive before and after the rendering
    expect(answered).toBeGreaterThan(10);
  });

  test('is hidden from another account, whose payment notifications don’t affect it', async () => {
    const other = await farm.newAccount();
    const stranger = await openBrowser(farm.service);
    await stranger.signIn(other.email);
    const invoice = await issueInvoice(owner);
    expectProblem(await farm.client.get(`/invoices/${invoice.id}`, { token: other.token }), 404, 'not_found');
    expectProblem(await stranger.post(`/invoices/${invoice.id}/void`, {}), 404, 'not_found');
    const theirs = await addProviders(stranger);
    const raw = JSON.stringify({
      id: 'x',
      type: 'payment',
      invoice: invoice.id,
      amount: 4990,
      currency: 'EUR',
      paid_at: '2026-11-20T10:00:00Z',
    });
    // authentic, but the other account doesn't have the invoice
    await send(theirs.bank.notification_url, raw, signNotification(theirs.bank.secret, raw));
    expect(await read(invoice.id)).toMatchObject({ received: 0 });
    expect((await send(providers.bank.notification_url, raw, signNotification(theirs.bank.secret, raw))).status).toBe(
      400,
    );
    const path = `/payment-providers/${providers.bank.id}`;
    expectProblem(await stranger.put(path, { name: 'mine' }), 404, 'not_found');
    expectProblem(await stranger.delete(path), 404, 'not_found');
  });
});
