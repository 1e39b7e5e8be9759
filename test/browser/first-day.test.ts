import type { Browser, Locator, Page } from 'playwright-core';
import { OWNER, signInByForm } from '../kit/browser-farm.ts';
import { launch, type Visitor, visit } from '../kit/chromium.ts';
import { printedCodes } from '../kit/console-client.ts';
import { openDecoder } from '../kit/decoder.ts';
import { carryCard, dragCard } from '../kit/drag.ts';
import { eventually } from '../kit/eventually.ts';
import { isGenuine, startReceiver } from '../kit/receiver.ts';
import { createEmptyDataFolder, type Service, startService } from '../kit/service.ts';

/** The first day of an owner: from an empty database to a printed label, in a browser only. */

let folder: ReturnType<typeof createEmptyDataFolder>;
let service: Service;
let browser: Browser;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let owner: Visitor;
let token: string;

beforeAll(async () => {
  folder = createEmptyDataFolder('sqlite');
  service = await startService({ ...folder.env, WEBHOOK_ALLOWED_HOSTS: 'loopback' });
  receiver = await startReceiver();
  browser = await launch();
  owner = await visit(browser, service.origin, { isPainted: true });
});

afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
  await service?.stop();
  folder.remove();
});

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([method, path, answer.status]).toEqual([method, path, 200]);
  return (await answer.json()) as T;
}

const go = (page: Page, path: string) => page.goto(`${service.origin}/console${path}`);
const column = (page: Page, status: string): Locator => page.locator(`[data-column="${status}"]`);
const shown = (page: Page, name: string) => page.locator(`[data-copy="${name}"]`).textContent();

let orderId: string;

test('creates the owner by the setup link and loads sample data', async () => {
  const { page } = owner;
  const [code] = await printedCodes(service);
  await go(page, `/setup#${code}`);
  await page.getByLabel('Email').fill(OWNER.email);
  await page.getByLabel('Farm name').fill(OWNER.name);
  await page.getByRole('textbox', { name: 'Password' }).first().fill(OWNER.password);
  await page.getByRole('textbox', { name: 'Confirm password' }).fill(OWNER.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Explore with sample data' }).click();
  const card = column(page, 'confirmed').locator('[data-order]').first();
  await card.waitFor();
  orderId = (await card.getAttribute('data-order')) ?? '';
});

const card = (page: Page) => page.locator(`[data-order="${orderId}"]`);
const cardIn = (page: Page, status: string) => column(page, status).locator(`[data-order="${orderId}"]`);

test('moves a card by mouse and by keyboard', async () => {
  const { page } = owner;
  await dragCard(page, card(page), 'assigned');
  await cardIn(page, 'assigned').waitFor();

  await carryCard(page, card(page), ['ArrowRight']);
  await cardIn(page, 'printing').waitFor();
  // waits for the server, because a page that was left sends nothing
  const orderUrl = `${service.origin}/console/api/print-jobs/${orderId}`;
  await eventually(
    async () => (await (await page.context().request.get(orderUrl)).json()).workflow_status,
    (status) => status === 'printing',
  );
});

test('creates a token that an automation can use', async () => {
  const { page } = owner;
  await go(page, '/automation/tokens');
  await page.getByRole('button', { name: 'New token' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('n8n');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  token = (await shown(page, 'Access token')) ?? '';
  expect(await ask('GET', `/print-jobs/${orderId}`)).toMatchObject({ id: orderId, workflow_status: 'printing' });
});

test('moves the card in a second browser after an API update', async () => {
  const second = await visit(browser, service.origin);
  await go(second.page, '/');
  await signInByForm(second.page, OWNER);
  await cardIn(second.page, 'printing').waitFor();
  await ask('PUT', `/print-jobs/${orderId}`, { workflow_status: 'packing' });
  await cardIn(second.page, 'packing').waitFor();
  expect(second.browserErrors).toEqual([]);
  await second.page.context().close();
});

test('creates and tests a channel and shows the attempt', async () => {
  const { page } = owner;
  await go(page, '/automation/channels');
  await page.getByRole('button', { name: 'New channel' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByLabel('Name').fill('Workshop');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  const secret = (await shown(page, 'Signing secret')) ?? '';
  await go(page, '/automation/channels');
  await page.getByRole('button', { name: 'Send test event: Workshop' }).click();
  await page.getByText(/Delivered · HTTP 204/).waitFor();
  const [received] = receiver.received;
  expect(received && isGenuine(secret, received)).toBe(true);
  await page.getByRole('button', { name: /Recent attempts/ }).click();
  await page.getByRole('table').getByText('webhook.test').waitFor();
});

test('lowers the stock bar after use and marks low stock', async () => {
  const { page } = owner;
  const { items } = await ask<{ items: { id: string; remaining_grams: number; low_stock_threshold_grams: number }[] }>(
    'GET',
    '/filaments?q=PETG%20Blue',
  );
  const [filament] = items;
  if (!filament) throw new Error('the sample data has no blue PETG');
  await go(page, `/stock/${filament.id}`);
  const bar = page.getByRole('progressbar').first();
  const before = Number(await bar.getAttribute('aria-valuenow'));
  const grams = Math.ceil(filament.remaining_grams - filament.low_stock_threshold_grams + 1);
  await page.getByRole('button', { name: 'Deduct', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Grams').fill(String(grams));
  await page.getByRole('dialog').getByRole('button', { name: 'Deduct' }).click();
  await page.locator('main').getByText('Low', { exact: true }).first().waitFor();
  expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(before);
  expect((await ask(`GET`, `/filaments/${filament.id}`)).is_low_stock).toBe(true);
});

test('prints a label with the order’s QR code', async () => {
  const { page } = owner;
  await go(page, `/labels?size=62x29&ids=${orderId}`);
  await page.locator('[data-preview] svg').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  const { decode } = await openDecoder(browser);
  const picture = await page.locator('[data-paper] > div').first().screenshot();
  expect(await decode(picture, 'image/png', undefined, 2)).toEqual([`ORDER-${orderId}`]);
  expect(owner.browserErrors).toEqual([]);
});
