// `npm run screenshots`: starts a service on a temporary database with the sample farm and takes the pictures that the
// documents show into docs/images: light, dark, light at the width of a phone, and the moving one. With names of pages,
// those pages into the folder `screenshots`, to look at.
const { once } = require('node:events');
const { mkdirSync, readdirSync, readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join, resolve } = require('node:path');
const { PAGES, isSettled, pathOf } = require('../kit/pages.cjs');
const { createRequests } = require('../kit/public-profile.cjs');
const { withFarm } = require('../kit/temporary-farm.cjs');
const { recordBoard } = require('./moving-board.cjs');

/** @typedef {(method: string, path: string, body?: unknown) => Promise<any>} Ask */

const ROOT = resolve(__dirname, '../..');
const ASKED = process.argv.slice(2);
const OUT = join(ROOT, ASKED.length > 0 ? 'screenshots' : 'docs/images');
const DESK = { width: 1280, height: 800 };
/** @type {{ name: string, colorScheme: 'light' | 'dark', viewport: typeof DESK }[]} */
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: DESK },
  { name: 'dark', colorScheme: 'dark', viewport: DESK },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

/** The names of the pictures that README.md and docs/ show. */
function readShown() {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const texts = ['README.md', ...pages.map((page) => join('docs', page))].map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  return new Set(texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+)\.png/g)].map(([, name]) => name)));
}

const SHOWN = readShown();

/** The sections of the Connect page that the pages of hubs show, by the names of their pictures. */
const HUBS = { 'connect-home-assistant': 'Home Assistant', 'connect-node-red': 'Node-RED', 'connect-curl': 'curl' };

/** @type {(page: string, look: string) => boolean} */
const isWanted = (page, look) => (ASKED.length > 0 ? ASKED.includes(page) : SHOWN.has(`${page}-${look}`));

/**
 * Saves a picture of a page and closes the page.
 * @param {import('playwright-core').Page} tab
 * @param {string} file
 * @param {{ fullPage?: boolean }} options
 */
async function save(tab, file, options = {}) {
  await tab.screenshot({ ...options, path: join(OUT, file) });
  await tab.close();
  process.stdout.write(`${file}\n`);
}

/**
 * A working and a failing receiver, for realistic attempts.
 * @param {Ask} ask
 * @param {{ id: string }[]} orders
 */
async function makeTraffic(ask, orders) {
  const receiver = createServer((_req, res) => res.writeHead(204).end());
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address());
  const url = `http://127.0.0.1:${port}/webhook/farmboard`;
  const events = ['order.created', 'order.status_changed', 'filament.low_stock'];
  const good = await ask('POST', '/webhook-subscriptions', { url, events, name: 'n8n' });
  const bad = await ask('POST', '/webhook-subscriptions', {
    url: 'http://127.0.0.1:9/discord',
    events: ['order.created'],
    name: 'Workshop chat',
  });
  for (const { id } of orders.slice(0, 3)) await ask('PUT', `/print-jobs/${id}`, { workflow_status: 'packing' });
  for (const { id } of [good, bad]) await ask('POST', `/webhook-subscriptions/${id}/test`, {});
  return receiver;
}

/**
 * Sends a request of an owner's page.
 * @type {(origin: string, request: import('playwright-core').APIRequestContext) => Ask}
 */
const asOwner = (origin, request) => async (method, path, data) => {
  const headers = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
  const answer = await request.fetch(`${origin}/console/api${path}`, { method, data, headers });
  if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
};

/**
 * Prints of the last days, as an agent reports them.
 * @param {{ origin: string, ask: Ask, printer_id: string }} options
 */
