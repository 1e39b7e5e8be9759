import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { findAccessibilityIssues, holdRequests, LOOKS, openFarm, overflows } from '../kit/browser-farm.ts';
import { PHONE, type Visitor } from '../kit/chromium.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';

interface Order extends Record<string, unknown> {
  id: string;
  model_name: string;
  workflow_status: string;
}

const MANY = times(150, 300);

const farm = forSuite(openFarm);
let visitor: Visitor;

beforeAll(async () => {
  visitor = await farm.visit('/orders');
});

const make = (fields: Record<string, unknown>) => farm.ask<Order>('POST', '/print-jobs', fields);
const listed = async () =>
  (await farm.ask<{ items: Order[] }>('GET', '/print-jobs?per_page=200&include_closed=true')).items;
const named = async (model: string) => (await listed()).filter(({ model_name }) => model_name === model);
const statusesOf = async (orders: Order[]) =>
  Promise.all(orders.map(async ({ id }) => (await farm.ask<Order>('GET', `/print-jobs/${id}`)).workflow_status));

const rows = (page: Page) => page.locator('[role=row][data-order]');
const row = (page: Page, order: Order) => page.locator(`[role=row][data-order="${order.id}"]`);
const models = (page: Page) => page.locator('[data-column=model_name]').allTextContents();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const go = (page: Page, path: string) => farm.open(page, path);

async function saved(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return readFileSync(await file.path(), 'utf8');
}

async function choose(page: Page, content: string | Buffer) {
  const buffer = Buffer.from(content as string);
  await page.locator('input[type=file]').setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer });
}

let three: Order[];

test('explains an empty list and shows new orders live', async () => {
  const { page } = visitor;
  await page.getByRole('heading', { name: 'No orders yet' }).waitFor();
  three = [
    await make({ model_name: 'Vase', quantity_pieces: 7, due_date: '2031-01-03', customer_name: 'Анна' }),
    await make({ model_name: 'Bracket', quantity_pieces: 30, due_date: '2031-01-01' }),
    await make({ model_name: 'Lid', quantity_pieces: 4, due_date: '2031-01-02', workflow_status: 'printing' }),
  ];
  await rows(page).nth(2).waitFor();
  await expectSoon(() => models(page), ['Lid', 'Bracket', 'Vase']);
});

test('sorts, filters and searches with the state in the URL, and remembers columns', async () => {
  const { page } = visitor;
  const heading = (name: string) => page.getByRole('columnheader', { name });
  await button(page, 'Quantity').click();
  await expectSoon(() => models(page), ['Lid', 'Vase', 'Bracket']);
  await expectSoon(() => heading('Quantity').getAttribute('aria-sort'), 'ascending');
  await button(page, 'Quantity').click();
  await expectSoon(() => models(page), ['Bracket', 'Vase', 'Lid']);
  expect(new URL(page.url()).search).toBe('?sort=-quantity_pieces');
  // empty values are last in both directions
  await button(page, 'Customer').click();
  expect((await models(page))[0]).toBe('Vase');
  await button(page, 'Customer').click();
  expect((await models(page))[0]).toBe('Vase');

  await go(page, '/orders?sort=due_date&status=negotiation');
  await rows(page).nth(1).waitFor();
  await expectSoon(() => models(page), ['Bracket', 'Vase']);
  await page.getByLabel('Search orders').fill('анна');
  await rows(page).nth(1).waitFor({ state: 'detached' });
  await expectSoon(() => models(page), ['Vase']);
  expect(new URL(page.url()).searchParams.get('q')).toBe('анна');

  await button(page, 'Columns').click();
  await page.getByRole('checkbox', { name: 'Notes' }).check();
  await page.getByRole('checkbox', { name: 'Material (g)' }).uncheck();
  await go(page, '/orders');
  await heading('Notes').waitFor();
  expect(await heading('Material (g)').count()).toBe(0);
});

test('names no number of orders before it is known', async () => {
  const { page } = visitor;
  const send = await holdRequests(page, 'GET', '**/print-jobs?*');
  await go(page, '/orders');
  await page.locator('.mantine-Skeleton-root').first().waitFor();
  const status = page.getByRole('status');
  expect((await status.allTextContents()).join('').trim()).toBe('');
  send();
  await status.getByText('3 orders').waitFor();
  await page.unroute('**/print-jobs?*');
});

