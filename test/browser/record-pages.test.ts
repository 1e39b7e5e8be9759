import type { Page, Request } from 'playwright-core';
import { findAccessibilityIssues, openFarm } from '../kit/browser-farm.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(openFarm);
let page: Page;
let browserErrors: string[];

beforeAll(async () => {
  ({ page, browserErrors } = await farm.enter());
});

const PAGES = ['stock', 'printers', 'requests', 'invoices'];
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

test.each(PAGES)('/%s: says that the record doesn’t exist and links back', async (name) => {
  const asked: string[] = [];
  const note = (request: Request) => asked.push(new URL(request.url()).pathname);
  page.on('request', note);
  for (const id of ['nothing', '..%2Fprint-jobs', UNKNOWN_ID]) {
    await farm.open(page, `/${name}/${id}`);
    await page.getByRole('heading', { name: /^\w+ not found\. It may have been deleted\.$/ }).waitFor();
  }
  expect(await findAccessibilityIssues(page)).toEqual([]);
  expect(asked.filter((path) => path.endsWith('/nothing') && path.startsWith('/console/api'))).toEqual([]);
  expect(asked).not.toContain('/console/api/print-jobs');
  // the browser logs the 404 of the one with a valid ID
  expect(browserErrors.splice(0)).toEqual([expect.stringContaining('status of 404')]);
  await page.getByRole('link', { name: /^All / }).click();
  await page.waitForURL(`**/console/${name}`);
  page.off('request', note);
});

test('says when the shown record is deleted elsewhere', async () => {
  const draft = { lines: [{ description: 'Bracket', quantity: 1, unit_price: 100 }] };
  const { id } = await farm.askConsole('POST', '/invoices', draft);
  await farm.open(page, `/invoices/${id}`);
  await page.getByRole('heading', { name: 'Draft', level: 1 }).waitFor();
  await farm.askConsole('DELETE', `/invoices/${id}`);
  await page.getByRole('heading', { name: 'Invoice not found' }).waitFor();
  await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor();
});
