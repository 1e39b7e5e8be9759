import type { Locator, Page } from 'playwright-core';
import { findAccessibilityIssues, openFarm, reportPrints } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(openFarm);
let first: Visitor;

beforeAll(async () => {
  first = await farm.visit('/dashboard');
});

const card = (page: Page, name: string): Locator => page.getByRole('region', { name });
const lines = (where: Locator) => where.getByRole('listitem').allInnerTexts();
const day = (daysFromNow: number) => new Date(Date.now() + daysFromNow * 86_400_000).toISOString().slice(0, 10);
const make = (fields: Record<string, unknown>) =>
  farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'Bracket', ...fields });
const move = (id: string, workflow_status: string) => farm.ask('PUT', `/print-jobs/${id}`, { workflow_status });
/** The last row of the table beside a chart. */
const lastRow = (where: Locator) => where.getByRole('row').last().locator('td').allInnerTexts();

test('explains the dashboard of an empty farm', async () => {
  await first.page.getByRole('heading', { name: 'Nothing to show yet' }).waitFor();
  expect(await findAccessibilityIssues(first.page)).toEqual([]);
});

test('lists due orders oldest first and opens them', async () => {
  const { page } = first;
  const { id } = await make({ model_name: 'Late', due_date: day(-3) });
  await make({ model_name: 'Now', due_date: day(0) });
  await make({ model_name: 'Later', due_date: day(3) });
  await make({ model_name: 'Late but done', due_date: day(-3), workflow_status: 'done' });
  // without a reload: the page was open all the time
  await expectSoon(async () => (await lines(card(page, 'Due today and overdue'))).length, 2);
  const [late, now] = await lines(card(page, 'Due today and overdue'));
  expect(late).toContain('3 days overdue');
  expect(now).toContain('Today');
  await card(page, 'Due today and overdue').getByText('1 overdue').waitFor();
  await card(page, 'Due today and overdue').getByRole('link', { name: 'Late' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Item' }).waitFor();
  expect(new URL(page.url()).search).toBe(`?order=${id}`);
  await page.goto(`${farm.service.origin}/console/dashboard`);
});

test('updates statuses, days, failures and current prints after every change', async () => {
  const { page } = first;
  const { id } = await make({});
  const statuses = card(page, 'Orders by status');
  const days = card(page, 'Orders by day');
  await eventually(
    () => lines(statuses),
    (seen) => seen[0]?.endsWith('4') === true,
  );
  await expectSoon(() => lastRow(days), ['5', '1']);
  await move(id, 'printing');
  await card(page, 'Printing now').getByRole('link', { name: 'Bracket' }).waitFor();
  await card(page, 'Printing now').getByText('No printer').waitFor();
  await move(id, 'print_error');
  await card(page, 'Printing now').getByText('Nothing is printing').waitFor();
  const failures = card(page, 'Failed prints');
  await failures.getByText('1 failure').waitFor();
  await expectSoon(() => lastRow(failures), ['1']);
  await move(id, 'done');
  await expectSoon(() => lastRow(days), ['5', '2']);
  // the charts are shown with the requested number of days
  await days.locator('svg.recharts-surface').first().waitFor();
  await expectSoon(() => days.getByRole('row').count(), 31);
  await page.getByText('90 days').click();
  await expectSoon(() => days.getByRole('row').count(), 91);
  expect(new URL(page.url()).search).toBe('?days=90');
});

test('shows materials, low stock and failing channels', async () => {
  const { page } = first;
  const { id } = await farm.ask<{ id: string }>('POST', '/filaments', {
    name: 'PETG Black',
    type_name: 'PETG',
    spool_count: 1,
    low_stock_threshold_grams: 500,
  });
  await card(page, 'Low stock').getByText('All filaments are above their thresholds').waitFor();
  await farm.ask('POST', `/filaments/${id}/consume`, { grams: 600.5 });
  await card(page, 'Low stock').getByText('399.5 g left').waitFor();
  await eventually(
    () => lines(card(page, 'Material used')),
    (seen) => seen.length === 1 && /^PETG\s+600\.5 g$/.test(String(seen[0])),
  );

  const channel = { name: 'n8n', url: 'http://127.0.0.1:9/hook', events: ['order.created'] };
  await farm.ask('POST', '/webhook-subscriptions', channel);
  await card(page, 'Failing webhook channels').getByText('All channels are working').waitFor();
  await make({});
  // attempts send no live update: the page polls
  await eventually(
    async () => {
      await page.reload();
      await page.getByRole('heading', { name: 'Failing webhook channels' }).waitFor();
      return String(await card(page, 'Failing webhook channels').textContent());
    },
    (text) => text.includes('n8n') && text.includes('connection_refused'),
  );
});

test('shows prints by printer once one reports, linked to the printer', async () => {
  const { page } = first;
  expect(await card(page, 'Prints by printer').count()).toBe(0);
  const { id } = await farm.askConsole('POST', '/printers', { name: 'Prusa 1', model: 'MK4' });
  await reportPrints(farm, id);
  await eventually(
    () => lines(card(page, 'Prints by printer')),
    (seen) => /^Prusa 1\s+3 prints, 1 failed$/.test(String(seen[0])),
  );
  await expectSoon(
    () => card(page, 'Prints by printer').getByRole('link').getAttribute('href'),
    `/console/printers/${id}`,
  );
});

test('refetches about once a second during many changes and shows the last one', async () => {
  const { page } = first;
  const { id } = await make({ model_name: 'Flood', due_date: day(-9) });
  await card(page, 'Due today and overdue').getByText('9 days overdue').waitFor();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/console/api/stats?')) asked += 1;
  });
  const began = Date.now();
  for (let n = 0; n < 150; n++) await move(id, n % 2 ? 'assigned' : 'confirmed');
  await move(id, 'cancelled');
  await card(page, 'Due today and overdue').getByText('9 days overdue').waitFor({ state: 'detached' });
  // one at the beginning and one after each second
  expect(asked).toBeLessThanOrEqual((Date.now() - began) / 1_000 + 2);
  expect(first.browserErrors).toEqual([]);
});
