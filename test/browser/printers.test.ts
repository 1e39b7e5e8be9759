import type { Page } from 'playwright-core';
import { findAccessibilityIssues, LOOKS, openFarm, overflows } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { boxOf, drag } from '../kit/drag.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import type { Schemas } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';

type Printer = Schemas['Printer'];

const farm = forSuite(openFarm);
let first: Visitor;

beforeAll(async () => {
  first = await farm.visit('/printers');
});

const list = async () => (await farm.ask<{ items: Printer[] }>('GET', '/printers?per_page=200')).items;
const printerNamed = async (name: string) => (await list()).find((printer) => printer.name === name) as Printer;
const row = (page: Page, name: string) => page.locator('[data-printer]').filter({ hasText: name });
/** The names of the printers in a group as the page shows them; null: in none. */
const namesIn = (page: Page, groupId: string | null) =>
  page.locator(`[data-group="${groupId ?? 'none'}"] [data-printer] strong`).allInnerTexts();
/** The same from the API. */
const storedIn = async (groupId: string | null) =>
  (await list())
    .filter(({ group_id }) => group_id === groupId)
    .sort((a, b) => a.sort_order - b.sort_order)
    .map(({ name }) => name);
const bothAre = async (page: Page, groupId: string | null, names: string[]) => {
  for (const look of [() => namesIn(page, groupId), () => storedIn(groupId)]) {
    await eventually(look, (seen) => seen.join() === names.join());
  }
};

const gripOf = (page: Page, name: string) => row(page, name).locator('[title^="Drag"]');

/** Drops onto the upper or lower half of another row. */
async function dragBeside(page: Page, name: string, side: 'before' | 'after', other: string) {
  const half = async () => {
    const { x, y, height } = await boxOf(row(page, other));
    return { x: x + 120, y: y + (side === 'before' ? 4 : height - 4) };
  };
  await drag(page, gripOf(page, name), half, row(page, other).and(page.locator(`[data-drop=${side}]`)));
}

/** Onto the heading of a group. */
async function dragOnto(page: Page, name: string, group: string) {
  const heading = page.getByRole('heading', { name: group });
  const corner = async () => {
    const { x, y } = await boxOf(heading);
    return { x: x + 10, y: y + 5 };
  };
  await drag(page, gripOf(page, name), corner, page.locator('section[data-over]').filter({ has: heading }));
}

test('explains the empty page and creates the first printer from it', async () => {
  const { page } = first;
  await page.getByRole('heading', { name: 'No printers yet' }).waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'New printer' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Add' }).click();
  await form.getByText('This field is required').first().waitFor();
  await form.getByLabel('Name', { exact: false }).first().fill('Anna');
  await form.getByLabel('Model').fill('MK4S');
  await form.getByLabel('Internal name').fill('A-01');
  await form.getByRole('button', { name: 'Add' }).click();
  await row(page, 'Anna').getByText('A-01 · MK4S · FDM').waitFor();
  expect(await printerNamed('Anna')).toMatchObject({ model: 'MK4S', internal_name: 'A-01', technology: 'fdm' });
});

let hall: string;

