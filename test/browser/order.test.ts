import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openFarm } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { openDecoder } from '../kit/decoder.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(openFarm);
let visitor: Visitor;
let orderId: string;
let filamentId: string;

beforeAll(async () => {
  const order = await farm.ask<{ id: string }>('POST', '/print-jobs', {
    model_name: 'Bracket',
    material_name: 'PETG',
    material_grams: 250.5,
    price: 150_000,
    currency: 'RUB',
    workflow_status: 'printing',
  });
  orderId = order.id;
  await farm.ask('POST', '/filaments', { name: 'PLA White', type_name: 'PLA', spool_count: 1 });
  const filament = await farm.ask<{ id: string }>('POST', '/filaments', {
    name: 'PETG Black',
    type_name: 'PETG',
    spool_count: 1,
    spool_price_rub: 1500,
  });
  filamentId = filament.id;
  visitor = await farm.visit(`/?order=${orderId}`);
});

const drawerOf = (page: Page) => page.getByRole('dialog');

async function book(page: Page, grams?: string) {
  const drawer = drawerOf(page);
  await drawer.getByRole('combobox', { name: 'Deduct material' }).click();
  await page.getByRole('option', { name: 'PETG Black' }).click();
  if (grams) await drawer.getByLabel('Grams').fill(grams);
  await drawer.getByRole('button', { name: 'Deduct material' }).click();
}

test('deducts material from the order and shows grams, cost and margin', async () => {
  const { page } = visitor;
  const drawer = drawerOf(page);
  await drawer.getByText('No material deducted for this order yet.').waitFor();
  // until something is deducted, the costs are those of the planned grams
  await drawer.getByText('Planned: 250.5 g of PETG Black').waitFor();
  await expectSoon(
    () => drawer.locator('[data-margin=planned]').textContent(),
    expect.stringMatching(
      /Price: RUB\s1,500.00\s*Material \(planned\): RUB\s375.75\s*Margin \(planned\): RUB\s1,124.25$/,
    ),
  );
  await expectSoon(() => drawer.getByLabel('Grams').inputValue(), '250.5');
  // filaments of the order's material come first
  await drawer.getByRole('combobox', { name: 'Deduct material' }).click();
  await expectSoon(
    () => page.locator('[data-combobox-option]:visible').first().textContent(),
    expect.stringContaining('PETG Black'),
  );
  await page.keyboard.press('Escape');
  await book(page);
  await drawer.locator('[data-used]').getByText('PETG Black').waitFor();
  await expectSoon(
    () => drawer.locator('[data-used] tfoot').textContent(),
    expect.stringMatching(/Total\s*250.5 g\s*RUB\s375.75/),
  );
  await expectSoon(
    () => drawer.locator('[data-margin=actual]').textContent(),
    expect.stringMatching(/Price: RUB\s1,500.00\s*Material: RUB\s375.75\s*Margin: RUB\s1,124.25/),
  );
  expect(await farm.ask('GET', `/filaments/${filamentId}`)).toMatchObject({ used_grams: 250.5 });

  // an automation deducts the rest; the open drawer shows it without a reload
  await farm.ask('POST', `/filaments/${filamentId}/consume`, { grams: 0.25, order_id: orderId });
  await drawer.locator('[data-used] tfoot').getByText('250.8 g').waitFor();
});

test('shows no margin for another currency', async () => {
  const { page } = visitor;
  const drawer = drawerOf(page);
  await farm.ask('PUT', `/print-jobs/${orderId}`, { currency: 'EUR' });
  await drawer.getByText('no margin is shown in other currencies').waitFor();
  await expectSoon(
    () => drawer.locator('[data-margin]').textContent(),
    expect.stringMatching(/Price: €1,500.00\s*Material: RUB\s376.13$/),
  );
});

test('shows no margin if the material has no price', async () => {
  const { id } = await farm.ask('POST', '/print-jobs', {
    model_name: 'Vase',
    material_name: 'PLA',
    material_grams: 100,
    price: 90_000,
    currency: 'RUB',
  });
  const { page } = await farm.look(`/?order=${id}`);
  const balance = drawerOf(page).locator('[data-margin]');
  await drawerOf(page).getByText('To plan the cost').waitFor();
  await expectSoon(
    () => balance.textContent(),
    expect.stringMatching(/Price: RUB\s900.00\s*Material \(planned\): unknown$/),
  );
  const { items } = await farm.ask<{ items: { id: string }[] }>('GET', '/filaments?q=PLA%20White');
  await farm.ask('POST', `/filaments/${items[0]?.id}/consume`, { grams: 100, order_id: id });
  await page.locator('[data-margin=actual]').waitFor();
  await expectSoon(() => balance.textContent(), expect.stringMatching(/Price: RUB\s900.00\s*Material: unknown$/));
});

