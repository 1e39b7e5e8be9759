import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const { findChromium } = require('./browser.cjs') as { findChromium(): string | undefined };

/** @param args more switches than every test has */
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
  /** what the browser complained of: exceptions, errors in its console, requests to another host */
  complaints: string[];
}

/** A browser of its own: cookies, storage and language are shared with no other visitor. */
export async function visit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url())) complaints.push(request.url());
  });
  return { page, complaints };
}
