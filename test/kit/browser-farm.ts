import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launch, type Visitor, visit } from './chromium.ts';
import { createDataFolder, type Env, farmboard, startService } from './service.ts';

export const OWNER = { email: 'owner@farm.example', name: 'Farm', password: 'correct horse battery' };

const { makeRequests } = require('./public-profile.cjs') as {
  makeRequests(plan: object): Promise<string>;
};

export interface ConsolePage {
  name: string;
  path: string;
  isDoor?: boolean;
  forms?: string[];
}
/** Of the records whose pages are shown. */
export type ShownIds = Record<'order' | 'filament' | 'printer' | 'lead' | 'draft' | 'invoice', string>;

const { PAGES, isSettled, pathOf } = require('./pages.cjs') as {
  PAGES: ConsolePage[];
  isSettled(): boolean;
  pathOf(page: ConsolePage, ids: ShownIds): string;
};

export { PAGES };

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export type Farm = Awaited<ReturnType<typeof openFarm>>;

/** A running service with one owner, and a browser in which that owner signs in without the form. */
export async function openFarm({ demo = false, env = {} }: { demo?: boolean; env?: Env } = {}) {
  const folder = createDataFolder('sqlite');
  const service = await startService({ ...folder.env, ...env });
  const browser = await launch();
  const { email, name, password } = OWNER;
  await farmboard(['account', 'create', '--email', email, '--name', name, '--password', password], folder.env);
  const token = (await farmboard(['token', 'create', '--email', email, '--name', 'tests'], folder.env)).stdout.trim();
  if (demo) await farmboard(['demo', '--email', email], folder.env);

  return {
    service,
    browser,
    token,
    env: folder.env,

    /** A browser of its own that is signed in and shows a page of the console, such as `/stock`. */
    async visit(path: string, options: BrowserContextOptions = {}, where = browser): Promise<Visitor> {
      const visitor = await visit(where, service.origin, options);
      const answer = await visitor.page.context().request.post(`${service.origin}/console/api/session`, {
        data: { email, password },
        headers: { Origin: service.origin, 'Sec-Fetch-Site': 'same-origin' },
      });
      expect(answer.status()).toBe(200);
      await visitor.page.goto(`${service.origin}/console${path}`);
      return visitor;
    },

    /** A public profile, and requests that came from it. @returns the id of the newest */
    async makeRequests(more: { profile?: object; requests?: object[] } = {}): Promise<string> {
      const { page } = await this.visit('/account');
      const { request } = page.context();
      const id = await makeRequests({ origin: service.origin, request, ...more });
      await page.context().close();
      return id;
    },

    /** Through the interface, as an automation does it. */
    async ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(`${service.baseUrl}${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (response.status === 204 ? undefined : await response.json()) as T;
    },

    async close(): Promise<void> {
      await browser.close();
      await service.stop();
      folder.remove();
    },
  };
}

/** Until nothing is being waited for any more. */
export const settle = (page: Page) => page.waitForFunction(isSettled);

export async function showPage({ service }: Farm, page: Page, shown: ConsolePage, ids: ShownIds): Promise<void> {
  await page.goto(`${service.origin}/console${pathOf(shown, ids)}`);
  await settle(page);
}

/** As a page of the console asks its door. */
export async function askConsole<T = Record<string, unknown>>(
  { service }: Pick<Farm, 'service'>,
  page: Page,
  method: string,
  path: string,
  data?: unknown,
): Promise<T> {
  const answer = await page.context().request.fetch(`${service.origin}/console/api${path}`, {
    method,
    data,
    headers: { Origin: service.origin, 'Sec-Fetch-Site': 'same-origin' },
  });
  expect([method, path, answer.ok(), answer.ok() ? '' : await answer.text()]).toEqual([method, path, true, '']);
  return (answer.status() === 204 ? undefined : await answer.json()) as T;
}

/** An issued invoice with a line for each text, and a draft of the first. @returns their ids */
export async function makeInvoices(farm: Farm, texts = ['Wall bracket', 'Express']) {
  const { page } = await farm.visit('/account');
  const make = async (path: string, data: object) =>
    (await askConsole<{ id: string }>(farm, page, 'POST', path, data)).id;
  const [customer_name = ''] = texts;
  const [note, customer_details] = [texts.at(-2), texts.at(-1)];
  const lines = texts.map((description) => ({ description, quantity: 2, unit_price: 1_250 }));
  await askConsole(farm, page, 'PUT', '/invoice-seller', { name: texts[0], address: note, bank_details: note });
  const invoice = await make('/invoices', { customer_name, customer_details, note, lines });
  await make(`/invoices/${invoice}/issue`, {});
  const draft = await make('/invoices', { customer_name, lines: lines.slice(0, 1) });
  await page.context().close();
  return { invoice, draft };
}

/** What an agent says at its own door. @returns the status and the body */
export async function report(farm: Pick<Farm, 'service'>, token: string, body: object) {
  const answer = await fetch(`${farm.service.origin}/agent/v1/reports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ event_id: String(Math.random()), filename: 'bracket.gcode', outcome: 'finished', ...body }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Prints of every outcome of a printer, by an agent of its own. */
export async function reportPrints(farm: Farm, printer_id: string, names = ['bracket.gcode', 'vase.gcode', 'x.gcode']) {
  const { page } = await farm.visit('/account');
  const { token } = await askConsole<{ token: string }>(farm, page, 'POST', '/agents', { name: names[0], printer_id });
  await askConsole(farm, page, 'PUT', `/printers/${printer_id}/rules`, { book_grams: true, on_failed: 'print_error' });
  const outcomes = ['finished', 'failed', 'cancelled'];
  for (const [index, filename] of names.entries()) {
    const outcome = outcomes[index % outcomes.length];
    const told = await report(farm, token, { filename, outcome, grams: 12.5, reason: filename });
    expect(told.status).toBe(201);
  }
  await page.context().close();
}

/** What axe finds that keeps somebody out: name and place. */
export async function findBarriers(page: Page): Promise<string[]> {
  // what fades in or out is pale for a moment; what turns for ever is not waited for
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity).map((one) => one.finished)).then(() => undefined)',
  );
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
