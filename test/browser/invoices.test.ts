import type { Page } from 'playwright-core';
import { COLOR_RULES, findAccessibilityIssues, holdRequests, openFarm, settle } from '../kit/browser-farm.ts';
import { DESK, PHONE, type Visitor, visit } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import type { Schemas } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { send, sessionEvent, signStripe } from '../kit/payments.ts';

type Invoice = Schemas['InvoiceDetail'] & { number: string; pay_url: string };

const HOSTILE = [
  '<script>ran()</script>',
  '"><img src=x onerror=ran()>',
  '</title><svg onload=ran()>',
  "' onmouseover='ran()",
  'javascript:ran()',
  '{{constructor.constructor("ran()")()}}',
  '</style><script>ran()</script>',
  '\u202egnp.exe',
];
const SECRET = 'whsec_browser';

const farm = forSuite(openFarm);
let first: Visitor;
let orders: string[];

beforeAll(async () => {
  const order = (fields: object) =>
    farm.ask<{ id: string }>('POST', '/print-jobs', { price: 4990, currency: 'EUR', quantity_pieces: 2, ...fields });
  orders = [
    (await order({ model_name: 'Кронштейн', customer_name: 'Вера' })).id,
    (await order({ model_name: 'Gear', customer_name: 'Вера', quantity_pieces: 1 })).id,
    (await order({ model_name: 'Vase', customer_name: 'Somebody else' })).id,
  ];
  first = await farm.visit('/invoices');
});

const list = async () => (await farm.ask<{ items: Invoice[] }>('GET', '/invoices')).items;
const read = (id: string) => farm.ask<Invoice>('GET', `/invoices/${id}`);
const main = (page: Page) => page.locator('main');

