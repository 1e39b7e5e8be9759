import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { countUnanswered, DESK, LANGUAGE, launch, PHONE, type VisitOptions, type Visitor, visit } from './chromium.ts';
import { expectSoon, PATIENCE_MS } from './eventually.ts';
import { times } from './length.ts';
import { createAccountWithToken, createDataFolder, type Env, farmboard, startService } from './service.ts';

/** Credentials for the sign-up form. */
export const OWNER = { email: 'owner@farm.example', name: 'Farm', password: 'correct horse battery' };

const { createRequests } = require('./public-profile.cjs') as {
  createRequests(plan: object): Promise<string>;
};

export interface ConsolePage {
  name: string;
  path: string;
  isSignedOut?: boolean;
  forms?: string[];
}
/** IDs of the records whose pages are shown. */
export type ShownIds = Record<'order' | 'filament' | 'printer' | 'lead' | 'draft' | 'invoice', string>;

const { PAGES, isSettled, pathOf } = require('./pages.cjs') as {
  PAGES: ConsolePage[];
  isSettled(): boolean;
  pathOf(page: ConsolePage, ids: ShownIds): string;
};

export { PAGES };

/** axe with the rules of serious and critical impact and those of landmarks; `page.evaluate(AXE)` loads it. */
const AXE = `${readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')};
  for (const rule of axe._audit.rules) {
    rule.enabled &&= ['serious', 'critical'].includes(rule.impact) || rule.id.startsWith('landmark');
  }`;

export type Farm = Awaited<ReturnType<typeof openFarm>>;

/** A variant of the console: viewport, color scheme and language. */
export interface Look {
  colorScheme?: 'light' | 'dark';
  language?: string;
  viewport?: { width: number; height: number };
}

/**
 * The looks in which a page and its forms are checked. The short form has each viewport, color scheme and language once;
 * `every-page.test.ts` uses all four combinations of scheme and language.
 */
export const LOOKS = [
  { colorScheme: 'light', language: 'en', viewport: DESK },
  { colorScheme: 'dark', language: 'ru', viewport: PHONE },
  { colorScheme: 'dark', language: 'en', viewport: DESK },
  { colorScheme: 'light', language: 'ru', viewport: PHONE },
].slice(0, times(2, 4)) as Required<Look>[];

/** A session for requests without a page. */
async function signIn(origin: string, owner: { email: string; password: string }) {
  const headers = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
  const client = await PLAYWRIGHT.request.newContext({ extraHTTPHeaders: headers, timeout: PATIENCE_MS });
  const answer = await client.post(`${origin}/console/api/session`, { data: owner });
  expect(answer.status()).toBe(200);
  return client;
}

