import type { Page } from 'playwright-core';
import { openFarm, report } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(openFarm);
let owner: Visitor;
let printer: { id: string; name: string };
let group: { id: string };
let token: string;

beforeAll(async () => {
  owner = await farm.enter();
  group = await farm.askConsole('POST', '/printer-groups', { name: 'Hall 1' });
  const fields = { name: 'Anna', model: 'MK4S', group_id: group.id };
  printer = await farm.askConsole<typeof printer>('POST', '/printers', fields);
  await farm.askConsole('POST', '/printers', { name: 'Boris', model: 'P1S', group_id: group.id });
});

const open = (path: string) => farm.open(owner.page, path);
const lines = (page: Page) => page.locator('[data-report]');

/** Reads the token from the open dialog and closes it. */
async function takeToken(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog').last();
  const shown = (await dialog.locator('[data-copy="Token"]').textContent()) as string;
  // Escape must not close it
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.getByText(shown).waitFor({ state: 'detached' });
  return shown;
}

async function makeAgent(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New agent' }).click();
  const form = page.getByRole('dialog').last();
  await form.getByRole('button', { name: 'Create agent' }).click();
  await form.getByText('Enter a name for the agent').waitFor();
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Create agent' }).click();
  const token = await takeToken(page);
  await page.getByRole('dialog', { name: /^New agent/ }).waitFor({ state: 'detached' });
  return token;
}

test('creates an agent on its printer’s page, whose token works', async () => {
  const { page } = owner;
  await open('/printers');
  await page.getByRole('link', { name: 'Anna' }).click();
  await page.getByRole('heading', { name: 'No print reports yet' }).waitFor();
  await page.getByText('Agents of the group Hall 1 also report for this printer.').waitFor();
  await expectSoon(
    () => page.locator('[data-copy="Agent API address"]').textContent(),
    `${farm.service.origin}/agent/v1`,
  );
  token = await makeAgent(page, 'OctoPrint');
  expect(token).toMatch(/^agt_/);
  const card = page.locator('[data-agent]');
  await card.getByText(`…${token.slice(-4)}`).waitFor();
  await card.getByText('Never', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(token);

  const told = await report(farm, token, { filename: 'bracket <b>.gcode', grams: 12.5 });
  expect([told.status, told.body.printer_id]).toEqual([201, printer.id]);
  // without a reload, like every change
  await lines(page).getByText('bracket <b>.gcode').waitFor();
  await lines(page).getByText('12.5 g').waitFor();
  await card.getByText('Never', { exact: true }).waitFor({ state: 'detached' });
});

test('applies the rules only once they are enabled', async () => {
  const { page } = owner;
  const filament = await farm.ask<{ id: string }>('POST', '/filaments', { name: 'PETG Black', spool_count: 1 });
  const order = await farm.ask<{ id: string }>('POST', '/print-jobs', {
    model_name: 'Vase',
    printer_id: printer.id,
    workflow_status: 'printing',
  });
  await page.reload();
  const save = page.getByRole('button', { name: 'Save' });
  await expectSoon(() => save.isDisabled(), true);
  await expectSoon(() => page.getByLabel('Deduct reported grams').isChecked(), false);
  await page.getByLabel('Deduct reported grams').click();
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Loaded filament', 'PETG Black');
  await choose('After a finished print, move its order to', 'Packing');
  await choose('After a failed print, move it to', 'Print error');
  await save.click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await farm.askConsole('GET', `/printers/${printer.id}/rules`)).toEqual({
    deduct_grams: true,
    loaded_filament_id: filament.id,
    on_finished: 'packing',
    on_failed: 'print_error',
    on_cancelled: null,
  });
  expect((await report(farm, token, { filename: 'vase.gcode', grams: 40 })).status).toBe(201);
  const line = lines(page).filter({ hasText: 'vase.gcode' });
  await line.getByText('40 g deducted from PETG Black').waitFor();
  await line.getByText('Order moved to Packing').waitFor();
  await expectSoon(() => line.getByRole('link', { name: 'Vase' }).getAttribute('href'), `/console/?order=${order.id}`);
  expect(
    (await report(farm, token, { filename: 'late.gcode', outcome: 'failed', reason: 'MCU shutdown' })).status,
  ).toBe(201);
  const failed = lines(page).filter({ hasText: 'late.gcode' });
  await failed.getByText('MCU shutdown').waitFor();
  await failed.getByText('No order was named, and not exactly one was printing on this printer').waitFor();
  const told = await fetch(`${farm.service.origin}/agent/v1/apprise`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: new URLSearchParams({ title: 'complete', message: 'odd.gcode\ngrams=1,234' }),
  });
  expect(told.status).toBe(201);
  const odd = lines(page).filter({ hasText: 'odd.gcode' });
  await odd.getByText('The reported grams couldn’t be read, so nothing was deducted').waitFor();
  await odd.getByText('Received: “1,234”').waitFor();
  await page.reload();
  await page.getByRole('combobox', { name: 'Loaded filament' }).waitFor();
  await expectSoon(() => page.getByRole('combobox', { name: 'Loaded filament' }).inputValue(), 'PETG Black');
});