test('says next to each field what prevents issuing a draft', async () => {
  const { page } = first;
  const { id } = await farm.askConsole('POST', '/invoices', {
    lines: [{ description: 'Bracket', quantity: 1, unit_price: 100 }],
  });
  const send = await holdRequests(page, 'GET', '**/invoice-seller');
  await farm.open(page, `/invoices/${id}`);
  await main(page).getByRole('button', { name: 'Issue' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click();
  // the business details may arrive after the click
  send();
  await main(page).getByText('Your business details are missing').waitFor();
  await page.unroute('**/invoice-seller');
  const customer = main(page).getByRole('textbox', { name: 'Customer' });
  await expectSoon(() => customer.getAttribute('aria-invalid'), 'true');
  await customer.fill('Вера');
  await main(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await main(page).getByRole('link', { name: 'Add business details' }).click();
  await page.waitForURL('**/invoices/settings');
  await farm.askConsole('DELETE', `/invoices/${id}`);
  await farm.open(page, '/invoices');
});

test('explains the empty page and asks for business details once', async () => {
  const { page } = first;
  await page.getByRole('heading', { name: 'No invoices yet' }).waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  await page.getByRole('link', { name: 'Invoice settings' }).click();
  // what is missing or wrong is marked where it is
  const isInvalid = (label: string) => page.getByLabel(label).getAttribute('aria-invalid');
  await page.getByLabel('Currency').fill('E');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This field is required').waitFor();
  await expectSoon(() => isInvalid('Business name'), 'true');
  await page.getByLabel('Business name').fill('Мастерская «Слой»');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Currency').and(page.locator('[aria-invalid=true]')).waitFor();
  first.browserErrors.splice(0);
  await page.getByLabel('Currency').fill('EUR');
  await page.getByLabel('Address', { exact: true }).fill('Tverskaya 1\nMoscow');
  await page.getByLabel('Bank details').fill('IBAN DE00 1234');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
});

test.each([
  ['en-GB', 'Issue', 'Customer', 'The PDF can’t show 株 式:', 'The PDF can’t show 银 in your business details:'],
  [
    'ru-RU',
    'Выставить',
    'Заказчик',
    'нет в шрифтах: 株 式.',
    'Эти символы в реквизитах не отобразятся в PDF, их нет в шрифтах: 银.',
  ],
])('names letters that the PDF cannot show: %s', async (locale, issue, customer, inField, inBusinessDetails) => {
  const { page } = await farm.visit('/invoices', { locale });
  const seller = await farm.askConsole<{ name: string }>('GET', '/invoice-seller');
  const { id } = await farm.askConsole('POST', '/invoices', {
    customer_name: '株式 GmbH',
    lines: [{ description: 'Bracket', quantity: 1, unit_price: 100 }],
  });
  await farm.askConsole('PUT', '/invoice-seller', { name: '银' });
  await farm.open(page, `/invoices/${id}`);
  await main(page).getByRole('button', { name: issue, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: issue, exact: true }).click();
  await main(page).getByText(inField).waitFor();
  await main(page).getByRole('alert').getByText(inBusinessDetails).waitFor();
  await expectSoon(
    () => main(page).getByRole('textbox', { name: customer }).first().getAttribute('aria-invalid'),
    'true',
  );
  await farm.askConsole('PUT', '/invoice-seller', { name: seller.name });
  await farm.askConsole('DELETE', `/invoices/${id}`);
});

test('sets up Stripe in two steps: API key and webhook secret', async () => {
  const { page } = first;
  await page.getByRole('button', { name: 'Add Stripe' }).click();
  await page.getByRole('dialog').getByLabel('Secret key (sk_…)').fill('sk_test_abc');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const card = page.locator('[data-provider=stripe]');
  await card.getByText('Not active yet').waitFor();
  await card.getByText('Test mode', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Change keys' }).click();
  await page.getByRole('dialog').getByLabel('Webhook signing secret').fill(SECRET);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await card.getByText('Not active yet').waitFor({ state: 'detached' });
  // the other provider shows its secret once
  await page.getByRole('button', { name: 'Add payment notifications' }).click();
  const once = page.getByRole('dialog', { name: 'Secret for payment notifications' });
  await once.getByText(/^pnsec_[0-9A-Za-z]{40}$/).waitFor();
  await once.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.locator('[data-provider=notification]').waitFor();
  await once.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain('pnsec_');
  expect(await findAccessibilityIssues(page)).toEqual([]);
});

test('opens an invoice by clicking anywhere on its row or by keyboard', async () => {
  const { page } = first;
  const { id } = await farm.askConsole('POST', '/invoices', { customer_name: 'Борис' });
  await farm.open(page, '/invoices');
  const row = page.locator(`[data-invoice="${id}"]`);
  await row.getByText('Борис').waitFor();
  await row.click({ position: { x: 400, y: 10 } });
  await page.waitForURL(`**/invoices/${id}`);
  await page.goBack();
  await row.getByRole('link').press('Enter');
  await page.waitForURL(`**/invoices/${id}`);
  await main(page).getByRole('button', { name: 'Delete draft' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click();
  await page.waitForURL('**/invoices');
});

let invoice: Invoice;

test('creates and issues an invoice for orders of one customer', async () => {
  const { page } = first;
  await main(page).getByRole('button', { name: 'New invoice' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel(/^Кронштейн · Вера/).check();
  // an order of another customer can't be on this invoice
  await expectSoon(() => form.getByLabel(/^Vase/).isDisabled(), true);
  await form.getByLabel(/^Gear/).check();
  await form.getByRole('button', { name: 'Create invoice (2)' }).click();
  await main(page).getByLabel('Description, line 1').waitFor();
  await expectSoon(() => main(page).getByLabel('Quantity, line 1').inputValue(), '2');
  await expectSoon(() => main(page).getByLabel('Unit price, line 1').inputValue(), '24.95');
  await main(page).getByLabel('Note').fill('Thank you');
  await main(page).getByRole('button', { name: 'Add line' }).click();
  await main(page).getByLabel('Description, line 3').fill('Discount');
  await main(page).getByLabel('Unit price, line 3').fill('-5.5');
  await main(page).getByText('Total: €94.30').waitFor();
  await main(page).getByRole('button', { name: 'Issue' }).click();
  await page.getByText('can’t be edited afterwards').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click();
  await page.getByRole('heading', { name: /^Invoice \d{4}-0001$/ }).waitFor();
  const [made] = await list();
  invoice = await read(String(made?.id));
  expect(invoice).toMatchObject({ status: 'issued', total: 9430, order_ids: orders.slice(0, 2) });
  await page.getByText(invoice.pay_url).waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
});

test('shows a customer’s payment live', async () => {
  const { page } = first;
  const providers = await farm.askConsole<{ items: { kind: string; notification_url: string }[] }>(
    'GET',
    '/payment-providers',
  );
  const { notification_url } = providers.items.find(({ kind }) => kind === 'stripe') as { notification_url: string };
  const raw = sessionEvent({ invoice: invoice.id, amount: 9430 });
  expect(await send(notification_url, raw, signStripe(SECRET, raw))).toMatchObject({ result: 'recorded' });
  await main(page).getByText('Paid', { exact: true }).waitFor();
  await main(page).getByText('Вера Buyer', { exact: false }).waitFor();
  const again = sessionEvent({ invoice: invoice.id, amount: 9430 });
  await send(notification_url, again, signStripe(SECRET, again));
  await main(page).getByText('Duplicate payment: this invoice was already paid.').waitFor();
  await main(page).getByRole('button', { name: 'Mark as reviewed' }).click();
  await expectSoon(() => read(invoice.id), expect.objectContaining({ needs_review: false }));
  await main(page).getByRole('button', { name: 'Record payment' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Refund' }).click();
  await form.getByLabel('Amount, EUR').fill('94.30');
  await form.getByRole('button', { name: 'Save' }).click();
  await expectSoon(() => read(invoice.id), expect.objectContaining({ received: 9430 }));
  await form.waitFor({ state: 'detached' });
  expect(await findAccessibilityIssues(page)).toEqual([]);
  // a payment of an unknown invoice is shown above the list
  const stray = sessionEvent({ invoice: 'somewhere else', amount: 700 });
  await send(notification_url, stray, signStripe(SECRET, stray));
  await page.getByRole('link', { name: 'All invoices' }).click();
  const unassigned = page.getByRole('alert').filter({ hasText: 'Unmatched payments' });
  await unassigned.getByText('reference: somewhere else').waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  await unassigned.getByRole('button', { name: 'Mark as reviewed' }).click();
  await unassigned.waitFor({ state: 'detached' });
});

test('filters and searches the list', async () => {
  const { page } = first;
  await page.getByText('Draft', { exact: true }).click();
  await page.getByText('No matching invoices.').waitFor();
  await page.getByText('All', { exact: true }).click();
  await page.getByRole('searchbox').fill('вера');
  await page.locator(`[data-invoice="${invoice.id}"]`).waitFor();
  // the whole row opens it, on a phone, too
  for (const viewport of [PHONE, DESK]) {
    await page.setViewportSize(viewport);
    await farm.open(page, '/invoices');
    const row = page.locator(`[data-invoice="${invoice.id}"]`);
    const { width = 0 } = (await row.boundingBox()) ?? {};
    await row.click({ position: { x: width - 20, y: 10 } });
    await page.waitForURL(`**/invoices/${invoice.id}`);
  }
});

test('links an order to its invoice', async () => {
  const { page } = first;
  await page.goto(`${farm.service.origin}/console/?order=${orders[0]}`);
  const drawer = page.getByRole('dialog', { name: 'Кронштейн' });
  await drawer.getByText('Paid', { exact: true }).waitFor();
  await drawer.getByRole('link', { name: `Invoice ${invoice.number}` }).click();
  await page.getByRole('heading', { name: `Invoice ${invoice.number}` }).waitFor();
});

/** An issued invoice with a hostile text in every possible place. */
async function issueHostile(): Promise<Invoice> {
  const text = HOSTILE.join(' ');
  // names can't override the direction of text
  const name = text.replace(/[\u202a-\u202e\u2028\u2029]/g, '');
  const lines = HOSTILE.map((description) => ({ description, quantity: 1, unit_price: 123_456 }));
  const seller = { name, address: text, tax_id: text.slice(0, 90), bank_details: text, payment_note: text };
  await farm.askConsole('PUT', '/invoice-seller', seller);
  const draft = { customer_name: name, customer_details: text, note: text, lines, due_date: '2099-01-31' };
  const { id } = await farm.askConsole('POST', '/invoices', draft);
  return farm.askConsole('POST', `/invoices/${id}/issue`, {});
}

test('runs no hostile text and has no accessibility issues: light, dark, English, Russian, 390 px', async () => {
  const hostile = await issueHostile();
  const path = new URL(hostile.pay_url).pathname;
  const barriers: Record<string, string[]> = {};
  for (const locale of ['en-GB', 'ru-RU']) {
    const look = { locale, viewport: PHONE };
    const customer = await visit(farm.browser, farm.service.origin, look);
    const owner = await farm.enter(look);
    const ran: string[] = [];
    for (const { page } of [customer, owner]) await page.exposeFunction('ran', () => ran.push(page.url()));
    const shown: [Page, string][] = ['', '/document', '?paid=1'].map((where) => [customer.page, `${path}${where}`]);
    for (const [page, where] of [
      ...shown,
      [customer.page, '/pay/nothing'] as const,
      [owner.page, `/console/invoices/${hostile.id}`] as const,
    ]) {
      await page.goto(`${farm.service.origin}${where}`);
      await settle(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await findAccessibilityIssues(page, colorScheme === 'light' ? undefined : COLOR_RULES);
        if (found.length > 0) barriers[`${where}, ${locale}, ${colorScheme}`] = found;
      }
      await page.emulateMedia({ colorScheme: 'light' });
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([where, width <= 390]).toEqual([where, true]);
    }
    expect(ran).toEqual([]);
    const said = [...customer.browserErrors, ...owner.browserErrors];
    expect(said.filter((text) => !text.includes('status of 404'))).toEqual([]);
    await customer.page.context().close();
    await owner.page.context().close();
  }
  expect(barriers).toEqual({});
});

test('opens the provider’s payment page without JavaScript', async () => {
  const [hostile] = await list();
  const { pay_url } = await read(String(hostile?.id));
  const { page } = await visit(farm.browser, farm.service.origin, { javaScriptEnabled: false, locale: 'en-GB' });
  const answer = await page.goto(`${farm.service.origin}${new URL(pay_url).pathname}`);
  expect(answer?.headers()).toMatchObject({
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex',
    'content-security-policy': expect.stringContaining("form-action 'self' https://checkout.stripe.com"),
  });
  const form = page.locator('form');
  expect([await form.getAttribute('method'), await form.getAttribute('action')]).toEqual([
    'post',
    `${new URL(pay_url).pathname}/checkout?lang=en`,
  ]);
  await page.getByRole('button', { name: /^Pay / }).waitFor();
  await page.context().close();
});