test('suggests materials in stock and earlier customers, and takes amounts per piece', async () => {
  const contact = 'vera@farm.example';
  const old = { model_name: 'Old', customer_name: 'Vera', customer_contact: contact, workflow_status: 'closed' };
  await farm.ask('POST', '/print-jobs', old);
  await farm.askConsole('PUT', `/filaments/${filamentId}`, { colors: ['#112233'] });
  const { page } = await farm.look('/?new=1');
  const dialog = drawerOf(page);
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true });
  await field('Item').fill('Bracket');
  const [material, customer] = ['Material', 'Customer'].map((name) =>
    dialog.getByRole('combobox', { name, exact: true }),
  );
  await material?.fill('black');
  await page.getByRole('option', { name: /^PETG Black.*RUB\s1,500.00\/kg/ }).click();
  expect([await material?.inputValue(), await field('Color').inputValue()]).toEqual(['PETG', '#112233']);
  await field('Quantity').fill('2');
  await dialog.getByText('Per piece', { exact: true }).click();
  await field('Material (g), per piece').fill('33.333');
  await field('Print time (h), per piece').fill('1.5');
  // what was entered for a piece stays when their number changes
  await field('Quantity').fill('3');
  await expectSoon(() => field('Material (g), per piece').inputValue(), '33.333');
  await dialog.getByText('99.999 g in total').waitFor();
  await dialog.getByText(/^Planned material cost: RUB\s150.00 \(PETG Black, RUB\s1,500.00\/kg\)/).waitFor();
  await customer?.fill('ver');
  await page.getByRole('option', { name: 'Vera' }).click();
  await expectSoon(() => field('Contact').inputValue(), contact);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { items } = await farm.ask<{ items: object[] }>('GET', '/print-jobs?per_page=1');
  expect(items[0]).toMatchObject({
    model_name: 'Bracket',
    material_name: 'PETG',
    color_hex: '#112233',
    quantity_pieces: 3,
    material_grams: 99.999,
    print_hours: 4.5,
    customer_name: 'Vera',
    customer_contact: contact,
  });
});

test('deducts more than is in stock only after confirmation', async () => {
  const { page } = visitor;
  const drawer = drawerOf(page);
  await book(page, '5000');
  await drawer.getByText('Not enough left on the spools').waitFor();
  expect(await farm.ask('GET', `/filaments/${filamentId}`)).toMatchObject({ used_grams: 250.75 });
  await drawer.getByRole('button', { name: 'Deduct anyway' }).click();
  await page.getByText('5,000 g deducted from PETG Black').waitFor();
  expect(await farm.ask('GET', `/filaments/${filamentId}`)).toMatchObject({ used_grams: 5250.75, needs_review: true });
  expect(visitor.browserErrors.splice(0)).toEqual([expect.stringContaining('status of 409')]);
});

test('shows the filaments in the order when coming from the stock page', async () => {
  const { page, browserErrors } = await farm.visit('/stock');
  await page.getByText('PETG Black').first().waitFor();
  // navigates within the console, so that the page keeps its data
  await page.getByRole('link', { name: 'Board' }).first().click();
  await page.locator(`[data-order="${orderId}"]`).click();
  await drawerOf(page).locator('[data-used]').getByText('PETG Black').waitFor();
  await drawerOf(page).getByRole('combobox', { name: 'Deduct material' }).click();
  await page.getByRole('option', { name: 'PLA White' }).waitFor();
  expect(browserErrors).toEqual([]);
  await page.close();
});

