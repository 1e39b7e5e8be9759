// `npm run screenshots`: starts a service on a throw-away database with the sample farm and takes the pictures of every
// page into docs/images: light, dark, and light at the width of a phone.
const { mkdirSync } = require('node:fs');
const { createServer } = require('node:http');
const { join, resolve } = require('node:path');
const { PAGES, isSettled, pathOf } = require('./pages.cjs');
const { withFarm } = require('./throw-away.cjs');

const OUT = resolve(__dirname, '../../docs/images');
const DESK = { width: 1280, height: 800 };
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: DESK },
  { name: 'dark', colorScheme: 'dark', viewport: DESK },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

/** Somebody who listens and somebody who does not: what an automation looks like after a day. */
async function makeTraffic(ask, orders) {
  const receiver = createServer((_req, res) => res.writeHead(204).end());
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${receiver.address().port}/webhook/farmboard`;
  const events = ['order.created', 'order.status_changed', 'filament.low_stock'];
  const good = await ask('POST', '/webhook-subscriptions', { url, events, name: 'n8n' });
  const bad = await ask('POST', '/webhook-subscriptions', {
    url: 'http://127.0.0.1:9/discord',
    events: ['order.created'],
    name: 'Chat of the workshop',
  });
  for (const { id } of orders.slice(0, 3)) await ask('PUT', `/print-jobs/${id}`, { workflow_status: 'packing' });
  for (const { id } of [good, bad]) await ask('POST', `/webhook-subscriptions/${id}/test`, {});
  return receiver;
}

withFarm({ demo: true }, async ({ browser, origin, ask, signIn }) => {
  mkdirSync(OUT, { recursive: true });
  const listOf = async (path) => (await ask('GET', path)).items;
  const orders = await listOf('/print-jobs?workflow_status=printing');
  const receiver = await makeTraffic(ask, orders);
  const [done] = await listOf('/print-jobs?workflow_status=done');
  const [filament] = await listOf('/filaments?q=PETG%20Black');
  const ids = { order: done.id, filament: filament.id };
  for (const { name, ...look } of LOOKS) {
    const options = { locale: 'en-GB', ...look };
    const stranger = await browser.newContext(options);
    const owner = await browser.newContext(options);
    await signIn(owner);
    for (const page of PAGES) {
      const tab = await (page.isDoor ? stranger : owner).newPage();
      await tab.goto(`${origin}/console${pathOf(page, ids)}`);
      await tab.waitForFunction(isSettled);
      // what slides in has slid in, charts have drawn their lines
      await tab.waitForTimeout(1_800);
      await tab.screenshot({ path: join(OUT, `${page.name}-${name}.png`) });
      await tab.close();
      process.stdout.write(`${page.name}-${name}.png\n`);
    }
    await stranger.close();
    await owner.close();
  }
  receiver.close();
  receiver.closeAllConnections();
});
