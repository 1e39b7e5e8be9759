import type { Page } from 'playwright-core';
import { findAccessibilityIssues, LOOKS, openFarm, overflows } from '../kit/browser-farm.ts';
import type { Visitor } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';
import { type Received, startReceiver } from '../kit/receiver.ts';

// the only allowed address is the receiver on this machine
const farm = forSuite(() => openFarm({ env: { WEBHOOK_ALLOWED_HOSTS: 'loopback' } }));
let owner: Visitor;
const receiver = forSuite(() => startReceiver((res) => res.writeHead(status).end()));
/** the receiver's response */
let status = 204;

beforeAll(async () => {
  owner = await farm.visit('/automation');
});

const open = (page: Page, path: string) => farm.open(page, path);
const card = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const channels = async () =>
  (await farm.ask<{ items: Record<string, unknown>[] }>('GET', '/webhook-subscriptions')).items;
const me = (token: string) =>
  fetch(`${farm.service.baseUrl}/me`, { headers: { Authorization: `Bearer ${token}` } }).then(
    (answer) => answer.status,
  );

/** Channels that were deleted while their cards were shown. */
const gone: string[] = [];

/** Browser errors other than expected refusals. A card may ask for attempts of a channel that was just deleted. */
const onlyRefused = () =>
  expect(
    owner.browserErrors
      .splice(0)
      .filter((text) => !/status of 422/.test(text))
      .filter((text) => !gone.some((id) => text.includes('status of 404') && text.endsWith(`/${id}/deliveries`))),
  ).toEqual([]);

/** Reads the secret from the open dialog and closes it. */
async function takeSecret(page: Page, label: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.locator(`[data-copy="${label}"]`).textContent()) as string;
  // Escape must not close it
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return secret;
}

/** Whether a text is on the page, now or after a reload. */
async function isStillThere(page: Page, text: string): Promise<boolean> {
  const now = await page.content();
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  return [now, await page.content(), stored].some((one) => String(one).includes(text));
}