test.each(LOOKS.map(({ language }) => language))('cuts no heading of a column: %s', async (language) => {
  for (const width of [1440, 1024]) {
    const { page } = await farm.look('/orders?sort=print_hours', { language, viewport: { width, height: 800 } });
    await rows(page).first().waitFor();
    expect([width, await overflows(page, '[role=columnheader] button span')]).toEqual([width, false]);
  }
});

test('opens an order by its row and closes it with Back', async () => {
  const { page } = visitor;
  await row(page, three[0]!).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Item' }).waitFor();
  expect(new URL(page.url()).searchParams.get('order')).toBe(three[0]!.id);
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('moves orders selected by keyboard together and undoes the move', async () => {
  const { page } = visitor;
  await rows(page).first().focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await button(page, 'Move to…').click();
  await page.getByRole('menuitem', { name: 'Packing' }).click();
  await page.getByText('3 orders moved', { exact: true }).waitFor();
  // which keeps it
  await button(page, 'Undo').hover();
  expect(await statusesOf(three)).toEqual(['packing', 'packing', 'packing']);
  await button(page, 'Undo').click();
  await page.getByText('3 orders moved back').waitFor();
  expect(await statusesOf(three)).toEqual(['negotiation', 'negotiation', 'printing']);
});

test('lists failed moves by name, and undo keeps later changes of others', async () => {
  const { page } = visitor;
  const [vase, bracket, lid] = three as [Order, Order, Order];
  const refused = { code: 'validation_error', title: 'Invalid', detail: 'This very order is refused.' };
  await page.route(`**/print-jobs/${bracket.id}`, (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 422, json: refused }) : route.continue(),
  );
  await page.getByLabel('Select all shown').check();
  await button(page, 'Move to…').click();
  await page.getByRole('menuitem', { name: 'Done' }).click();
  await page.getByText('2 orders moved', { exact: true }).waitFor();
  await button(page, 'Undo').hover();
  await page.getByText('Couldn’t move 1 order').waitFor();
  await page.getByText('Bracket: This very order is refused.').waitFor();
  // failed orders stay selected
  await page.getByText('1 selected').waitFor();
  await page.unroute(`**/print-jobs/${bracket.id}`);
  await farm.ask('PUT', `/print-jobs/${lid.id}`, { workflow_status: 'delivery' });
  await button(page, 'Undo').click();
  await page.getByText('Lid: someone else has changed it since').waitFor();
  expect(await statusesOf([vase, bracket, lid])).toEqual(['negotiation', 'negotiation', 'delivery']);
  // the browser logs the 422 and the 412
  expect(visitor.browserErrors.splice(0)).toEqual([
    expect.stringContaining('status of 422'),
    expect.stringContaining('status of 412'),
  ]);
});

test('prints labels of the selected orders', async () => {
  const { page } = visitor;
  await go(page, '/orders');
  await row(page, three[0]!).getByRole('checkbox').check();
  await row(page, three[2]!).getByRole('checkbox').check();
  await button(page, 'Print labels').click();
  await page.locator('[data-preview] svg').nth(1).waitFor();
  await expectSoon(() => page.locator('[data-preview] [data-label]').count(), 2);
});

test('reimports an export unchanged, with escaped formulas and Cyrillic text', async () => {
  const { page } = visitor;
  const odd = await make({
    model_name: '=HYPERLINK("http://evil.example")',
    order_notes: 'two\nlines; "quoted", and\ttabs',
    customer_name: "'=1+1",
    customer_contact: '+7 999 123-45-67',
    price: 149_050,
    currency: 'RUB',
    material_grams: 12.345,
  });
  const yen = await make({ model_name: 'Ваза «Ёж»', price: 1500, currency: 'JPY', workflow_status: 'closed' });
  for (const language of ['en', 'ru']) {
    await go(page, '/orders');
    await page.evaluate(`localStorage.setItem('farmboard-language', '${language}')`);
    await go(page, '/orders?closed=1');
    await row(page, yen).waitFor();
    const csv = await saved(page, language === 'en' ? 'Export CSV' : 'Экспорт CSV');
    expect(csv.startsWith('\uFEFFid')).toBe(true);
    expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    expect(csv).toContain("'+7 999");
    expect(csv).toContain(language === 'en' ? '1490.50,RUB' : '1490,50;RUB');
    expect(csv).toContain(language === 'en' ? '1500,JPY' : '1500;JPY');
    expect(csv.trimEnd().split('\r\n')).toHaveLength(6);

    await button(page, language === 'en' ? 'Import CSV' : 'Импорт CSV').click();
    await choose(page, csv);
    await page.getByText(language === 'en' ? '5 rows unchanged' : '5 строк без изменений').waitFor();
    await expectSoon(
      () => button(page, language === 'en' ? 'Import 0 rows' : 'Импортировать: 0 строк').isDisabled(),
      true,
    );
    const changed = csv.replace('two\nlines', 'three\nlines');
    await button(page, language === 'en' ? 'Choose another file' : 'Другой файл').click();
    await choose(page, changed);
    await page.getByText(language === 'en' ? '1 order to update' : 'изменится 1 заказ').waitFor();
    await page.getByRole('dialog').locator('[data-field=order_notes]', { hasText: 'three' }).waitFor();
  }
  await page.getByRole('button', { name: 'Импортировать: 1 строка' }).click();
  await page.getByText('Изменено: 1 заказ').waitFor();
  const { order_notes, customer_name, updated_at } = await farm.ask('GET', `/print-jobs/${odd.id}`);
  expect({ order_notes, customer_name }).toEqual({
    order_notes: 'three\nlines; "quoted", and\ttabs',
    customer_name: "'=1+1",
  });
  expect(updated_at).not.toBe(odd.updated_at);
  expect((await listed()).length).toBe(5);
  await page.evaluate("localStorage.setItem('farmboard-language', 'en')");
});

test('imports a file of a Russian spreadsheet, reporting errors by row and column', async () => {
  const { page } = visitor;
  await go(page, '/orders');
  await button(page, 'Import CSV').click();
  const file = [
    'Модель;Штук;Срок;Материал, г;Статус;Цена;Валюта;Выдумка',
    'Шестерня;12;30.11.2031;1 120,5005;Печать;1490,5;rub;x',
    'Крышка;две;31.11.2031;;;10;;',
    ';1;;;;;;',
    'Лампа;1;2031-12-01;-5;нет такого;;;',
    '',
    'Рамка;;;;;;;',
    'Ножка;1;;;;;;;лишнее',
  ].join('\r\n');
  await choose(page, file);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 new orders').waitFor();
  await dialog.getByText('4 rows with errors').first().waitFor();
  for (const fault of [
    'Row 3, Штук: must be a number',
    'Row 3, Срок: must be a valid date',
    'Row 3, Цена: needs a currency',
    'Row 4, Модель: is required',
    'Row 5, Материал, г: must be 0 or a number',
    'Row 5, Статус: isn’t a known status',
    'Row 8: has more cells than headings',
  ]) {
    await dialog.getByText(fault).waitFor();
  }
  await dialog.getByText('Not imported: Выдумка').waitFor();
  const faulty = await saved(page, 'Download these rows as CSV');
  expect(faulty).toContain('Крышка,две,31.11.2031');
  expect(faulty).toContain('Row 5, Статус: isn’t a known status');
  expect(faulty).toContain('лишнее');
  await button(page, 'Import 2 rows').click();
  await dialog.getByText('2 orders created').waitFor();
  expect(await named('Шестерня')).toMatchObject([
    {
      quantity_pieces: 12,
      due_date: '2031-11-30',
      material_grams: 1120.501,
      workflow_status: 'printing',
      price: 149_050,
      currency: 'RUB',
    },
  ]);
  expect(await named('Рамка')).toHaveLength(1);
  expect(await named('Лампа')).toHaveLength(0);
});

test('imports a shop’s file as its preview shows it, with columns and answers chosen by hand, and recognizes it again', async () => {
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  const file = [
    'sep=;',
    'Name;Email;Currency;Lineitem quantity;Lineitem name;Lineitem price;Billing Name;Notes;Weight in g;Ship until;Vendor',
    "#1001;ann@a.example;EUR;2;Shop bracket;1'250,50;Ann;Gift;1.234;05/12/2031;x",
    '#1001;ann@a.example;;3;Shop hook;3,00;;;12.500;;x',
    '#1002;bob@b.example;EUR;1;Shop vase;9,00;Bob;;7;06/12/2031;x',
  ].join('\n');
  const shown = (row: number, field: string) =>
    dialog.locator(`[data-row="${row}"] [data-field=${field}]`).textContent();
  async function upload() {
    await go(page, '/orders');
    await button(page, 'Import CSV').click();
    await choose(page, file);
  }
  const field = (name: string) => dialog.getByLabel(name, { exact: true });

  await upload();
  await dialog.getByText('Not imported: Weight in g, Ship until, Vendor').waitFor();
  await field('Weight in g').selectOption({ label: 'Material (g)' });
  await field('Ship until').selectOption({ label: 'Due date' });
  await dialog.getByText('Not imported: Vendor').waitFor();
  await expectSoon(() => button(page, 'Import 0 rows').isDisabled(), true);
  await dialog.getByLabel(/^1234: this file writes decimals with a comma/).check();
  await dialog.getByLabel(/^(5 December|December 5,) 2031$/).check();
  await dialog.getByText('1 row has the number of the order above it').waitFor();
  await dialog.locator('[data-row="3"]', { hasText: 'belongs to the order in row 2' }).waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  const preview = await Promise.all(
    [2, 3, 4].map(async (row) => [
      await shown(row, 'model_name'),
      await shown(row, 'quantity_pieces'),
      await shown(row, 'customer_name'),
      await shown(row, 'material_grams'),
      await shown(row, 'price'),
      (await shown(row, 'due_date'))?.replace(/^(Dec) (\d),/, '$2 $1'),
    ]),
  );
  expect(preview).toEqual([
    ['Shop bracket', '2', 'Ann', '1234', '€2,501.00', '5 Dec 2031'],
    ['Shop hook', '3', 'Ann', '12500', '€9.00', '5 Dec 2031'],
    ['Shop vase', '1', 'Bob', '7', '€9.00', '6 Dec 2031'],
  ]);
  await button(page, 'Import 3 rows').click();
  await dialog.getByText('3 orders created').waitFor();
  const made = (await listed()).filter(({ model_name }) => model_name.startsWith('Shop '));
  const common = { currency: 'EUR', workflow_status: 'negotiation' };
  expect(made.toSorted((a, b) => a.model_name.localeCompare(b.model_name))).toMatchObject([
    {
      ...common,
      quantity_pieces: 2,
      material_grams: 1234,
      price: 250_100,
      customer_name: 'Ann',
      due_date: '2031-12-05',
    },
    { ...common, quantity_pieces: 3, material_grams: 12_500, price: 900, customer_name: 'Ann', due_date: '2031-12-05' },
    { ...common, quantity_pieces: 1, material_grams: 7, price: 900, customer_name: 'Bob', due_date: '2031-12-06' },
  ]);

  // the columns are remembered, the answers are asked for again
  await upload();
  await dialog.getByText('Not imported: Vendor').waitFor();
  await dialog.getByLabel(/^1234:/).check();
  await dialog.getByLabel(/^(5 December|December 5,) 2031$/).check();
  await dialog.getByText('3 rows match orders that already exist').waitFor();
  await expectSoon(() => button(page, 'Import 3 rows').isDisabled(), true);
  await dialog.getByLabel('Leave these rows out').check();
  await dialog.getByText('3 rows left out').waitFor();
  await expectSoon(() => button(page, 'Import 0 rows').isDisabled(), true);
  expect((await listed()).filter(({ model_name }) => model_name.startsWith('Shop '))).toHaveLength(3);
});

test('creates a row once after a lost response and offers to retry or download refused rows', async () => {
  const { page } = visitor;
  await go(page, '/orders');
  await button(page, 'Import CSV').click();
  await choose(page, 'model_name\nOnce\nRefused\n');
  let lost = 0;
  let refusals = 0;
  await page.route('**/print-jobs', async (route) => {
    const body = route.request().postData() ?? '';
    if (body.includes('Once') && lost++ === 0) {
      await route.fetch();
      await route.abort('connectionreset');
    } else if (body.includes('Refused') && refusals++ === 0) {
      await route.fulfill({ status: 422, json: { code: 'validation_error', detail: 'Not now.' } });
    } else await route.continue();
  });
  await button(page, 'Import 2 rows').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 row failed').waitFor();
  await dialog.getByText('Row 3: Not now.').waitFor();
  expect(await saved(page, 'Download these rows as CSV')).toContain('Refused,Not now.');
  expect(await named('Once')).toHaveLength(1);
  await button(page, 'Retry failed rows').click();
  await dialog.getByText('2 orders created').waitFor();
  await page.unroute('**/print-jobs');
  expect(lost).toBe(2);
  expect(await named('Once')).toHaveLength(1);
  expect(await named('Refused')).toHaveLength(1);
  visitor.browserErrors.length = 0;
});

test('names columns in faults as the file does', async () => {
  const { page } = visitor;
  await go(page, '/orders');
  await button(page, 'Import CSV').click();
  await choose(page, 'Model,Pieces,Due,"Material, g"\nVase,two,2031-11-31,-1\n');
  for (const fault of ['Row 2, Pieces: must be', 'Row 2, Due: must be', 'Row 2, Material, g: must be']) {
    await page.getByRole('dialog').getByText(fault).waitFor();
  }
});

test('says why a file can’t be read, and reads Windows-1251 on request', async () => {
  const { page } = visitor;
  await go(page, '/orders');
  await button(page, 'Import CSV').click();
  const dialog = page.getByRole('dialog');
  const cases: [string | Buffer, string][] = [
    [Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), 'This is an Excel workbook'],
    ['', 'This file has no rows below the headings'],
    ['model_name\n', 'This file has no rows below the headings'],
    ['model_name,order_notes\nVase,"never closed\nBox,x\n', 'is never closed'],
    [`model_name\n${'x\n'.repeat(5_001)}`, 'more than 5,000 rows'],
  ];
  for (const [content, said] of cases) {
    await choose(page, content);
    await dialog.getByText(said).waitFor();
  }
  await choose(page, 'price\n5\n');
  await dialog.getByText('Choose the column that says what to print').waitFor();
  await button(page, 'Choose another file').click();
  // «Модель» and «Куб» in Windows-1251
  await choose(page, Buffer.from([0xcc, 0xee, 0xe4, 0xe5, 0xeb, 0xfc, 0x0a, 0xca, 0xf3, 0xe1, 0x0a]));
  await button(page, 'Read as Windows-1252').click();
  await dialog.getByText('Choose the column that says what to print').waitFor();
  await button(page, 'Choose another file').click();
  await choose(page, Buffer.from([0xcc, 0xee, 0xe4, 0xe5, 0xeb, 0xfc, 0x0a, 0xca, 0xf3, 0xe1, 0x0a]));
  await button(page, 'Read as Windows-1251').click();
  await dialog.getByText('1 new order').waitFor();
  await button(page, 'Import 1 row').click();
  await dialog.getByText('1 order created').waitFor();
  expect(await named('Куб')).toHaveLength(1);
});

