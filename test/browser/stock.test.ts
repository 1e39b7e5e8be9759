import type { Locator, Page } from 'playwright-core';
import { findAccessibilityIssues, openFarm, overflows } from '../kit/browser-farm.ts';
import { PHONE, type Visitor } from '../kit/chromium.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import type { Schemas } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

type Filament = Schemas['Filament'];

/** How a browser logs an expected refusal. */
const REFUSED = /the server responded with a status of (404|409|422)/;

const farm = forSuite(openFarm);
let owner: Visitor;
let page: Page;
let id: string;

beforeAll(async () => {
  owner = await farm.visit('/stock');
  page = owner.page;
});

const button = (name: string | RegExp, scope: Page | Locator = page) =>
  scope.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const row = (of = id) => page.locator(`[data-filament="${of}"]`);
const left = (grams: number, scope: Page | Locator = page) => scope.locator(`[data-remaining="${grams}"]`);
const bar = (scope: Page | Locator = page) => scope.getByRole('progressbar');
const low = (scope: Page | Locator = page) => scope.getByText('Low', { exact: true });
const lines = (kind: string) => page.locator(`[data-kind="${kind}"]`);
const filament = (of = id) => farm.ask<Filament>('GET', `/filaments/${of}`);
const ledger = async (of = id) =>
  (await farm.ask<{ items: { kind: string; grams: number; note: string | null }[] }>('GET', `/filaments/${of}/ledger`))
    .items;
const add = (fields: object) => farm.ask<Filament>('POST', '/filaments', { name: 'Spare', spool_count: 1, ...fields });

