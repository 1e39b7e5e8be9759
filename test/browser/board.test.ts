import type { Browser, Locator, Page } from 'playwright-core';
import { OWNER, signInByForm } from '../kit/browser-farm.ts';
import { launch, PHONE, type Visitor, visit } from '../kit/chromium.ts';
import { printedCodes } from '../kit/console-client.ts';
import { carryCard, dragCard } from '../kit/drag.ts';
import { expectSoon } from '../kit/eventually.ts';
import { createEmptyDataFolder, farmboard, type Service, startService } from '../kit/service.ts';

let folder: ReturnType<typeof createEmptyDataFolder>;
let service: Service;
let browser: Browser;
let token: string;
let first: Visitor;

beforeAll(async () => {
  folder = createEmptyDataFolder('sqlite');
  service = await startService(folder.env);
  browser = await launch();
  first = await visit(browser, service.origin);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  folder.remove();
});

/** Through the API, as an automation does. */
async function ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as T;
}

const statusOf = async (id: string) => (await ask('GET', `/print-jobs/${id}`)).workflow_status;
const column = (page: Page, status: string): Locator => page.locator(`[data-column="${status}"]`);
const cardIn = (page: Page, status: string, model: string) => column(page, status).getByText(model, { exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });

/** Browser errors so far, except for sample orders deleted while loading. */
const browserErrorsOf = (visitor: Visitor) =>
  visitor.browserErrors.splice(0).filter((text) => !/status of 404 .*\/print-jobs\/[\w-]+$/.test(text));

async function signIn({ page }: Visitor) {
  await page.goto(`${service.origin}/console/`);
  await signInByForm(page, OWNER);
}