test('renders only the visible rows of many orders', async () => {
  const { page } = visitor;
  await Promise.all(
    Array.from({ length: 6 }, async (_, part) => {
      for (let n = part; n < MANY; n += 6) await make({ model_name: `Part ${n}`, workflow_status: 'confirmed' });
    }),
  );
  await go(page, '/orders?sort=model_name&status=confirmed');
  await page.getByText(`${MANY} orders`, { exact: true }).waitFor();
  expect(await rows(page).count()).toBeLessThan(60);
  await rows(page).first().focus();
  await page.keyboard.press('End');
  await page
    .locator('[role=row]:focus')
    .getByText(`Part ${MANY - 1}`, { exact: true })
    .waitFor();
  await page.getByLabel('Select all shown').check();
  await page.getByText(`${MANY} selected`).waitFor();
  await button(page, 'Move to…').click();
  await page.getByRole('menuitem', { name: 'Closed' }).click();
  await page.getByText(`${MANY} orders moved`).waitFor();
  await eventually(
    async () => (await farm.ask<{ total: number }>('GET', '/print-jobs?workflow_status=closed')).total,
    (total) => total >= MANY,
  );
});

test('has no accessibility issues in both themes and languages, and shows cards on a phone', async () => {
  for (const { colorScheme, language } of LOOKS) {
    const { page, browserErrors } = await farm.look('/orders', { colorScheme, language });
    await rows(page).first().getByRole('checkbox').check();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await button(page, language === 'en' ? 'Import CSV' : 'Импорт CSV').click();
    await choose(page, 'model_name;foo\nVase;1\n;2\n');
    await page.getByRole('dialog').getByRole('table').waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    await go(page, '/orders');
    await rows(page).first().waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await overflows(page, '[data-scroller]')).toBe(false);
    expect(browserErrors).toEqual([]);
  }
  expect(visitor.browserErrors).toEqual([]);
});