test('opens the channels at /automation, with tabs as links', async () => {
  const { page } = owner;
  await page.getByRole('heading', { name: 'No webhook channels yet' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/automation/channels');
  await page.getByRole('link', { name: 'Access tokens' }).click();
  expect(new URL(page.url()).pathname).toBe('/console/automation/tokens');
  await page.goBack();
  await page.getByRole('heading', { name: 'No webhook channels yet' }).waitFor();
});

test('shows a token once, which works until it is revoked', async () => {
  const { page } = owner;
  await open(page, '/automation/tokens');
  await button(page, 'New token').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('test');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  // the account already has one of this name
  await dialog.getByText('A token with this name already exists').waitFor();
  await dialog.getByLabel('Name').fill('Scanner');
  await dialog.getByRole('radio', { name: 'In 30 days' }).check();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = await takeSecret(page, 'Access token');
  expect(token).toMatch(/^pat_/);
  expect(await me(token)).toBe(200);
  expect(await isStillThere(page, token)).toBe(false);

  const mine = page.getByRole('listitem').filter({ hasText: 'Scanner' });
  await mine.getByText(`…${token.slice(-4)}`).waitFor();
  await mine.getByText('Never', { exact: true }).waitFor({ state: 'detached' });
  await mine.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Programs that use “Scanner” lose access immediately').waitFor();
  // the confirmation is shown, nothing is deleted yet
  expect(await me(token)).toBe(200);
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await mine.waitFor({ state: 'detached' });
  expect(await me(token)).toBe(401);
  onlyRefused();
});

test('creates a token that can only read, and says so in the list', async () => {
  const { page } = owner;
  await open(page, '/automation/tokens');
  await button(page, 'New token').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Display');
  await dialog.getByRole('radio', { name: 'In 30 days' }).check();
  await dialog.getByRole('checkbox', { name: 'Read only' }).check();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = await takeSecret(page, 'Access token');
  expect(await me(token)).toBe(200);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${farm.service.baseUrl}/print-jobs`, { method: 'POST', headers })).status).toBe(403);
  await page.getByRole('listitem').filter({ hasText: 'Display' }).getByText('Read only').waitFor();
  onlyRefused();
});

test('shows which tokens expire soon or never', async () => {
  const { page } = owner;
  const make = (name: string, days: number | null) => farm.askConsole('POST', '/tokens', { name, days });
  await make('Nearly over', 3);
  await make('For ever', null);
  await page.reload();
  const of = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await of('Nearly over').getByText('Expires in 3 days').waitFor();
  await of('For ever').getByText('Never', { exact: true }).last().waitFor();
  await expectSoon(() => page.getByText(/Expires (in \d|within)|Expired/).count(), 1);
});

test('creates a channel, shows its secret once and sends a signed test event', async () => {
  const { page } = owner;
  await open(page, '/automation/channels');
  await button(page, 'New channel').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('http://169.254.169.254/latest');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByRole('alert').getByText('WEBHOOK_ALLOWED_HOSTS').waitFor();
  await dialog.getByLabel('URL').fill(receiver.url.replace('http://', ''));
  await dialog.getByLabel('Name').fill('Workshop');
  await expectSoon(() => dialog.getByLabel('URL').inputValue(), receiver.url);
  await dialog.getByRole('checkbox', { name: 'Order status changed' }).uncheck();
  await dialog.getByRole('checkbox', { name: 'Filament low in stock' }).check();
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  const secret = await takeSecret(page, 'Signing secret');
  expect(secret).toMatch(/^whsec_/);
  expect(await channels()).toMatchObject([
    {
      name: 'Workshop',
      url: receiver.url,
      format: 'signed',
      enabled: true,
      events: ['order.created', 'filament.low_stock'],
    },
  ]);
  expect(await isStillThere(page, secret)).toBe(false);

  await page.getByText('1 of 10 channels').waitFor();
  await button(page, 'Send test event: Workshop').click();
  await card(page, 'Workshop')
    .getByRole('status')
    .getByText(/Delivered · HTTP 204 · [\d.,]+ ms/)
    .waitFor();
  const [received] = receiver.received;
  expect(received?.body.event).toBe('webhook.test');

  // a new secret replaces the old one after confirmation
  await button(page, 'Replace secret: Workshop').click();
  await page.getByText('The old secret stops working immediately').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
  const next = await takeSecret(page, 'Signing secret');
  expect(next).not.toBe(secret);
  expect(await isStillThere(page, next)).toBe(false);
  onlyRefused();
});

test('marks a failing receiver with an explanation until a resend succeeds', async () => {
  const { page } = owner;
  status = 500;
  await button(page, 'Send test event: Workshop').click();
  await card(page, 'Workshop').getByText('The receiver rejected the event').first().waitFor();
  await card(page, 'Workshop').getByText('Failing', { exact: true }).waitFor();
  await button(page, 'Recent attempts: Workshop').click();
  const rows = page.getByRole('table', { name: 'Recent attempts: Workshop' }).getByRole('row');
  await rows.nth(1).getByText('Failed · HTTP 500').waitFor();
  status = 204;
  await rows
    .nth(1)
    .getByRole('button', { name: /Resend/ })
    .click();
  await rows.nth(1).getByText('Delivered · HTTP 204').waitFor();
  await card(page, 'Workshop').getByText('Failing', { exact: true }).waitFor({ state: 'detached' });
  expect(receiver.received.at(-1)?.raw).toEqual(receiver.received.at(-2)?.raw);

  // without user action: events of API clients are listed too
  await farm.ask('POST', '/print-jobs', { model_name: 'Bracket' });
  await rows.nth(1).getByText('order.created').waitFor();
});

test('filters a channel, sends its extra header, and keeps the old secret for a while', async () => {
  const { page } = owner;
  const printer = await farm.askConsole<{ id: string }>('POST', '/printers', { name: 'Short-lived', model: 'MK4' });
  await page.reload();
  await button(page, 'Edit: Workshop').click();
  const dialog = page.getByRole('dialog');
  const choose = async (label: string, option: string) => {
    await dialog.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Statuses', 'Print error');
  await dialog.getByLabel('Name', { exact: true }).click();
  await choose('Printers', 'Short-lived');
  await dialog.getByLabel('Name', { exact: true }).click();
  await dialog.getByRole('combobox', { name: 'Materials' }).fill('PTEG');
  await page.keyboard.press('Enter');
  await choose('Pause after failures', '5 failures in a row');
  await dialog.getByLabel('Header', { exact: true }).fill('X-Api-Key');
  await dialog.getByLabel('Value', { exact: true }).fill('of the receiver');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('no order or filament has this material yet: PTEG').waitFor();
  await card(page, 'Workshop').getByText('Only: Print error · Short-lived · PTEG').waitFor();
  await button(page, 'Send test event: Workshop').click();
  await expectSoon(() => receiver.received.at(-1)?.headers['x-api-key'], 'of the receiver');

  // what is not changed stays, and a printer that is deleted is said to be
  await farm.askConsole('DELETE', `/printers/${printer.id}`);
  await card(page, 'Workshop').getByText('Only: Print error · Deleted printer · PTEG').waitFor();
  await button(page, 'Edit: Workshop').click();
  await dialog.getByLabel('Value', { exact: true }).focus();
  await dialog.getByLabel('Name', { exact: true }).fill('Workshop');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await channels())[0]).toMatchObject({
    filter: { workflow_status: ['print_error'], printer_id: [printer.id], material_name: ['PTEG'] },
    pause_after_failures: 5,
    header: { name: 'X-Api-Key' },
  });
  const { id } = (await channels())[0] as { id: string };
  await farm.ask('PUT', `/webhook-subscriptions/${id}`, { filter: null, header: null });

  await button(page, 'Replace secret: Workshop').click();
  await page.getByRole('radio', { name: '24 hours' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
  // a notification that is soon gone
  await page.getByText(/The old secret works until/).waitFor();
  await takeSecret(page, 'Signing secret');
  await button(page, 'Send test event: Workshop').click();
  const signatures = () => String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ').length;
  await expectSoon(signatures, 2);
  onlyRefused();
});

test('says that a channel is paused, why, and what it missed', async () => {
  const { page } = owner;
  status = 500;
  const [{ id }] = (await channels()) as [{ id: string }];
  for (let n = 0; n < 5; n++) await farm.ask('POST', `/webhook-subscriptions/${id}/test`);
  status = 204;
  await card(page, 'Workshop').getByText('Paused', { exact: true }).waitFor();
  await card(page, 'Workshop')
    .getByText(/Paused since .* The receiver rejected the event/)
    .waitFor();
  await farm.ask('POST', '/print-jobs', { model_name: 'Missed' });
  await card(page, 'Workshop').getByRole('switch').check({ force: true });
  await page.getByText(/The first event it missed: Order created, /).waitFor();
  await card(page, 'Workshop').getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
  await farm.ask('PUT', `/webhook-subscriptions/${id}`, { pause_after_failures: null });
  onlyRefused();
});

test('disables, enables, edits and deletes a channel without changing its chat URL', async () => {
  const { page } = owner;
  await card(page, 'Workshop').getByRole('switch').uncheck({ force: true });
  await card(page, 'Workshop').getByText('Turned off').waitFor();
  expect((await channels())[0]?.enabled).toBe(false);
  await card(page, 'Workshop').getByRole('switch').check({ force: true });
  await card(page, 'Workshop').getByText('Turned off').waitFor({ state: 'detached' });
  expect((await channels())[0]?.enabled).toBe(true);

  await button(page, 'New channel').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Slack' }).check();
  await dialog.getByLabel('URL').fill(`${receiver.url}/services/of-the-chat`);
  await dialog.getByLabel('Name').fill('Chat');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await card(page, 'Chat')
    .getByText(`${new URL(receiver.url).origin}/***`)
    .waitFor();
  await button(page, 'Edit: Chat').click();
  await dialog.getByLabel('Name').fill('Team');
  await dialog.getByRole('checkbox', { name: 'Print failed' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await button(page, 'Send test event: Team').click();
  await card(page, 'Team').getByRole('status').getByText('Delivered').waitFor();
  expect(receiver.received.at(-1)?.body).toHaveProperty('blocks');
  expect((await channels())[0]).toMatchObject({
    name: 'Team',
    events: ['order.created', 'order.status_changed', 'printer.print_failed'],
  });

  gone.push(String((await channels())[0]?.id));
  await button(page, 'Delete: Team').click();
  await page.getByText('Delete “Team”, its secret and its delivery history?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await card(page, 'Team').waitFor({ state: 'detached' });
  expect((await channels()).length).toBe(1);
});

test('explains the limit of ten channels', async () => {
  const { page } = owner;
  const made: string[] = [];
  for (let n = 2; n <= 10; n++) {
    const channel = await farm.ask<{ id: string }>('POST', '/webhook-subscriptions', {
      url: receiver.url,
      name: `Channel ${n}`,
      events: ['invoice.paid'],
    });
    made.push(channel.id);
    if (n !== 9) continue;
    // the tenth channel is created elsewhere while this form is open
    await page.getByText('9 of 10 channels').waitFor();
    await button(page, 'New channel').click();
  }
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByText('Delete one you no longer need').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You’ve reached the limit of 10 channels. Delete one to create another.').waitFor();
  await expectSoon(() => button(page, 'New channel').isDisabled(), true);
  gone.push(...made);
  for (const id of made) await farm.ask('DELETE', `/webhook-subscriptions/${id}`);
  await page.getByText('1 of 10 channels').waitFor();
  onlyRefused();
});

describe('the event log', () => {
  test('shows a new event live with its receivers, body and headers', async () => {
    const { page } = owner;
    await open(page, '/automation/events');
    await page.getByRole('list', { name: 'Events' }).waitFor();
    await farm.ask('POST', '/print-jobs', { model_name: 'Live "Ж" <b>' });
    const entry = page.locator('[data-event]').filter({ hasText: 'Live "Ж" <b>' });
    await entry.getByText('1 delivery').waitFor();
    // chat messages have no such fields
    const isIt = ({ body }: Received) => body.data?.model_name === 'Live "Ж" <b>';
    await receiver.until((all) => all.some(isIt));
    const last = receiver.received.find(isIt);
    await entry.getByRole('button').first().click();
    await entry.getByText(/Delivered · HTTP 204/).waitFor();
    await entry.getByText('Workshop').waitFor();

    const text = (label: string) => entry.locator(`[data-copy="${label}"]`).textContent();
    expect(JSON.parse((await text('Body')) as string)).toEqual(last?.body);
    await entry.getByText('Raw').click();
    await expectSoon(() => text('Body'), last?.raw.toString('utf8'));
    await button(page, 'Show request: Workshop').click();
    const headers = (await text('Headers')) as string;
    for (const line of headers.split('\n')) {
      const [name = '', value] = line.split(': ');
      expect([name, last?.headers[name.toLowerCase()]]).toEqual([name, value]);
    }
    expect(headers).toContain('X-Svc-Signature: sha256=');
    await expectSoon(() => text('Body as sent'), last?.raw.toString('utf8'));
  });

  test('updates a pending delivery live', async () => {
    const { page } = owner;
    let answer: () => void = () => undefined;
    const slow = await startReceiver((res) => {
      answer = () => void res.writeHead(503).end();
    });
    const { id } = await farm.ask<{ id: string }>('POST', '/webhook-subscriptions', {
      url: slow.url,
      name: 'Slow',
      events: ['order.created'],
    });
    await farm.ask('POST', '/print-jobs', { model_name: 'Waits' });
    const entry = page.locator('[data-event]').filter({ hasText: 'Waits' });
    await entry.getByText('1 in progress').waitFor();
    await slow.until((all) => all.length === 1);
    answer();
    await entry.getByText('1 failed').waitFor();
    await farm.ask('DELETE', `/webhook-subscriptions/${id}`);
    await entry.getByText('1 delivery').waitFor();
    await slow.stop();
  });

  test('filters by event in the URL and pages through older events', async () => {
    const { page } = owner;
    await page.getByLabel('Event type', { exact: true }).selectOption('webhook.test');
    await page.locator('[data-event]').filter({ hasText: 'order.created' }).first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?event=webhook.test');
    for (const [, entry] of (await page.locator('[data-event]').all()).entries())
      await expectSoon(() => entry.textContent(), expect.stringContaining('webhook.test'));
    await page.getByLabel('Event type', { exact: true }).selectOption('invoice.paid');
    await page.getByText('Nothing of this type happened').waitFor();
    for (let n = 0; n < 26; n++) await farm.ask('POST', '/print-jobs', { model_name: `Many ${n}` });
    await page.getByLabel('Event type', { exact: true }).selectOption('order.created');
    await page.getByText('Many 25').waitFor();
    await button(page, 'Older').click();
    await page.getByText('Live "Ж" <b>').waitFor();
    expect(new URL(page.url()).search).toBe('?event=order.created&page=2');
    await expectSoon(() => button(page, 'Older').isDisabled(), true);
  });

  test('logs no browser errors', () => expect(owner.browserErrors).toEqual([]));
});

test.each(LOOKS)(
  'has no accessibility issues and no clipped text: $colorScheme, $language, $viewport.width px wide',
  async (look) => {
    const { page, browserErrors } = await farm.look('/automation/channels', look);
    const expectAccessible = async () => {
      expect(await findAccessibilityIssues(page)).toEqual([]);
      expect(await overflows(page)).toBe(false);
      expect(await overflows(page, 'main > div')).toBe(false);
    };
    await page.locator('main ul > li').first().waitFor();
    await page.locator('main li button[aria-controls], main li button[aria-expanded]').last().click();
    await page.getByRole('table').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: /New channel|Новый канал/ }).click();
    await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    await expectAccessible();
    await open(page, '/automation/tokens');
    await page.locator('main ul > li').first().waitFor();
    await expectAccessible();
    await open(page, '/automation/connect');
    await page.getByText('n8n-nodes-farmboard').waitFor();
    for (const section of (await page.locator('h2 > button').all()).slice(1)) await section.click();
    await page.locator('[data-copy*="Python"]').waitFor();
    await expectAccessible();
    await open(page, '/automation/events');
    await page.locator('[data-event] > button').first().click();
    await page.locator('[data-delivery] button').first().click();
    await page.locator('[data-delivery] pre').first().waitFor();
    await expectAccessible();
    expect(browserErrors).toEqual([]);
  },
);