test('prints and downloads the label from the order', async () => {
  const { page } = await farm.enter();
  // a browser without a printer: shows what would be printed
  await page.addInitScript(
    'window.print = () => { window.printed = document.querySelectorAll("[data-paper] [data-label]").length }',
  );
  await farm.open(page, `/?order=${orderId}`);
  const drawer = drawerOf(page);
  const { decode } = await openDecoder(farm.browser);
  for (const size of ['62x29', '50x30', 'a4']) {
    await drawer.getByLabel('Label size').selectOption(size);
    const [png] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('button', { name: 'Download PNG' }).click(),
    ]);
    expect(await decode(readFileSync(await png.path()), 'image/png')).toEqual([`ORDER-${orderId}`]);
    const [svg] = await Promise.all([
      page.waitForEvent('download'),
      drawer.getByRole('button', { name: 'Download SVG' }).click(),
    ]);
    expect(svg.suggestedFilename()).toBe(`ORDER-${orderId.slice(-8)}-${size}.svg`);
    expect(await decode(readFileSync(await svg.path()), 'image/svg+xml')).toEqual([`ORDER-${orderId}`]);
  }
  await drawer.getByRole('button', { name: 'Print', exact: true }).click();
  await page.waitForFunction('window.printed === 1');
  await page.evaluate('window.dispatchEvent(new Event("afterprint"))');
  await page.locator('[data-paper]').waitFor({ state: 'detached' });
  await page.context().close();
});

/** What a number field shows for what is typed or pasted; a question mark for an error. */
const NUMBERS: [locale: string, language: string, shown: Record<string, string>][] = [
  ['en-GB', 'en', { '1,234': '1234', '1.234': '1.234' }],
  ['ru-RU', 'ru', { '1,234': '1,234', '1.234': '1234' }],
  // the console is in English, the browser in German
  ['de-DE', 'en', { '1,234': '?', '1.234': '?', '1.2340': '1.2340' }],
];
const EVERYWHERE = {
  '1,234.50': 1234.5,
  '1.234,50': 1234.5,
  '22,90': 22.9,
  '1\u00A0234,5': 1234.5,
  '1,2,3.4': '?',
  x: '?',
};

test.each(NUMBERS)('reads numbers as they are typed and pasted: %s, console in %s', async (locale, language, shown) => {
  const { page, browserErrors } = await farm.visit('/?new=1', { locale, language });
  const dialog = drawerOf(page);
  const isRussian = language === 'ru';
  await dialog.getByLabel(isRussian ? 'Изделие' : 'Item').fill(`Numbers ${locale}`);
  const field = dialog.getByLabel(isRussian ? 'Материал, г, всего' : 'Material (g), total');
  const everywhere = Object.entries(EVERYWHERE).map(([text, value]) => [
    text,
    String(value).replace('.', isRussian ? ',' : '.'),
  ]);
  for (const [text = '', expected = ''] of [...everywhere, ...Object.entries(shown)]) {
    const [paste, type] = [() => field.fill(text), () => field.pressSequentially(text)];
    for (const enter of locale === 'en-GB' ? [paste, type] : [paste]) {
      await field.fill('');
      await enter();
      await field.blur();
      const isWrong = (await field.getAttribute('aria-invalid')) === 'true';
      expect([text, isWrong ? '?' : await field.inputValue()]).toEqual([text, expected]);
    }
  }
  // what can't be read isn't left out
  const price = dialog.getByLabel(isRussian ? 'Цена' : 'Price', { exact: true });
  await field.fill(isRussian ? '1.234,5' : '1,234.5');
  await price.fill('22,9051');
  await page.keyboard.press('Enter');
  await dialog.getByText(isRussian ? 'После запятой — не больше 2 знаков' : 'at most 2 decimals').waitFor();
  await price.fill('22,90');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const { items } = await farm.ask<{ items: object[] }>(
    'GET',
    `/print-jobs?q=${encodeURIComponent(`Numbers ${locale}`)}`,
  );
  expect(items).toMatchObject([{ material_grams: 1234.5, price: 2290 }]);
  expect(browserErrors).toEqual([]);
  await page.context().close();
});

test.each(['nothing', '../filaments', '00000000-0000-4000-8000-000000000000/history?'])(
  'says that there is no order "%s" in the URL',
  async (id) => {
    const { page, browserErrors } = await farm.look(`/?order=${encodeURIComponent(id)}`);
    await drawerOf(page).getByText('Order not found').waitFor();
    expect(browserErrors).toEqual([]);
  },
);

test('logs no browser errors', () => expect(visitor.browserErrors).toEqual([]));