/** A running service with one owner, and a browser in which that owner signs in without the form. */
export async function openFarm({
  demo = false,
  currency,
  env = {},
}: {
  demo?: boolean;
  /** The account's currency; RUB by default. */
  currency?: string;
  env?: Env;
} = {}) {
  const folder = createDataFolder('sqlite');
  const service = await startService({ ...folder.env, ...env });
  const [account, browser] = await Promise.all([createAccountWithToken(folder.env), launch()]);
  const owner = { email: account.email, password: OWNER.password };

  let session: ReturnType<typeof signIn> | undefined;
  const getSession = () => {
    session ??= signIn(service.origin, owner);
    return session;
  };
  let look: Visitor | undefined;

  /** A browser context that shares one session and shows nothing yet. */
  async function enter(options: VisitOptions = {}, where = browser): Promise<Visitor> {
    const { cookies } = await (await getSession()).storageState();
    return visit(where, service.origin, { ...options, cookies });
  }

  const open = (page: Page, path: string) => page.goto(`${service.origin}/console${path}`);

  /** Sends a request like a page of the console, in the shared session. */
  async function requestConsole<T = { id: string }>(method: string, path: string, data?: unknown): Promise<T> {
    const ask = async () => (await getSession()).fetch(`${service.origin}/console/api${path}`, { method, data });
    let answer = await ask();
    // ten minutes after signing in, in a slow suite
    if (answer.status() === 403 && (await answer.text()).includes('password_required')) {
      const check = { data: { password: owner.password } };
      expect((await (await getSession()).post(`${service.origin}/console/api/password-check`, check)).ok()).toBe(true);
      answer = await ask();
    }
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return (answer.status() === 204 ? undefined : await answer.json()) as T;
  }

  if (currency) await requestConsole('PUT', '/account', { currency });
  if (demo) await farmboard(['demo', '--email', owner.email], folder.env);

  return {
    service,
    browser,
    owner,
    token: account.token,
    env: folder.env,
    file: folder.file,
    enter,
    open,
    askConsole: requestConsole,

    /** A browser context that is signed in and shows a page of the console, such as `/stock`. */
    async visit(path: string, options?: VisitOptions, where = browser): Promise<Visitor> {
      const visitor = await enter(options, where);
      await open(visitor.page, path);
      return visitor;
    },

    /** A page of the console in a look. One context shows all of them, so the console's code is compiled once. */
    async look(path: string, { colorScheme = 'light', language = 'en', viewport = DESK }: Look = {}): Promise<Visitor> {
      look ??= await enter({ language });
      const { page } = look;
      if (page.url() !== 'about:blank') await page.evaluate(`localStorage.setItem('${LANGUAGE}', '${language}')`);
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await open(page, path);
      return look;
    },

    /** A public profile and requests that came from it. @returns the id of the newest */
    createRequests: async (more: { profile?: object; requests?: object[] } = {}): Promise<string> =>
      createRequests({ origin: service.origin, request: await getSession(), ...more }),

    /** Through the API, like an automation. */
    async ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(`${service.baseUrl}${path}`, {
        method,
        headers: { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (response.status === 204 ? undefined : await response.json()) as T;
    },

    async close(): Promise<void> {
      await (await session)?.dispose();
      await browser.close();
      await service.stop();
      folder.remove();
    },
  };
}

/** Signs in by the form, which must be shown. */
export async function signInByForm(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Waits until all requests are answered and the layout is stable. */
export async function settle(page: Page): Promise<void> {
  do {
    await expectSoon(() => countUnanswered(page), 0);
    await page.waitForFunction(isSettled);
    await waitUntilStill(page);
  } while (countUnanswered(page) > 0);
}

/** Waits until transitions have ended; Mantine starts them up to three frames late. Endless animations are ignored. */
const waitUntilStill = (page: Page) =>
  page.evaluate(`(async () => {
    for (let frames = 0; frames < 4; frames += 1) {
      await new Promise(requestAnimationFrame);
      const moving = document.getAnimations().filter(
        (one) => one.playState === 'running' && one.effect?.getComputedTiming().iterations !== Infinity,
      );
      if (moving.length === 0) continue;
      await Promise.allSettled(moving.map((one) => one.finished));
      frames = -1;
    }
  })()`);

/** Navigates an open console to another page like its links do, without a reload. */
export const goTo = (page: Page, path: string) =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);

/** Holds requests of a method to these addresses. @returns a function that sends them; later ones go out at once */
export async function holdRequests(page: Page, method: string, addresses: string): Promise<() => void> {
  let send = () => {};
  const isSent = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route(addresses, async (route) => {
    if (route.request().method() === method) await isSent;
    await route.continue();
  });
  return send;
}

/** @param open whether to load the page (`farm.open`) or to navigate to it */
export async function showPage(
  { open }: { open(page: Page, path: string): Promise<unknown> },
  page: Page,
  shown: ConsolePage,
  ids: ShownIds,
): Promise<void> {
  await open(page, pathOf(shown, ids));
  await settle(page);
}

/**
 * Creates an issued invoice with a line for each text, and a draft of the first.
 * @param notInPdf further texts of the draft, with letters because of which it can't be issued
 * @returns their ids
 */
export async function createInvoices(
  { askConsole: requestConsole }: Farm,
  texts = ['Wall bracket', 'Express'],
  notInPdf: readonly string[] = [],
) {
  const make = async (path: string, data: object) => (await requestConsole('POST', path, data)).id;
  const [customer_name = ''] = texts;
  const [note, customer_details] = [texts.at(-2), texts.at(-1)];
  const toLines = (all: readonly (string | undefined)[]) =>
    all.map((description) => ({ description, quantity: 2, unit_price: 1_250 }));
  await requestConsole('PUT', '/invoice-seller', { name: texts[0], address: note, bank_details: note });
  const invoice = await make('/invoices', { customer_name, customer_details, note, lines: toLines(texts) });
  await make(`/invoices/${invoice}/issue`, {});
  const draft = await make('/invoices', { customer_name, lines: toLines([texts[0], ...notInPdf]) });
  return { invoice, draft };
}

/** Reports through the agent API. @returns the status and the body */
export async function report(farm: Pick<Farm, 'service'>, token: string, body: object) {
  const answer = await fetch(`${farm.service.origin}/agent/v1/reports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event_id: String(Math.random()), filename: 'bracket.gcode', outcome: 'finished', ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Reports prints of every outcome of a printer, by its own agent. */
export async function reportPrints(farm: Farm, printer_id: string, names = ['bracket.gcode', 'vase.gcode', 'x.gcode']) {
  const { token } = await farm.askConsole<{ token: string }>('POST', '/agents', { name: names[0], printer_id });
  await farm.askConsole('PUT', `/printers/${printer_id}/rules`, { deduct_grams: true, on_failed: 'print_error' });
  const outcomes = ['finished', 'failed', 'cancelled'];
  for (const [index, filename] of names.entries()) {
    const outcome = outcomes[index % outcomes.length];
    const told = await report(farm, token, { filename, outcome, grams: 12.5, reason: filename });
    expect(told.status).toBe(201);
  }
}

/** The color rules of axe; the others don't depend on color scheme or hover. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Whether the content of any of the elements is wider than its element; fails if there is none.
 * @param selector of the elements; the page by default
 */
export const overflows = (page: Page, selector = 'html'): Promise<boolean> =>
  page.evaluate(
    `document.fonts.ready.then(() =>
      [...document.querySelectorAll('${selector}')].map((one) => one.scrollWidth > one.clientWidth).reduce((a, b) => a || b))`,
  );

/**
 * Serious and critical accessibility violations found by axe: rule and location.
 * @param rules all rules by default
 * @param where the document by default, or a JavaScript expression for a list of elements
 */
export async function findAccessibilityIssues(page: Page, rules?: string[], where = '[document]'): Promise<string[]> {
  await waitUntilStill(page);
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  // the console has no videos or external style sheets, which axe would load first
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
  return page.evaluate(`(async () => {
    const include = ${where};
    if (include.length === 0) return [];
    const { violations } = await axe.run({ include }, ${JSON.stringify(options)});
    return violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html);
  })()`);
}