test('creates a group, adds printers to it and sets a favorite', async () => {
  const { page } = first;
  await page.getByRole('button', { name: 'New group' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Group name').fill('Hall 1');
  await form.getByRole('button', { name: 'Add' }).click();
  await page.getByText('This group has no printers yet').waitFor();
  hall = (await farm.ask<{ items: { id: string }[] }>('GET', '/printer-groups')).items[0]?.id as string;

  await row(page, 'Anna').getByRole('button', { name: 'Actions for Anna' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await form.getByRole('combobox', { name: 'Group' }).click();
  await page.getByRole('option', { name: 'Hall 1' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await bothAre(page, hall, ['Anna']);

  for (const name of ['Boris', 'Clara', 'Dora']) {
    await page.getByRole('button', { name: 'New printer' }).click();
    await form.getByLabel('Name', { exact: false }).first().fill(name);
    await form.getByLabel('Model').fill('P1S');
    await form.getByRole('button', { name: 'Add' }).click();
    await row(page, name).waitFor();
  }
  await bothAre(page, null, ['Boris', 'Clara', 'Dora']);

  const star = row(page, 'Clara').getByRole('button', { name: 'Favorite: Clara' });
  await star.click();
  await eventually(async () => (await printerNamed('Clara')).is_favorite, Boolean);
  await expectSoon(() => star.getAttribute('aria-pressed'), 'true');
});

test('drags a printer within its group, into another and to its end', async () => {
  const { page } = first;
  await dragBeside(page, 'Dora', 'before', 'Boris');
  await bothAre(page, null, ['Dora', 'Boris', 'Clara']);
  await dragBeside(page, 'Dora', 'after', 'Boris');
  await bothAre(page, null, ['Boris', 'Dora', 'Clara']);
  await dragBeside(page, 'Clara', 'before', 'Anna');
  await bothAre(page, hall, ['Clara', 'Anna']);
  await bothAre(page, null, ['Boris', 'Dora']);
  await dragOnto(page, 'Dora', 'Hall 1');
  await bothAre(page, hall, ['Clara', 'Anna', 'Dora']);
});

test('moves a printer by keyboard, keeps the focus and announces its position', async () => {
  const { page } = first;
  const up = row(page, 'Dora').getByRole('button', { name: 'Move Dora up' });
  await up.focus();
  await page.keyboard.press('Enter');
  await bothAre(page, hall, ['Clara', 'Dora', 'Anna']);
  await page.getByRole('status').getByText('Dora is now number 2 of 3.').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Move Dora up' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await bothAre(page, hall, ['Dora', 'Clara', 'Anna']);
  // at the top only the other direction is left
  await page.getByRole('button', { name: 'Move Dora down' }).and(page.locator(':focus')).waitFor();
});

test('returns a printer with a notification when the server refuses its place', async () => {
  const { page } = first;
  const refused = { code: 'unavailable', title: 'Unavailable', detail: 'The database does not answer.' };
  await page.route('**/printer-order', (route) => route.fulfill({ status: 503, json: refused }));
  await row(page, 'Dora').getByRole('button', { name: 'Move Dora down' }).click();
  await page.getByText('The database does not answer.').waitFor();
  await bothAre(page, hall, ['Dora', 'Clara', 'Anna']);
  await page.unroute('**/printer-order');
  // the browser logs the 503
  expect(first.browserErrors.splice(0)).toEqual([expect.stringContaining('status of 503')]);
});

test('renames and reorders groups', async () => {
  const { page } = first;
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByRole('dialog').getByLabel('Group name').fill('Cellar');
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
  const headings = () => page.locator('[data-group] h2').allInnerTexts();
  await eventually(headings, (seen) => seen.join() === 'Hall 1,Cellar,No group');
  await page.getByRole('button', { name: 'Actions for Cellar' }).click();
  await page.getByRole('menuitem', { name: 'Move group up' }).click();
  await eventually(headings, (seen) => seen.join() === 'Cellar,Hall 1,No group');
  await page.getByRole('button', { name: 'Actions for Cellar' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Group name').fill('Basement');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await eventually(headings, (seen) => seen.join() === 'Basement,Hall 1,No group');
});

test('shows a printer’s workload live and links to its orders', async () => {
  const { page } = first;
  const { id: printer_id } = await printerNamed('Clara');
  await row(page, 'Clara').getByText('No open orders').waitFor();
  const { id } = await farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'Vase', printer_id });
  await farm.ask('POST', '/print-jobs', { model_name: 'Comb', printer_id, workflow_status: 'assigned' });
  await farm.ask('POST', '/print-jobs', { model_name: 'Old', printer_id, workflow_status: 'done' });
  await row(page, 'Clara').getByText('2 open orders').waitFor();
  await farm.ask('PUT', `/print-jobs/${id}`, { workflow_status: 'printing' });
  await row(page, 'Clara').getByText('Printing 1').waitFor();
  await row(page, 'Clara').getByText('Assigned 1').waitFor();
  await expectSoon(
    () => row(page, 'Clara').getByRole('link', { name: 'Vase' }).getAttribute('href'),
    `/console/?order=${id}`,
  );
  await row(page, 'Clara').getByRole('link', { name: '2 open orders' }).click();
  await page.locator('[data-order]').nth(1).waitFor();
  expect(new URL(page.url()).search).toBe(`?printer=${printer_id}`);
  // including the finished one
  await expectSoon(() => page.locator('[data-order]').count(), 3);
  await page.goBack();
});

test('asks before deleting, explains the consequences and keeps the orders', async () => {
  const { page } = first;
  const { id } = await printerNamed('Clara');
  const open = async () => {
    await row(page, 'Clara').getByRole('button', { name: 'Actions for Clara' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    return page.getByRole('dialog', { name: 'Delete Clara?' });
  };
  const asked = await open();
  await asked.getByText('Its orders stay, without a printer (2 open orders)').waitFor();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await asked.waitFor({ state: 'detached' });
  expect((await printerNamed('Clara')).id).toBe(id);
  await (await open()).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Clara deleted').waitFor();
  await bothAre(page, hall, ['Dora', 'Anna']);
  const { items } = await farm.ask<{ items: { printer_id: null }[] }>('GET', '/print-jobs');
  expect(items.map(({ printer_id }) => printer_id)).toEqual([null, null, null]);

  await page.getByRole('button', { name: 'Actions for Hall 1' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Its printers stay, without a group (2 printers)').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await eventually(
    async () => (await list()).map(({ group_id }) => group_id),
    (ids) => ids.every((groupId) => groupId === null),
  );
  await page.getByRole('heading', { name: 'Hall 1', exact: true }).waitFor({ state: 'detached' });
});

test.each(LOOKS)('has no accessibility issues: $colorScheme, $language, $viewport.width px wide', async (look) => {
  const { page, browserErrors } = await farm.look('/printers', look);
  await row(page, 'Dora').waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  expect(await overflows(page)).toBe(false);
  await page.getByRole('button', { name: look.language === 'en' ? 'New printer' : 'Новый принтер' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  expect(browserErrors).toEqual([]);
});

test('logs no browser errors', () => expect(first.browserErrors).toEqual([]));

test('handles more printers than one page in list, search and board filter', async () => {
  await first.page.context().close();
  for (let n = 0; n < 210; n += 10) {
    const add = (name: string) => farm.askConsole('POST', '/printers', { name, model: 'many' });
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(`Many ${n + i}`)));
  }
  const { page, browserErrors } = await farm.look('/printers');
  const count = async () => page.locator('[data-printer]').count();
  await eventually(count, (seen) => seen === 213);
  await page.getByRole('searchbox', { name: 'Search printers' }).fill('many 207');
  await eventually(count, (seen) => seen === 1);
  await farm.open(page, '/');
  await page.getByRole('combobox', { name: 'Printer' }).fill('many 207');
  await page.getByRole('option', { name: 'Many 207' }).waitFor();
  expect(browserErrors).toEqual([]);
});
