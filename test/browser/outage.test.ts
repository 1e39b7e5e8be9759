import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openFarm } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';
import { type Service, startService } from '../kit/service.ts';

const farm = forSuite(openFarm);
let visitor: Visitor;
let returned: Service | undefined;

beforeAll(async () => {
  await farm.ask('POST', '/print-jobs', { model_name: 'Bracket' });
  visitor = await farm.visit('/');
  await visitor.page.getByText('Bracket').waitFor();
});

afterAll(async () => {
  await returned?.stop();
});

/** Entries of the navigation whose pages are not loaded with the board, and a text of each. */
const ENTRIES = ['Orders', 'Requests', 'Stock', 'Printers', 'Invoices', 'Integrations', 'Overview'];

const entry = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name });

test('offers to reload when a page is missing after an upgrade', async () => {
  const { page } = visitor;
  const assets = '**/console/assets/*';
  await page.route(assets, (route) => route.fulfill({ status: 404, json: {} }));
  const dist = resolve(__dirname, '../../backend/dist');
  const html = readFileSync(join(dist, readFileSync(join(dist, 'web-current'), 'utf8'), 'index.html'), 'utf8');
  const newer = html.replaceAll(/\/console\/assets\/index-/g, '/console/assets/newer-');
  await page.route('**/console/', (route) => route.fulfill({ body: newer, contentType: 'text/html' }));
  await entry(page, 'Stock').click();
  await page.getByText('A new version of Farmboard is available').first().waitFor();
  await page.getByRole('alert').getByText('older version').waitFor();
  await entry(page, 'Board').click();
  await page.getByText('Bracket').waitFor();
  await page.unrouteAll();
  await entry(page, 'Stock').click();
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await page.getByRole('heading', { name: 'Stock', exact: true }).waitFor();
  expect(await page.getByText('A new version of Farmboard is available').count()).toBe(0);
  await entry(page, 'Board').click();
});

test('says that the network is down, and loads the page once it is back', async () => {
  const { page } = visitor;
  await page.context().setOffline(true);
  await entry(page, 'Invoices').click();
  await page.getByRole('alert').getByText('This page will load when you’re back.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor();
  await entry(page, 'Board').click();
});

test('shows an error on every page during an outage and recovers afterwards', async () => {
  const { page } = visitor;
  await farm.open(page, '/');
  await page.getByText('Bracket').waitFor();
  const { port } = new URL(farm.service.origin);
  await farm.service.stop();
  await page.getByText('Connection lost').waitFor();
  for (const name of ENTRIES) {
    await entry(page, name).click();
    // the tests above have loaded these pages, but not their data
    const said = name === 'Stock' || name === 'Invoices' ? 'Can’t reach Farmboard' : 'Trying again';
    await page.getByRole('alert').getByText(said).first().waitFor();
    await entry(page, name).and(page.locator('[aria-current=page]')).waitFor();
    await expectSoon(() => page.getByRole('navigation').getByRole('link').count(), ENTRIES.length + 1);
  }
  returned = await startService({ ...farm.env, PORT: port });
  // the page shown recovers without a reload
  const returnedAt = performance.now();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  process.stdout.write(`outage.test: recovered ${Math.round(performance.now() - returnedAt)} ms after the service\n`);
  await page.getByText('Connection lost').waitFor({ state: 'detached' });
  for (const name of ENTRIES) {
    await entry(page, name).click();
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor({ state: 'attached' });
    expect(await page.getByRole('alert').count()).toBe(0);
  }
});
