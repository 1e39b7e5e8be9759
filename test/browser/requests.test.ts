import type { BrowserContextOptions, Page } from 'playwright-core';
import { findAccessibilityIssues, LOOKS, openFarm } from '../kit/browser-farm.ts';
import { PHONE, type Visitor, visit } from '../kit/chromium.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { PNG } from '../kit/leads.ts';
import { forSuite } from '../kit/opened.ts';

const farm = forSuite(openFarm);
let owner: Visitor;

beforeAll(async () => {
  owner = await farm.visit('/profile');
});

/** A visitor whose browser runs no scripts. */
const stranger = (path: string, options: BrowserContextOptions = {}) =>
  visit(farm.browser, farm.service.origin, { javaScriptEnabled: false, locale: 'en-GB', ...options }).then(
    async (visitor) => {
      const answer = await visitor.page.goto(`${farm.service.origin}${path}`);
      return { ...visitor, status: answer?.status() };
    },
  );

test('publishes the profile, receives a request with a file and creates an order from it', async () => {
  const { page } = owner;
  expect((await stranger('/masters/north-hall')).status).toBe(404);
  await page.getByText('Only you can see your profile.').waitFor();
  await page.getByLabel('Headline').fill('North Hall prints');
  await page.getByLabel('Page address').fill('north-hall');
  await page.getByLabel('About').fill('Functional parts\nup to 300 mm');
  await page.getByLabel('Materials').first().fill('PETG');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.locator('input[type=file]').setInputFiles({ name: 'hall.png', mimeType: 'image/png', buffer: PNG });
  await page.getByRole('img', { name: 'Photo 1' }).waitFor();
  expect((await stranger('/masters/north-hall')).status).toBe(404);
  await page.getByLabel('Publish my profile').click();
  await page.getByText('Your profile is public').waitFor();

  // what the console calls this address
  const visitor = await stranger('/workshops?lang=en');
  expect(new URL(visitor.page.url()).pathname).toMatch(/^\/masters\/?$/);
  await visitor.page.getByRole('link', { name: 'North Hall prints' }).click();
  await visitor.page.getByRole('heading', { name: 'North Hall prints' }).waitFor();
  const { account_name } = await farm.askConsole<{ account_name: string }>('GET', '/me');
  await visitor.page.getByText(account_name, { exact: true }).waitFor();
  expect(
    await eventually(
      () => visitor.page.evaluate('[...document.querySelectorAll(".photos img")].map((one) => one.naturalWidth)'),
      (widths) => JSON.stringify(widths) === '[1]',
    ),
  ).toEqual([1]);
  const opened = Date.now();

  await farm.open(page, '/requests');
  await page.getByText('No requests yet').waitFor();

  // names what is missing and keeps everything typed
  const form = visitor.page;
  await form.getByLabel('What do you need printed?').fill('20 brackets <b>bold</b>\nblack & strong');
  await form.getByLabel('Email').fill('anna at client.example');
  await form.getByLabel('Budget').fill('up to "40"');
  await form.waitForTimeout(Math.max(0, opened + 3_100 - Date.now()));
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByRole('alert').waitFor();
  await expectSoon(
    () => form.getByLabel('What do you need printed?').inputValue(),
    '20 brackets <b>bold</b>\nblack & strong',
  );
  await expectSoon(() => form.getByLabel('Budget').inputValue(), 'up to "40"');
  await expectSoon(() => form.getByLabel('Email').getAttribute('aria-invalid'), 'true');
  await form.getByLabel('Email').fill('anna@client.example');
  await form
    .getByLabel('File')
    .setInputFiles({ name: 'bracket.obj', mimeType: 'text/html', buffer: Buffer.from('v 0 0 0\nv 1 0 0\nf 1 2\n') });
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByRole('heading', { name: 'Request sent' }).waitFor();
  expect(new URL(form.url()).pathname).toBe('/masters/north-hall/sent');

  // the open inbox shows it without a reload
  await page.getByRole('link', { name: /20 brackets/ }).click();
  await page.getByRole('link', { name: 'anna@client.example' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /bracket\.obj/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('bracket.obj');
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByRole('textbox', { name: 'Item' }).waitFor();
  await expectSoon(() => page.getByRole('textbox', { name: 'Item' }).inputValue(), '20 brackets <b>bold</b>');
  await page.getByRole('link', { name: /^Request from / }).click();
  await page.getByRole('link', { name: 'Open order' }).waitFor();
  expect(owner.browserErrors).toEqual([]);
  // the browser logs that the form was refused once
  expect(visitor.browserErrors.filter((text) => !/status of 422/.test(text))).toEqual([]);
});

test('answers, archives and deletes requests', async () => {
  const { page } = owner;
  // creating an order of it doesn't answer the customer
  await page.getByRole('button', { name: 'Mark as answered' }).click();
  await page.getByRole('button', { name: 'Mark as new' }).click();
  await page.getByRole('button', { name: 'Mark as answered' }).click();
  await page.getByRole('button', { name: 'Mark as new' }).waitFor();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Unarchive' }).waitFor();
  await page.getByRole('link', { name: 'All requests' }).click();
  await page.getByText('Archived 1').waitFor();
  await page.getByRole('radiogroup').getByText('New', { exact: true }).click();
  await page.getByText('No matching requests.').waitFor();
  await page.getByText('Archived 1').click();
  await page.getByRole('link', { name: /20 brackets/ }).click();
  await page.getByRole('button', { name: 'Unarchive' }).click();
  await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No requests yet').waitFor();
  expect((await farm.ask<{ items: unknown[] }>('GET', '/print-jobs')).items).toHaveLength(1);
});

test('reorders and removes photos', async () => {
  const { page } = owner;
  await farm.open(page, '/profile');
  await page.getByRole('img', { name: 'Photo 1' }).waitFor();
  const picture = { mimeType: 'image/png', buffer: PNG };
  await page.locator('input[type=file]').setInputFiles([
    { name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('<script>') },
    { name: 'second.png', ...picture },
  ]);
  await page.getByText('no.png can’t be shown as an image').waitFor();
  await page.getByRole('img', { name: 'Photo 2' }).waitFor();
  const sources = () =>
    page.evaluate('[...document.querySelectorAll("ul img")].map((one) => one.src)') as Promise<string[]>;
  const before = await sources();
  await page.getByRole('button', { name: 'Move photo 2 forward' }).click();
  await eventually(sources, (seen) => seen.join() === [...before].reverse().join());
  await page.getByRole('button', { name: 'Remove: Photo 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await eventually(sources, (seen) => seen.join() === before[0]);
});

test('has the main pages in the bottom navigation of a phone and the others under More', async () => {
  const { page, browserErrors } = await farm.visit('/requests', { viewport: PHONE });
  const nav = page.locator('footer');
  await nav.getByRole('button', { name: 'More' }).waitFor();
  await expectSoon(() => nav.getByRole('link').allInnerTexts(), ['Board', 'Orders', 'Requests', 'Stock']);
  await nav.getByRole('button', { name: 'More' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Workshop profile' }).click();
  await page.getByRole('heading', { name: 'Workshop profile' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expectSoon(() => nav.getByRole('button', { name: 'More' }).getAttribute('aria-current'), 'true');
  expect(browserErrors).toEqual([]);
  await page.context().close();
});

test.each(LOOKS)(
  'has no accessibility issues on the public pages: $colorScheme, $language',
  async ({ colorScheme, language }) => {
    // public pages follow the language of the browser
    const visitor = await visit(farm.browser, farm.service.origin, { colorScheme, locale: language, viewport: PHONE });
    const { page } = visitor;
    const barriers: Record<string, unknown> = {};
    const paths = [
      '/masters',
      '/masters/north-hall',
      '/masters/north-hall/sent',
      '/masters/nobody',
      '/masters?material=x',
    ];
    async function look390(page: Page, name: string) {
      const found = await findAccessibilityIssues(page);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      if (found.length > 0 || Number(width) > 390) barriers[name] = { found, width };
      await expectSoon(() => page.getAttribute('html', 'lang'), language);
    }
    for (const path of paths) {
      await page.goto(`${farm.service.origin}${path}`);
      await look390(page, path);
    }
    await page.goto(`${farm.service.origin}/masters/north-hall`);
    await page.locator('form button').click();
    await page.getByRole('alert').waitFor();
    await look390(page, 'faults');
    expect(barriers).toEqual({});
    // the browser logs the status of a missing page and of a refused form
    expect(visitor.browserErrors.filter((text) => !/status of (404|422)/.test(text))).toEqual([]);
    await page.context().close();
  },
);
