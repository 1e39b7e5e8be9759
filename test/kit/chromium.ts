import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { PATIENCE_MS } from './eventually.ts';

declare global {
  // provided by the environment (`environment.cjs`)
  var PLAYWRIGHT: typeof import('playwright-core');
}

const { findChromium } = require('./chromium.cjs') as { findChromium(): string | undefined };

/** @param args on top of what every suite needs */
export const launch = (args: string[] = []): Promise<Browser> =>
  PLAYWRIGHT.chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // most pages live for seconds: optimizing their code takes more processor time than it saves
      '--js-flags=--no-opt --no-maglev',
      ...args,
    ],
  });

export interface VisitOptions extends BrowserContextOptions {
  /** The theme chosen in the console before; the system's by default. */
  language?: string;
  /** The cookies of a session. */
  cookies?: Awaited<ReturnType<BrowserContext['storageState']>>['cookies'];
  /** Whether the whole viewport is painted, for screenshots and the mouse wheel. */
  isPainted?: boolean;
}

export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** How much of a page is painted otherwise, in pixels. */
const PAINTED = { width: 64, height: 40 };

/** Where a browser stores the chosen language. */
export const LANGUAGE = 'farmboard-language';

export interface Visitor {
  page: Page;
  /** What is wrong with a page: exceptions, console errors, requests to another host or an undocumented route. */
  browserErrors: string[];
}

const CONSOLE_API = '/console/api';

const unanswered = new WeakMap<Page, Set<Request>>();

/** How many responses a page waits for, except the stream of live updates, which never ends. */
export const countUnanswered = (page: Page): number => unanswered.get(page)?.size ?? 0;

function watchRequests(page: Page): void {
  const open = new Set<Request>();
  unanswered.set(page, open);
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/**
 * Paints only a corner of the page, because painting takes a third of the processor time of loading it. Layout, styles
 * and pointer input use the whole viewport.
 */
async function paintCorner(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  page.setViewportSize = async (size) => {
    await devTools.send('Emulation.setVisibleSize', PAINTED);
    const metrics = { ...size, deviceScaleFactor: 1, mobile: false, dontSetVisibleSize: true };
    await devTools.send('Emulation.setDeviceMetricsOverride', metrics);
  };
  await page.setViewportSize(page.viewportSize() ?? DESK);
}

/** A browser context: it shares no cookies, storage or language with others. */
export async function visit(
  browser: Browser,
  origin: string,
  { language, cookies = [], isPainted = false, ...options }: VisitOptions = {},
): Promise<Visitor> {
  const { isDocumented } = await CHECKER_OF(origin, CONSOLE_API);
  const localStorage = language === undefined ? [] : [{ name: LANGUAGE, value: language }];
  const storageState = { cookies, origins: [{ origin, localStorage }] };
  // reduced motion disables transitions, so elements appear at once
  const look = { locale: 'en-GB', viewport: DESK, reducedMotion: 'reduce' } as const;
  const context = await browser.newContext({ storageState, ...look, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  context.on('page', watchRequests);
  const page = await context.newPage();
  if (!isPainted) await paintCorner(page);
  const browserErrors: string[] = [];
  page.on('pageerror', (error) => browserErrors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // the browser logs only the status of what could not be loaded
    const { url } = message.location();
    browserErrors.push(url.startsWith(origin) ? `${message.text()} ${url.slice(origin.length)}` : message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(data|blob):$/.test(url.protocol)) return;
    const isOurs =
      url.origin === origin &&
      (!url.pathname.startsWith(CONSOLE_API) || isDocumented(request.method(), url.pathname.slice(CONSOLE_API.length)));
    if (!isOurs) browserErrors.push(`${request.method()} ${request.url()}`);
  });
  return { page, browserErrors };
}