async function makeReports({ origin, ask, printer_id }) {
  const { token } = await ask('POST', '/agents', { name: 'Klipper in the hall', printer_id });
  /** @type {[string, string, number, string?][]} */
  const prints = [
    ['vase spiral 0.6.gcode', 'finished', 212.5],
    ['wall bracket x4.gcode', 'finished', 182.5],
    ['lamp foot.gcode', 'cancelled', 12],
    ['gear 32 teeth.gcode', 'failed', 31.2, 'Heater extruder not heating at expected rate'],
    ['cable clip x20.gcode', 'finished', 64],
  ];
  const hour = 60 * 60_000;
  for (const [index, [filename, outcome, grams, reason]] of prints.entries()) {
    const at = new Date(Date.now() - (prints.length - index) * 5 * hour).toISOString();
    const answer = await fetch(`${origin}/agent/v1/reports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ event_id: `job-${index}`, filename, outcome, grams, at, reason }),
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

/**
 * A paid invoice, an unpaid one and a draft.
 * @param {Ask} ask
 * @returns {Promise<{ invoice: string, draft: string, pay_url: string }>} the ids of the last two, and the address of the
 *   pay page
 */
async function makeInvoices(ask) {
  await ask('PUT', '/invoice-seller', {
    name: 'North Hall 3D printing',
    address: '12 Harbour Street',
    bank_details: 'IBAN DE00 1234 5678 9012',
    default_currency: 'EUR',
  });
  await ask('POST', '/payment-providers', { kind: 'notification', name: 'Bank' });
  /** @type {(customer_name: string, lines: object[]) => Promise<{ id: string }>} */
  const make = (customer_name, lines) => ask('POST', '/invoices', { customer_name, lines });
  const paid = await make('Vera Lind', [{ description: 'Wall bracket', quantity: 4, unit_price: 1_250 }]);
  await ask('POST', `/invoices/${paid.id}/issue`, {});
  await ask('POST', `/invoices/${paid.id}/payments`, { kind: 'payment', amount: 5_000 });
  const open = await make('Joinery Olsen', [
    { description: 'Shelf bracket, black PETG', quantity: 20, unit_price: 390 },
    { description: 'Express, within three days', quantity: 1, unit_price: 2_500 },
  ]);
  const { pay_url } = await ask('POST', `/invoices/${open.id}/issue`, {});
  const draft = await make('Anna Berg', [{ description: 'Gear, 32 teeth', quantity: 1, unit_price: 1_800 }]);
  return { invoice: open.id, draft: draft.id, pay_url };
}

withFarm(
  { demo: true, env: { SIGN_UP: 'open', WEBHOOK_ALLOWED_HOSTS: 'loopback' } },
  async ({ browser, origin, ask, signIn }) => {
    mkdirSync(OUT, { recursive: true });
    /** @param {string} path */
    const listOf = async (path) => (await ask('GET', path)).items;
    const orders = await listOf('/print-jobs?workflow_status=printing');
    const receiver = await makeTraffic(ask, orders);
    const [done] = await listOf('/print-jobs?workflow_status=done');
    const [filament] = await listOf('/filaments?q=PETG%20Black');
    const [printer] = await listOf('/printers');
    const first = await browser.newContext();
    await signIn(first);
    const lead = await createRequests({ origin, request: first.request });
    const askAsOwner = asOwner(origin, first.request);
    await makeReports({ origin, ask: askAsOwner, printer_id: printer.id });
    const { invoice, draft, pay_url } = await makeInvoices(askAsOwner);
    await first.close();
    const ids = { order: done.id, filament: filament.id, printer: printer.id, lead, invoice, draft };
    for (const { name, ...look } of LOOKS) {
      const options = { locale: 'en-GB', ...look };
      const stranger = await browser.newContext(options);
      const owner = await browser.newContext(options);
      await signIn(owner);
      for (const page of PAGES.filter((one) => isWanted(one.name, name))) {
        const tab = await (page.isSignedOut ? stranger : owner).newPage();
        await tab.goto(`${origin}/console${pathOf(page, ids)}`);
        await tab.waitForFunction(isSettled);
        await tab.evaluate(() => document.fonts.ready);
        // drawers have slid in and charts have drawn their lines
        await tab.waitForTimeout(1_800);
        await save(tab, `${page.name}-${name}.png`);
      }
      for (const [picture, title] of Object.entries(HUBS).filter(([picture]) => isWanted(picture, name))) {
        const tab = await owner.newPage();
        await tab.goto(`${origin}/console/automation/connect`);
        await tab.getByRole('button', { name: 'n8n', exact: true }).click();
        const control = tab.getByRole('button', { name: title, exact: true });
        await control.click();
        await control.evaluate((button) => button.scrollIntoView());
        await tab.evaluate(() => document.fonts.ready);
        await save(tab, `${picture}-${name}.png`);
      }
      // the public pages
      for (const { page, url } of [
        { page: 'public-profile', url: `${origin}/masters/north-hall` },
        { page: 'pay', url: pay_url },
      ].filter(({ page }) => isWanted(page, name))) {
        const tab = await stranger.newPage();
        await tab.goto(url);
        await save(tab, `${page}-${name}.png`, { fullPage: true });
      }
      await stranger.close();
      await owner.close();
    }
    receiver.close();
    receiver.closeAllConnections();
    if (ASKED.length === 0 || ASKED.includes('moving-board')) {
      await recordBoard(browser, join(OUT, 'moving-board.gif'));
      process.stdout.write('moving-board.gif\n');
    }
  },
);