test('creates the owner by the setup link, which works only once', async () => {
  const { page } = first;
  const [code] = await printedCodes(service);
  const link = `${service.origin}/console/setup#${code}`;
  await page.goto(link);
  await page.getByLabel('Email').fill(OWNER.email);
  await page.getByLabel('Farm name').fill(OWNER.name);
  // the browser is set to British English
  await expectSoon(() => page.getByRole('combobox', { name: 'Currency' }).inputValue(), expect.stringMatching(/^GBP/));
  await page.getByRole('textbox', { name: 'Password' }).first().fill(OWNER.password);
  await page.getByRole('textbox', { name: 'Confirm password' }).fill('something else');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Passwords don’t match').waitFor();
  await page.getByRole('textbox', { name: 'Confirm password' }).fill(OWNER.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await heading(page, 'Your board is empty').waitFor();
  for (const [step, form] of [
    ['Add a filament', 'Add filament'],
    ['Add your printers', 'New printer'],
  ] as const) {
    await page.getByRole('link', { name: step }).click();
    await page.getByRole('dialog', { name: form }).waitFor();
    await page.goBack();
    await heading(page, 'Your board is empty').waitFor();
  }
  // the owner can load sample data and delete it
  await page.getByRole('button', { name: 'Explore with sample data' }).click();
  await page.getByText('You’re viewing sample data').waitFor();
  await cardIn(page, 'printing', 'Drone arm').waitFor();
  await page.getByRole('button', { name: 'Remove sample data' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove sample data' }).click();
  await heading(page, 'Your board is empty').waitFor();

  const late = await visit(browser, service.origin);
  await late.page.goto(link);
  await late.page.getByText('This setup link has already been used').waitFor();
  await late.page.context().close();

  token = (
    await farmboard(['token', 'create', '--email', OWNER.email, '--name', 'automation'], folder.env)
  ).stdout.trim();
});

let orderId: string;

test('creates an order in the first column', async () => {
  const { page } = first;
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Item' }).fill('Bracket');
  await dialog.getByLabel('Material', { exact: true }).fill('PETG');
  await dialog.getByLabel('Quantity').fill('4');
  await dialog.getByLabel('Material (g)').fill('120.5');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await cardIn(page, 'negotiation', 'Bracket').waitFor();
  const { items } = await ask<{ items: Record<string, unknown>[] }>('GET', '/print-jobs');
  expect(items).toMatchObject([
    { model_name: 'Bracket', quantity_pieces: 4, material_name: 'PETG', material_grams: 120.5 },
  ]);
  orderId = items[0]?.id as string;
});

test('moves a card by mouse and stores the new status', async () => {
  const { page } = first;
  await dragCard(page, cardIn(page, 'negotiation', 'Bracket'), 'assigned');
  await cardIn(page, 'assigned', 'Bracket').waitFor();
  await expectSoon(() => statusOf(orderId), 'assigned');
});

test('moves a card by keyboard and keeps its focus', async () => {
  const { page } = first;
  const card = page.locator(`[data-order="${orderId}"]`);
  await carryCard(page, card, ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight']);
  await cardIn(page, 'print_error', 'Bracket').waitFor();
  await expectSoon(() => statusOf(orderId), 'print_error');
  await page.locator(`[data-order="${orderId}"]:focus`).waitFor();
});

test('returns a card with a notification when the server refuses the move', async () => {
  const { page } = first;
  const refused = { code: 'unavailable', title: 'Unavailable', detail: 'The database does not answer.' };
  await page.route('**/print-jobs/*', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 503, json: refused }) : route.continue(),
  );
  await carryCard(page, page.locator(`[data-order="${orderId}"]`), ['ArrowRight']);
  await page.getByText('Couldn’t move Bracket').waitFor();
  await cardIn(page, 'print_error', 'Bracket').waitFor();
  await page.unroute('**/print-jobs/*');
  // the browser logs the 503
  expect(browserErrorsOf(first)).toEqual([expect.stringContaining('status of 503')]);
});

test('moves a card by keyboard to off-screen columns at phone width', async () => {
  const { page } = first;
  await page.setViewportSize(PHONE);
  const card = page.locator(`[data-order="${orderId}"]`);
  await carryCard(page, card, ['ArrowRight', 'ArrowRight', 'ArrowRight']);
  await cardIn(page, 'done', 'Bracket').waitFor();
  await expectSoon(() => statusOf(orderId), 'done');
  await page.locator(`[data-order="${orderId}"]:focus`).waitFor();
  await carryCard(page, card, ['ArrowLeft', 'ArrowLeft', 'ArrowLeft']);
  await cardIn(page, 'print_error', 'Bracket').waitFor();
  // a move that is still being sent would be refused after the next change
  await expectSoon(() => statusOf(orderId), 'print_error');
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('saves only edited fields in the drawer, announces changes from elsewhere and closes with Back', async () => {
  const { page } = first;
  await page.locator(`[data-order="${orderId}"]`).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Notes').fill('No brim');
  await ask('PUT', `/print-jobs/${orderId}`, { customer_name: 'Anna' });
  await drawer.getByText('updated here: Customer.').waitFor();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await ask('GET', `/print-jobs/${orderId}`)).toMatchObject({ order_notes: 'No brim', customer_name: 'Anna' });
  expect(new URL(page.url()).searchParams.get('order')).toBe(orderId);
  await page.goBack();
  await drawer.waitFor({ state: 'detached' });
});

test('keeps search and filters in the URL and deletes an order after confirmation', async () => {
  const { page } = first;
  const { id } = await ask('POST', '/print-jobs', { model_name: 'Vase', workflow_status: 'closed' });
  await page.goto(`${service.origin}/console/?q=vase`);
  await page.getByText('No orders match your search').waitFor();
  await page.getByRole('switch', { name: 'Show closed' }).check();
  await cardIn(page, 'closed', 'Vase').click();
  expect(new URL(page.url()).search).toBe(`?q=vase&closed=1&order=${id}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Delete this order and its history?').locator('..').getByRole('button').click();
  await cardIn(page, 'closed', 'Vase').waitFor({ state: 'detached' });
  expect((await ask<{ total: number }>('GET', '/print-jobs?include_closed=true')).total).toBe(1);
  await page.goto(`${service.origin}/console/`);
  await page.locator(`[data-order="${orderId}"]`).waitFor();
});

test('moves the card on every open board after an API update', async () => {
  const second = await visit(browser, service.origin);
  await signIn(second);
  await cardIn(second.page, 'print_error', 'Bracket').waitFor();
  await ask('PUT', `/print-jobs/${orderId}`, { workflow_status: 'packing' });
  await Promise.all([first, second].map(({ page }) => cardIn(page, 'packing', 'Bracket').waitFor()));

  await ask('PUT', `/print-jobs/${orderId}`, { workflow_status: 'no such status' });
  await column(second.page, 'negotiation').getByText('Status reset: received no such status').waitFor();
  expect(second.browserErrors).toEqual([]);
  await second.page.context().close();
});

test('moves between cards with arrow keys and past the board with Tab', async () => {
  const { page } = first;
  const orders = [
    ['Vase', 'negotiation'],
    ['Gear', 'done'],
    ['Hook', 'done'],
  ] as const;
  for (const [model_name, workflow_status] of orders) await ask('POST', '/print-jobs', { model_name, workflow_status });
  // they may arrive in any order
  for (const [model_name, workflow_status] of orders) await cardIn(page, workflow_status, model_name).waitFor();
  const stops = page.locator('[data-order][tabindex="0"]');
  await expectSoon(() => stops.count(), 1);
  await stops.focus();
  const focused = () => page.locator('[data-order]:focus').getAttribute('data-order');
  const inColumn = (status: string) => page.locator(`[data-column="${status}"] [data-order]:focus`);
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  const top = await focused();
  await page.keyboard.press('ArrowRight');
  await inColumn('done').waitFor();
  const upper = await focused();
  await page.keyboard.press('ArrowDown');
  await page.locator(`[data-column="done"] [data-order]:focus:not([data-order="${upper}"])`).waitFor();
  await expectSoon(() => stops.count(), 1);
  await page.keyboard.press('ArrowUp');
  await page.locator(`[data-order="${upper}"]:focus`).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator(`[data-order="${top}"]:focus`).waitFor();
  // the page ends below the only card
  await page.keyboard.press('Tab');
  await expectSoon(() => page.locator('main :focus').count(), 0);
});

test('offers a skip link and shows the shortcuts with ?', async () => {
  const { page } = first;
  await page.goto(`${service.origin}/console/?q=vase`);
  await cardIn(page, 'negotiation', 'Vase').waitFor();
  await page.keyboard.press('Tab');
  await page.locator('a:focus').getByText('Skip to content').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('main:focus').waitFor();
  await page.keyboard.press('Shift+?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('New order').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(`${service.origin}/console/`);
  await page.locator(`[data-order="${orderId}"]`).waitFor();
});

test('catches up with changes after a server outage', async () => {
  const { page } = first;
  const { port } = new URL(service.origin);
  await service.stop();
  await page.getByText('Connection lost').waitFor();
  service = await startService({ ...folder.env, PORT: port });
  await ask('PUT', `/print-jobs/${orderId}`, { workflow_status: 'done' });
  await cardIn(page, 'done', 'Bracket').waitFor();
  await page.getByText('Connection lost').waitFor({ state: 'detached' });
  // browsers log errors while the server is down
  first.browserErrors.length = 0;
});

test('switches to Russian and remembers the language', async () => {
  const { page } = first;
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByText('Русский').click();
  await heading(page, 'Обсуждение').waitFor();
  await page.reload();
  await heading(page, 'Ошибка печати').waitFor();
  await page.locator('html[lang=ru]').waitFor({ state: 'attached' });
  expect(first.browserErrors).toEqual([]);
});