test('shows the last print outcome of each printer, live', async () => {
  const { page } = owner;
  await open('/printers');
  const row = page.locator('[data-printer]').filter({ hasText: 'Anna' });
  await row.getByText('Finished: odd.gcode').waitFor();
  expect((await report(farm, token, { filename: 'next.gcode', outcome: 'cancelled' })).status).toBe(201);
  await row.getByRole('link', { name: 'Cancelled: next.gcode' }).click();
  await page.waitForURL(`**/printers/${printer.id}`);
  await page.goBack();
});

test('shows a refused report with its reason, live, until it is accepted or dismissed', async () => {
  const { page } = owner;
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  await open(`/printers/${printer.id}`);
  await lines(page).first().waitFor();
  expect(await page.getByRole('heading', { name: 'Refused reports' }).count()).toBe(0);
  const order_id = '00000000-0000-4000-8000-000000000000';
  for (const filename of ['early.gcode', 'taken.gcode'])
    expect((await report(farm, token, { event_id: filename, filename, at: ahead })).status).toBe(422);
  expect((await report(farm, token, { filename: 'stranger.gcode', order_id })).status).toBe(422);
  const refused = (name: string) => page.locator('[data-refused]').filter({ hasText: name });
  await refused('early.gcode').getByText('is more than 5 minutes ahead of this service').waitFor();
  await refused('stranger.gcode').getByText('No order with this ID in the account.').waitFor();

  await page.getByRole('button', { name: 'Try again: early.gcode' }).click();
  await lines(page).getByText('early.gcode').waitFor();
  await refused('early.gcode').waitFor({ state: 'detached' });

  expect((await report(farm, token, { event_id: 'taken.gcode', filename: 'other.gcode' })).status).toBe(201);
  await refused('taken.gcode').waitFor({ state: 'detached' });
  expect((await report(farm, token, { event_id: 'taken.gcode', filename: 'conflict.gcode' })).status).toBe(409);
  await refused('conflict.gcode').getByText('Trying again wouldn’t help').waitFor();
  expect(await page.getByRole('button', { name: 'Try again: conflict.gcode' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Try again: stranger.gcode' }).click();
  await page.getByRole('alert').getByText('No order with this ID in the account.').waitFor();
  await page.getByRole('button', { name: 'Dismiss: conflict.gcode' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
  await refused('conflict.gcode').waitFor({ state: 'detached' });
  await open('/printers');
  const row = page.locator('[data-printer]').filter({ hasText: 'Anna' });
  await row.getByRole('link', { name: '1 refused report' }).waitFor();
});

test('lets a group’s agent report for each of its printers', async () => {
  const { page } = owner;
  await page.getByRole('button', { name: 'Actions for Hall 1' }).click();
  await page.getByRole('menuitem', { name: 'Group agents' }).click();
  const ofGroup = await makeAgent(page, 'Bridge');
  await page.locator('[data-agent]').getByText('Bridge').waitFor();
  expect((await report(farm, ofGroup, {})).status).toBe(422);
  expect((await report(farm, ofGroup, { printer_id: printer.id, filename: 'by the bridge' })).status).toBe(201);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByText('Finished: by the bridge').waitFor();
  // the one without a printer is shown at each of the group
  const row = page.locator('[data-printer]').filter({ hasText: 'Boris' });
  await row.getByRole('link', { name: '1 refused report' }).click();
  await page.getByText('It doesn’t say which printer of the group it’s from.').waitFor();
  await page.getByRole('button', { name: 'It’s from this printer: bracket.gcode' }).click();
  await lines(page).getByText('bracket.gcode').waitFor();
});

test('asks before revoking, after which the token is refused', async () => {
  const { page } = owner;
  await open(`/printers/${printer.id}`);
  // the reports are above the agents, which move when they are loaded
  await lines(page).first().waitFor();
  await page.getByRole('button', { name: 'Revoke: OctoPrint' }).click();
  await page.getByText('“OctoPrint” loses access immediately.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No agents yet.').waitFor();
  await expectSoon(() => report(farm, token, {}), expect.objectContaining({ status: 401 }));
  await lines(page).first().waitFor();
});

// the browser itself logs that a report was refused once more
test('logs no browser errors', () =>
  expect(owner.browserErrors.filter((line) => !line.endsWith('/retry'))).toEqual([]));
