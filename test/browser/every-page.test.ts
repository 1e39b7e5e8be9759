import { readFileSync } from 'node:fs';
import readPdf from 'pdf-parse/lib/pdf-parse.js';
import type { ElementHandle, Page } from 'playwright-core';
import {
  COLOR_RULES,
  createInvoices,
  findAccessibilityIssues,
  goTo,
  openFarm,
  PAGES,
  reportPrints,
  type ShownIds,
  settle,
  showPage,
} from '../kit/browser-farm.ts';
import { DESK, PHONE, visit } from '../kit/chromium.ts';
import { expectSoon } from '../kit/eventually.ts';
import { IS_LONG } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import { send, signNotification } from '../kit/payments.ts';
import { startReceiver } from '../kit/receiver.ts';

const farm = forSuite(() =>
  openFarm({ demo: true, currency: 'EUR', env: { SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' } }),
);
let ids: ShownIds;
const receiver = forSuite(startReceiver);
const chat = forSuite(startReceiver);

beforeAll(async () => {
  const first = async (path: string) => (await farm.ask<{ items: { id: string }[] }>('GET', path)).items[0]?.id ?? '';
  // the public form refuses what is sent within three seconds, so the other records are created meanwhile
  const requests = farm.createRequests();
  ids = {
    order: await first('/print-jobs?workflow_status=done'),
    filament: await first('/filaments?q=PETG%20Black'),
    printer: await first('/printers'),
    ...(await createInvoices(farm)),
    lead: await requests,
  };
  await reportPrints(farm, ids.printer);
  const url = receiver.url;
  const { id } = await farm.ask('POST', '/webhook-subscriptions', { url, events: ['order.status_changed'] });
  await farm.ask('POST', `/webhook-subscriptions/${id}/test`);
  const events = ['order.status_changed', 'invoice.paid'];
  await farm.ask('POST', '/webhook-subscriptions', { url: chat.url, format: 'slack', events });
  await farm.ask('PUT', `/print-jobs/${ids.order}`, { workflow_status: 'no such status' });
});

type Scheme = 'light' | 'dark';
type Locale = 'en-GB' | 'ru-RU';

const SCHEMES = ['light', 'dark'] as const;

/**
 * The color schemes in which a page is checked in a language; it is loaded in the first. The long form checks every page
 * in both languages and both schemes. The short form checks each page light in one language and dark in the other, in
 * turns, so all four looks are used, and every page is checked in both languages and in both schemes.
 */
function schemesOf(locale: Locale, place: number): Scheme[] {
  const [one, other] = (locale === 'en-GB') === (place % 2 === 0) ? SCHEMES : SCHEMES.toReversed();
  return IS_LONG ? [one as Scheme, other as Scheme] : [one as Scheme];
}

/** What one walk through all pages in one language found. Each page is loaded once. */
interface Walk {
  barriers: Record<Scheme, Record<string, string[]>>;
  /** on hover */
  faint: Record<Scheme, string[]>;
  wider: Record<string, unknown>;
  /** parts of the page that mention rubles */
  rubles: Record<string, string[]>;
  /** of the browser tab */
  titles: Record<string, string>;
  browserErrors: string[];
}

async function walk(locale: Locale): Promise<Walk> {
  const walked: Walk = {
    barriers: { light: {}, dark: {} },
    faint: { light: [], dark: [] },
    wider: {},
    rubles: {},
    titles: {},
    browserErrors: [],
  };
  const look = { locale, viewport: DESK };
  const [owner, stranger] = [await farm.enter(look), await visit(farm.browser, farm.service.origin, look)];
  const kinds = new Set<string>();
  for (const [place, shown] of PAGES.entries()) {
    const { page } = shown.isSignedOut ? stranger : owner;
    const schemes = schemesOf(locale, place);
    await showScheme(page, schemes[0] as Scheme);
    // one language loads each page, the other navigates from page to page
    const isInConsole = locale !== 'en-GB' && page.url() !== 'about:blank';
    await showPage(isInConsole ? { open: goTo } : farm, page, shown, ids);
    await expectSoon(() => page.getAttribute('html', 'lang'), locale.slice(0, 2));
    // sign-up offers rubles to visitors from Russia
    const rubles = shown.isSignedOut ? [] : findRubles(await page.evaluate<string>(ALL_TEXT));
    walked.titles[shown.name] = await page.title();
    const targets = shown.isSignedOut || locale !== 'en-GB' ? [] : await findTargets(page, kinds);
    for (const scheme of schemes) {
      await showScheme(page, scheme);
      const found = await findAccessibilityIssues(page, scheme === schemes[0] ? undefined : COLOR_RULES);
      if (found.length > 0) walked.barriers[scheme][shown.name] = found;
    }
    for (const scheme of targets.length > 0 ? SCHEMES : []) {
      await showScheme(page, scheme);
      await page.evaluate(NOTE_LOOKS);
      for (const target of targets) {
        for (const barrier of await pointAt(page, target)) walked.faint[scheme].push(`${shown.name}, ${barrier}`);
      }
      await page.mouse.move(0, 0);
    }
    if (!shown.isSignedOut) {
      const wide = await findWidthOnPhone(page, shown.path === '/' || shown.path.startsWith('/?'));
      if (wide) walked.wider[shown.name] = wide;
      await page.setViewportSize(DESK);
    }
    // the elements that open them are named in English
    for (const form of (locale === 'en-GB' && shown.forms) || [])
      rubles.push(...findRubles(await readForm(page, form)));
    if (rubles.length > 0) walked.rubles[shown.name] = rubles;
  }
  if (locale === 'en-GB')
    process.stdout.write(`every-page.test: pointed at ${kinds.size} kinds of buttons and links\n`);
  for (const { page, browserErrors } of [owner, stranger]) {
    walked.browserErrors.push(...browserErrors);
    await page.context().close();
  }
  return walked;
}

/** Sets the system's color scheme, and waits for the console in an open page to follow it. */
async function showScheme(page: Page, colorScheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme });
  if (page.url() !== 'about:blank') await page.waitForSelector(`html[data-mantine-color-scheme=${colorScheme}]`);
}

/** Runs in the page: the text on it, and the placeholders and labels of its fields. */
const ALL_TEXT = `[
  document.title,
  document.body.innerText,
  ...[...document.querySelectorAll('input, textarea, [placeholder], [aria-label], [title]')].flatMap((one) => [
    one.value, one.placeholder, one.title, one.getAttribute('aria-label'),
  ]),
].join('\\n')`;

/** The API field has rubles in its name in every currency. */
const findRubles = (text: string): string[] =>
  text.replaceAll('spool_price_rub', '').match(/.*(?:₽|\bRUB\b|[Rr]o?uble|[Рр]убл).*/g) ?? [];

/** Opens a form of a page and closes it again. @returns its text */
async function readForm(page: Page, opener: string): Promise<string> {
  await page.locator(opener).first().click();
  await page.getByRole('dialog').last().waitFor();
  await settle(page);
  const text = await page.evaluate<string>(ALL_TEXT);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return text;
}

const walks = new Map<Locale, Promise<Walk>>();

/** Walks once; the first test that needs the result waits for it. */
function walkIn(locale: Locale): Promise<Walk> {
  const begun = walks.get(locale) ?? walk(locale);
  walks.set(locale, begun);
  return begun;
}

/** The visible buttons and links, of those that look alike only the first of all pages. */
async function findTargets(page: Page, kinds: Set<string>): Promise<ElementHandle[]> {
  // not locators, which would find another element when the page changes
  const shown = await page.evaluateHandle(SHOWN_TARGETS);
  const looks = await shown.evaluate((all: { look: string }[]) => all.map(({ look }) => look));
  const targets: ElementHandle[] = [];
  for (const [index, look] of looks.entries()) {
    if (kinds.has(look)) continue;
    kinds.add(look);
    const one = await shown.evaluateHandle((all: { one: unknown }[], at) => all[at]?.one, index);
    targets.push(one.asElement() as ElementHandle);
  }
  return targets;
}

/** Runs in the page: what can be hovered over, and how it looks. */
const SHOWN_TARGETS = `[...document.querySelectorAll('button:enabled, a')]
  .filter((one) => {
    const { top, bottom, width, height } = one.getBoundingClientRect();
    return width * height > 0 && top >= 0 && bottom <= innerHeight && one.checkVisibility({ visibilityProperty: true });
  })
  .map((one) => ({ one, look: one.getAttribute('class') + ' ' + one.getAttribute('style') }))`;

/** Runs in the page: records how everything looks while nothing is hovered over. */
const NOTE_LOOKS = `(() => {
  globalThis.lookOf = (one) => {
    const { color, background, opacity, filter } = getComputedStyle(one);
    return [color, background, opacity, filter].join();
  };
  globalThis.looks = new Map([...document.body.querySelectorAll('*')].map((one) => [one, lookOf(one)]));
})()`;

/** Runs in the page: what looks different from its record. */
const CHANGED = `[...document.body.querySelectorAll('*')].filter((one) => looks.get(one) !== lookOf(one))`;

/**
 * Elements with low contrast while a button or link is hovered over. What does not change on hover was checked before.
 */
async function pointAt(page: Page, target: ElementHandle): Promise<string[]> {
  await target.hover();
  const text = await target.textContent();
  return (await findAccessibilityIssues(page, COLOR_RULES, CHANGED)).map((barrier) => `at "${text}": ${barrier}`);
}

/** The width of a page on a phone if it is wider than the phone; the board may scroll within itself. */
async function findWidthOnPhone(page: Page, isBoard: boolean) {
  await page.setViewportSize(PHONE);
  await settle(page);
  const found = (await page.evaluate(
    '({ whole: document.documentElement.scrollWidth, page: document.querySelector("main > div")?.scrollWidth })',
  )) as { whole: number; page?: number };
  return found.whole > PHONE.width || (!isBoard && (found.page ?? 0) > PHONE.width) ? found : undefined;
}

const LOOKS = SCHEMES.flatMap((colorScheme) =>
  (['en-GB', 'ru-RU'] as const).map((locale) => ({ colorScheme, locale })),
);

test.each(LOOKS)('has no accessibility issues: $colorScheme, $locale', async ({ colorScheme, locale }) => {
  const { barriers, browserErrors } = await walkIn(locale);
  expect(barriers[colorScheme]).toEqual({});
  expect(browserErrors).toEqual([]);
});

test.each(SCHEMES)('keeps contrast on hover: %s', async (colorScheme) => {
  const { faint } = await walkIn('en-GB');
  expect(faint[colorScheme]).toEqual([]);
});

test.each(['en-GB', 'ru-RU'] as const)('fits every page on a phone: %s', async (locale) => {
  const { wider } = await walkIn(locale);
  expect(wider).toEqual({});
});

test('gives every page its own title in the console’s language', async () => {
  const [{ titles }, { titles: russian }] = [await walkIn('en-GB'), await walkIn('ru-RU')];
  expect(titles).toMatchObject({
    board: 'Board · Farmboard',
    orders: 'Orders · Farmboard',
    draft: 'Draft · Farmboard',
  });
  expect(russian).toMatchObject({ board: 'Доска · Farmboard', orders: 'Заказы · Farmboard' });
  for (const title of [...Object.values(titles), ...Object.values(russian)])
    expect(title).toMatch(/^\S.* · Farmboard$/);
  const inConsole = PAGES.filter(({ isSignedOut }) => !isSignedOut).map(({ name }) => titles[name]);
  expect(inConsole.filter((title, index) => inConsole.indexOf(title) !== index)).toEqual([]);
});

describe('an account in euros whose orders are all in euros', () => {
  test.each(['en-GB', 'ru-RU'] as const)('shows rubles on no page: %s', async (locale) => {
    const { rubles } = await walkIn(locale);
    expect(rubles).toEqual({});
  });

  test('uses no rubles in exports, invoices and chat messages', async () => {
    const { page } = await farm.look('/orders');
    await settle(page);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const csv = readFileSync(await file.path(), 'utf8');
    expect([findRubles(csv), csv.includes(',EUR,')]).toEqual([[], true]);

    const invoice = await farm.askConsole<{ pay_url: string; number: string }>('GET', `/invoices/${ids.invoice}`);
    for (const path of ['', '?lang=ru', '/document']) {
      const text = await (await fetch(`${invoice.pay_url}${path}`)).text();
      expect([path, findRubles(text), text.includes('EUR')]).toEqual([path, [], true]);
    }
    const pdf = Buffer.from(await (await fetch(`${invoice.pay_url}/invoice.pdf`)).arrayBuffer());
    const { text } = await readPdf(pdf);
    expect([findRubles(text), text.includes('EUR')]).toEqual([[], true]);

    const provider = await farm.askConsole<{ id: string; secret: string }>('POST', '/payment-providers', {
      kind: 'notification',
      name: 'Bank',
    });
    const raw = JSON.stringify({
      id: 'paid-1',
      type: 'payment',
      invoice: invoice.number,
      amount: 5_000,
      currency: 'EUR',
      paid_at: new Date().toISOString(),
    });
    const signature = signNotification(provider.secret, raw, Math.floor(Date.now() / 1000));
    expect((await send(`${farm.service.origin}/payments/notification/${provider.id}`, raw, signature)).status).toBe(
      200,
    );
    await chat.until((all) => all.length >= 2);
    const told = chat.received.map(({ raw }) => raw.toString()).join('\n');
    expect([findRubles(told), told.includes(' paid: 50.00 EUR')]).toEqual([[], true]);
  });
});
