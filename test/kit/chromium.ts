import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const { findChromium } = require('./chromium.cjs') as { findChromium(): string | undefined };

/** @param args on top of what every suite needs */
export const launch = (args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });

export interface Visitor {
  page: Page;
  /** what is wrong with a page: exceptions, errors in its console, requests to another host or by no documented route */
  complaints: string[];
}

const DOOR = '/console/api';

/** Whether the door's OpenAPI document has an operation. */
async function readRoutes(origin: string): Promise<(method: string, path: string) => boolean> {
  const answer = await fetch(`${origin}${DOOR}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> };
  const routes = Object.entries(paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${DOOR}${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(operations).map((method) => method.toUpperCase()),
  }));
  return (method, path) => routes.some(({ pattern, methods }) => methods.includes(method) && pattern.test(path));
}

/** A browser of its own: cookies, storage and language are shared with no other visitor. */
export async function visit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const isDocumented = await readRoutes(origin);
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // of what could not be loaded the browser says the status alone
    const { url } = message.location();
    complaints.push(url.startsWith(origin) ? `${message.text()} ${url.slice(origin.length)}` : message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(data|blob):$/.test(url.protocol)) return;
    const isOurs =
      url.origin === origin && (!url.pathname.startsWith(DOOR) || isDocumented(request.method(), url.pathname));
    if (!isOurs) complaints.push(`${request.method()} ${request.url()}`);
  });
  return { page, complaints };
}