/** A print report whose grams its printer's rule deducts. */
async function reportPrint(loaded_filament_id: string, order_id: string, grams: number): Promise<void> {
  const { id: printer_id } = await farm.askConsole('POST', '/printers', { name: 'MK4', model: 'MK4' });
  await farm.askConsole('PUT', `/printers/${printer_id}/rules`, { deduct_grams: true, loaded_filament_id });
  const { token } = await farm.askConsole<{ token: string }>('POST', '/agents', { name: 'Agent', printer_id });
  const answer = await fetch(`${farm.service.origin}/agent/v1/reports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event_id: order_id, filename: 'vase.gcode', outcome: 'finished', order_id, grams }),
  });
  expect(answer.status).toBe(201);
}

test('explains the empty stock and adds a filament with colors, spools and price', async () => {
  await page.getByRole('heading', { name: 'Your stock is empty' }).waitFor();
  await button('Add filament').click();
  await button('Add', dialog()).click();
  await dialog().getByText('Enter a name').waitFor();
  await dialog().getByLabel('Name').fill('Silk sunset');
  await dialog().getByLabel('Brand').fill('Prusament');
  await dialog().getByLabel('Type').fill('PLA');
  await dialog().getByLabel('Color 1', { exact: true }).fill('#FF0000');
  await button('Add color', dialog()).click();
  await dialog().getByLabel('Color 2', { exact: true }).fill('#0000FF');
  // the color picker covers what is below
  await page.keyboard.press('Tab');
  await dialog().getByRole('switch').check();
  await expectSoon(() => dialog().getByLabel('Low-stock threshold').inputValue(), '200');
  await dialog().getByLabel('Low-stock threshold').fill('500');
  await dialog().getByLabel('Spool price').fill('1500.50');
  await button('Add', dialog()).click();
  await page.getByRole('heading', { name: 'Silk sunset', level: 1 }).waitFor();
  await left(1000).waitFor();
  await page.getByText('₽1,500.50').first().waitFor();
  id = new URL(page.url()).pathname.split('/').at(-1) as string;
  expect(await filament()).toMatchObject({ name: 'Silk sunset', colors: ['#FF0000', '#0000FF'], is_gradient: true });
  await expectSoon(
    () => page.getByRole('img', { name: 'Gradient #FF0000, #0000FF' }).getAttribute('data-gradient'),
    'true',
  );
});

test('updates the bar and the low-stock mark after use and undoes it from the notification', async () => {
  const { id: orderId } = await farm.ask('POST', '/print-jobs', { model_name: 'Vase', customer_name: 'Anna' });
  await expectSoon(() => bar().getAttribute('aria-valuenow'), '100');
  await button('Deduct').click();
  await button('Deduct', dialog()).click();
  await dialog().getByText('This field is required').waitFor();
  await dialog().getByLabel('Grams').fill('600.125');
  // as a scanner types a label
  await dialog().getByLabel('Order').fill(`ORDER-${orderId}`);
  await page.getByRole('option', { name: 'Vase · Anna' }).click();
  // and with Tab, which leaves the field only if a person presses it
  const order = dialog().getByPlaceholder('a scanned ORDER- label');
  await order.fill('');
  await page.keyboard.type(`ORDER-${orderId}`);
  await page.keyboard.press('Tab');
  await expectSoon(() => order.inputValue(), 'Vase');
  await dialog().getByLabel('Note').fill('two plates');
  await button('Deduct', dialog()).click();
  const undo = button('Undo', page.getByRole('alert'));
  // which keeps it
  await undo.hover();
  await left(399.875).waitFor();
  await low().waitFor();
  await expectSoon(() => bar().getAttribute('aria-valuenow'), '40');
  await page.locator('[data-usage="600.125"]').waitFor();
  expect((await ledger())[0]).toMatchObject({
    kind: 'consumption',
    grams: -600.125,
    note: 'two plates',
    order_id: orderId,
  });

  await undo.click();
  await page.getByText('Undone: 600.125 g').waitFor();
  await left(1000).waitFor();
  await low().waitFor({ state: 'detached' });
  const struck = page.locator('[data-kind="consumption"][data-undone]');
  await struck.waitFor();
  const line = await page.evaluate(
    'getComputedStyle(document.querySelector("[data-kind=consumption][data-undone] td:nth-child(3) span")).textDecorationLine',
  );
  expect(line).toBe('line-through');
  expect(await struck.getByRole('button').count()).toBe(0);
  await page.getByText('No usage in this period').waitFor();
  const history = await farm.ask<{ items: { grams: number | null }[] }>('GET', `/print-jobs/${orderId}/history`);
  expect(history.items.map(({ grams }) => grams)).toEqual([-600.125, 600.125, null]);
});

test('updates the open list and filament live after API consumption', async () => {
  const second = await farm.visit('/stock');
  const theirs = second.page.locator(`[data-filament="${id}"]`);
  await left(1000, theirs).waitFor();
  expect(await low(theirs).count()).toBe(0);
  await farm.ask('POST', `/filaments/${id}/consume`, { grams: 750 });
  await Promise.all([left(250, theirs).waitFor(), low(theirs).waitFor(), left(250).waitFor(), low().waitFor()]);
  await expectSoon(() => bar(theirs).getAttribute('aria-valuenow'), '25');
  await lines('consumption').getByText('test', { exact: true }).first().waitFor();

  // undone from the ledger
  await button(/^Undo: Deducted -750 g/).click();
  await Promise.all([left(1000, theirs).waitFor(), low(theirs).waitFor({ state: 'detached' })]);
  expect(second.browserErrors).toEqual([]);
  await second.page.context().close();
});

test('previews, applies and undoes a stocktake', async () => {
  await button('Stocktake').click();
  await dialog().getByLabel('Weight on the scale').fill('542');
  await dialog().getByText('Left: 542 g. That’s 458 g less than recorded').waitFor();
  await dialog().getByLabel('empty spools').fill('200');
  await dialog().getByText('Left: 342 g. That’s 658 g less than recorded').waitFor();
  await dialog().getByLabel('Reason for the difference').fill('printed offline');
  await button('Save', dialog()).click();
  await left(342).waitFor();
  await low().waitFor();
  expect((await ledger())[0]).toMatchObject({ kind: 'adjustment', grams: -658, note: 'printed offline' });

  await button('Stocktake').click();
  await dialog().getByLabel('Weight on the scale').fill('1100.5');
  await dialog().getByText('more than all received spools can hold (1,100 g, 10% above their labels)').waitFor();
  await dialog().getByLabel('Weight on the scale').fill('1020');
  await dialog().getByText('That’s 678 g more than recorded').waitFor();
  await dialog().getByLabel('Weight on the scale').fill('900');
  await dialog().getByText('That’s 558 g more than recorded').waitFor();
  await button('Save', dialog()).click();
  await left(900).waitFor();
  await button('Undo', page.getByRole('alert').filter({ hasText: '900 g now in stock' })).click();
  await left(342).waitFor();
});

test('says how much is missing and allows an overdraft', async () => {
  await button('Deduct').click();
  await dialog().getByLabel('Grams').fill('400');
  await button('Deduct', dialog()).click();
  await dialog().getByText('You need 400 g, but only 342 g is left: 58 g short. Nothing was deducted.').waitFor();
  expect(await filament()).toMatchObject({ remaining_grams: 342 });
  await button('Deduct anyway', dialog()).click();
  await left(-58).waitFor();
  await page.getByText('Needs review').first().waitFor();
  await expectSoon(() => bar().getAttribute('aria-valuenow'), '0');
  expect(await filament()).toMatchObject({ remaining_grams: -58, needs_review: true });
});

test('receives spools with price and date, and undoes an unused receipt', async () => {
  await button('Receive spools').click();
  await dialog().getByLabel('Spools').fill('2');
  await dialog().getByLabel('Spool price').fill('990');
  await dialog().getByLabel('Received on').fill('2025-03-09');
  await button('Receive spools', dialog()).click();
  await left(1942).waitFor();
  await page
    .getByRole('row', { name: /9 Mar 2025/ })
    .getByText('₽990.00')
    .waitFor();
  expect(await filament()).toMatchObject({ spool_count: 3 });

  // the received spools are older and therefore used first, so the receipt can't be undone now
  await farm.ask('POST', `/filaments/${id}/consume`, { grams: 10 });
  await left(1932).waitFor();
  await button(/^Undo: Received \+2,000 g/).click();
  await page.getByText('Filament from these spools has already been deducted').waitFor();
  await button(/^Undo: Deducted -10 g/).click();
  await left(1942).waitFor();
  await button(/^Undo: Received \+2,000 g/).click();
  await left(-58).waitFor();
  await page.getByText('receipt undone').waitFor();
});

test('changes only edited fields and warns if the threshold makes the stock low', async () => {
  const { id: spare } = await add({ name: 'Plain grey' });
  await farm.open(page, `/stock/${spare}`);
  await button('Edit').click();
  await expectSoon(() => dialog().getByLabel('Filament on a full spool').isDisabled(), false);
  await dialog().getByText('Also changes what the received spools hold.').waitFor();
  await dialog().getByLabel('Low-stock threshold').fill('1000');
  await dialog().getByText('Stock is already at or below this').waitFor();
  await farm.ask('POST', `/filaments/${spare}/consume`, { grams: 1 });
  // saved earlier, the form would be merged with this change after a refusal (browser/unsaved)
  await left(999).waitFor();
  await button('Save', dialog()).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await low().waitFor();
  expect(await filament(spare)).toMatchObject({
    name: 'Plain grey',
    low_stock_threshold_grams: 1000,
    remaining_grams: 999,
  });
  const events = await farm.ask<{ items: { body: { data: { filament_id: string } } }[] }>(
    'GET',
    '/events?event=filament.low_stock',
  );
  expect(JSON.stringify(events.items[0])).toContain(spare);
});

test('asks before undoing what a stocktake counted later, and marks two deductions for one order', async () => {
  const { id: spare } = await add({ name: 'By two ways' });
  await farm.ask('POST', `/filaments/${spare}/consume`, { grams: 950 });
  await farm.askConsole('POST', `/filaments/${spare}/stocktake`, { remaining_grams: 5 });
  await farm.open(page, `/stock/${spare}`);
  await lines('adjustment').getByText('Stocktake (counted 5 g)').waitFor();
  await button('Edit').click();
  await expectSoon(() => dialog().getByLabel('Filament on a full spool').isDisabled(), true);
  await button('Cancel', dialog()).click();
  const undoOf = button(/^Undo: Deducted -950 g/);
  await undoOf.click();
  await page
    .getByText(/older than the stocktake of .*, which counted 5 g. Undoing it changes the stock from 5 g to 955 g/)
    .waitFor();
  await page.keyboard.press('Escape');
  expect(await filament(spare)).toMatchObject({ remaining_grams: 5 });
  await undoOf.click();
  await button('Undo', dialog()).click();
  await left(955).waitFor();

  const { id: orderId } = await farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'Vase' });
  await reportPrint(spare, orderId, 45.5);
  await farm.ask('POST', `/filaments/${spare}/consume`, { grams: 40, order_id: orderId });
  await left(869.5).waitFor();
  await lines('consumption').getByText('A print report also deducted 45.5 g for this order').waitFor();
  await lines('consumption').getByText('40 g were also deducted for this order by hand or through the API').waitFor();
  await expectSoon(() => page.getByText('Deducted twice?').count(), 2);
  await button(/^Undo: Deducted -40 g/).click();
  await left(909.5).waitFor();
  await page.getByText('Deducted twice?').first().waitFor({ state: 'detached' });
});

test('keeps search, filter and order in the URL', async () => {
  await add({ name: 'White', brand: 'Acme', type_name: 'PETG' });
  await farm.open(page, `/stock?low=1`);
  await row().waitFor();
  const names = () =>
    page.getByRole('list', { name: 'Filaments' }).locator('a > div:nth-child(2) p:first-child').allTextContents();
  const shows = (expected: string[]) => eventually(names, (seen) => JSON.stringify(seen) === JSON.stringify(expected));
  const low = ['Plain grey', 'Silk sunset'];
  const all = ['By two ways', 'Plain grey', 'Silk sunset', 'White'];
  await shows(low);
  await page.getByRole('switch', { name: 'Low stock only' }).uncheck();
  await shows(all);
  expect(new URL(page.url()).search).toBe('');
  await page.getByLabel('Search filaments').fill('acme petg');
  await shows(['White']);
  expect(new URL(page.url()).searchParams.get('q')).toBe('acme petg');
  await page.getByLabel('Search filaments').fill('nothing such');
  await page.getByText('No filaments match your search').waitFor();
  await button('Clear search').first().click();
  await page.locator('input[aria-label="Sort"]').click();
  await page.getByRole('option', { name: 'Least left first' }).click();
  await shows(['Silk sunset', 'By two ways', 'Plain grey', 'White']);
  await page.reload();
  await shows(['Silk sunset', 'By two ways', 'Plain grey', 'White']);
});

test('deletes a filament after confirmation, and its page says so', async () => {
  const { id: spare } = await add({ name: 'By mistake' });
  const second = await farm.visit(`/stock/${spare}`);
  await second.page.getByRole('heading', { name: 'By mistake', level: 1 }).waitFor();
  await farm.open(page, `/stock/${spare}`);
  await button('Delete').click();
  await page.getByText('with its batches and ledger? This can’t be undone.').waitFor();
  await button('Delete', dialog()).click();
  await page.getByText('Filament deleted').waitFor();
  await row().waitFor();
  await expectSoon(() => row(spare).count(), 0);
  await second.page.getByText('Filament not found').waitFor();
  await second.page.context().close();
  expect((await farm.ask<{ items: Filament[] }>('GET', '/filaments')).items.map(({ name }) => name)).not.toContain(
    'By mistake',
  );
});

test('shows user text as plain text', async () => {
  const hostile = '"><img src=x onerror="document.title=1"><script>document.title=1</script>';
  const made = await add({ name: hostile, brand: hostile, type_name: hostile });
  await farm.ask('POST', `/filaments/${made.id}/consume`, { grams: 1, note: hostile });
  for (const path of ['/stock', `/stock/${made.id}`]) {
    const visitor = await farm.visit(path);
    await visitor.page.getByText(hostile).first().waitFor();
    await visitor.page.getByRole('img', { name: 'Usage per day' }).waitFor();
    expect(await visitor.page.title()).not.toBe('1');
    expect(visitor.browserErrors).toEqual([]);
    await visitor.page.context().close();
  }
});

test.each([
  ['light', 'en'],
  ['dark', 'ru'],
] as const)('has no accessibility issues and fits on a phone: %s, %s', async (colorScheme, language) => {
  const look = { colorScheme, language, viewport: PHONE };
  const visitor = await farm.look('/stock', look);
  const use = language === 'en' ? 'Deduct' : 'Списать';
  for (const path of ['/stock', `/stock/${id}`]) {
    await farm.look(path, look);
    await visitor.page.locator('[data-remaining]').first().waitFor();
    await visitor.page.locator('section .recharts-surface, section p').first().waitFor();
    for (const width of [390, 1280]) {
      await visitor.page.setViewportSize({ width, height: 844 });
      expect([path, width, await findAccessibilityIssues(visitor.page)]).toEqual([path, width, []]);
      const isWide = await overflows(visitor.page, 'html, main, main > div');
      expect([path, width, isWide]).toEqual([path, width, false]);
    }
  }
  await farm.look(`/stock/${id}`, look);
  await visitor.page.getByRole('button', { name: use, exact: true }).click();
  await visitor.page.getByRole('dialog').waitFor();
  await visitor.page.locator('[role=dialog] input').first().fill('99999');
  await visitor.page.locator('[role=dialog] [type=submit]').click();
  await visitor.page.locator('[role=dialog] [role=alert]').waitFor();
  expect(await findAccessibilityIssues(visitor.page)).toEqual([]);
  expect(visitor.browserErrors.splice(0).filter((browserError) => !REFUSED.test(browserError))).toEqual([]);
});

test('logs no browser errors except the refusals', () => {
  expect(owner.browserErrors.filter((browserError) => !REFUSED.test(browserError))).toEqual([]);
});
