import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findAccessibilityIssues, overflows, settle } from '../kit/browser-farm.ts';
import { launch, PHONE, type Visitor, visit } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { IS_LONG } from '../kit/length.ts';
import { createDataFolder, type DataFolder, type Service, startService } from '../kit/service.ts';

/** One page of each kind in the short form: home, tutorial, diagrams, wide tables, long code, settings. */
const SOME = ['', 'quick-start', 'concepts/delivery-promise', 'reference/performance', 'hubs/script', 'guide/operate'];

const ALL = readdirSync(join(__dirname, '../../docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('.') && !file.startsWith('node_modules'))
  .map((file) => file.replace(/(^index)?\.md$/, ''));

const PAGES = IS_LONG ? ALL : SOME;

let folder: DataFolder;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  folder = createDataFolder('sqlite');
  [service, browser] = await Promise.all([startService(folder.env), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  folder?.remove();
});

/** Waits until the scripts of the page run. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${service.origin}/docs/${path}`);
  await expectSoon(() => page.evaluate("document.querySelector('#app')?.__vue_app__ !== undefined"), true);
  await settle(page);
}

const close = (visitor: Visitor) => visitor.page.context().close();

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('has no barriers, no script errors, and asks no other host', async () => {
    const visitor = await visit(browser, service.origin, { colorScheme });
    const barriers: Record<string, string[]> = {};
    for (const path of PAGES) {
      await open(visitor.page, path);
      const found = await findAccessibilityIssues(visitor.page);
      if (found.length > 0) barriers[path] = found;
    }
    expect(barriers).toEqual({});
    expect(visitor.browserErrors).toEqual([]);
    await close(visitor);
  });

  test('fits a phone', async () => {
    const visitor = await visit(browser, service.origin, { colorScheme, viewport: PHONE });
    const bad: Record<string, unknown> = {};
    for (const path of PAGES) {
      await open(visitor.page, path);
      const issues = await findAccessibilityIssues(visitor.page);
      if (issues.length > 0 || (await overflows(visitor.page))) bad[path] = issues;
    }
    expect(bad).toEqual({});
    expect(visitor.browserErrors).toEqual([]);
    await close(visitor);
  });
});

test('finds a page by a question, without evaluating text as code', async () => {
  const visitor = await visit(browser, service.origin);
  const { page } = visitor;
  await open(page, '');
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click();
  await page.getByRole('searchbox').fill('can a webhook arrive twice');
  const results = page.getByRole('dialog').getByRole('listitem');
  await results.first().waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  await results.filter({ hasText: 'Can a webhook arrive twice?' }).click();
  await page.waitForURL('**/docs/concepts/delivery-promise#can-a-webhook-arrive-twice');
  expect(visitor.browserErrors).toEqual([]);
  await close(visitor);
});
