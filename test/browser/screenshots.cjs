// `npm run screenshots`: starts a service on a throw-away database with the sample farm and takes the pictures of every
// page into docs/images: light, dark, and light at the width of a phone.
const { spawn, execFileSync } = require('node:child_process');
const { mkdirSync, mkdtempSync, rmSync } = require('node:fs');
const { createServer } = require('node:http');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { chromium } = require('playwright-core');
const { findChromium } = require('../support/browser.cjs');
const { PAGES, isSettled, pathOf } = require('./pages.cjs');

const LAUNCHER = resolve(__dirname, '../../backend/bin/farmboard.js');
const OUT = resolve(__dirname, '../../docs/images');
const OWNER = { email: 'owner@farm.example', password: 'a picture needs no secret' };
const DESK = { width: 1280, height: 800 };
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: DESK },
  { name: 'dark', colorScheme: 'dark', viewport: DESK },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

async function startFarm(folder) {
  const env = { ...process.env, DATABASE_URL: `sqlite:${join(folder, 'farm.sqlite3')}`, PORT: '0' };
  const run = (...args) => execFileSync(process.execPath, [LAUNCHER, ...args], { env }).toString();
  run('account', 'create', '--email', OWNER.email, '--name', 'Demo farm', '--password', OWNER.password);
  run('demo', '--email', OWNER.email);
  const token = run('token', 'create', '--email', OWNER.email, '--name', 'n8n').trim();
  const service = spawn(process.execPath, [LAUNCHER, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: service.stdout })) {
    const { url } = JSON.parse(line);
    if (url) return { service, origin: url, token };
  }
  throw new Error('the service ended before it listened');
}

/** Somebody who listens and somebody who does not: what an automation looks like after a day. */
async function makeTraffic(origin, token, orders) {
  const receiver = createServer((_req, res) => res.writeHead(204).end());
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
  const ask = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    return answer.json();
  };
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

async function main() {
  mkdirSync(OUT, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-pictures-'));
  const { service, origin, token } = await startFarm(folder);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
  let receiver;
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const listOf = async (path) => (await (await fetch(`${origin}/api/v1${path}`, { headers })).json()).items;
    const orders = await listOf('/print-jobs?workflow_status=printing');
    receiver = await makeTraffic(origin, token, orders);
    const [done] = await listOf('/print-jobs?workflow_status=done');
    const [filament] = await listOf('/filaments?q=PETG%20Black');
    const ids = { order: done.id, filament: filament.id };
    for (const look of LOOKS) {
      const options = { locale: 'en-GB', viewport: look.viewport, colorScheme: look.colorScheme };
      const stranger = await browser.newContext(options);
      const owner = await browser.newContext(options);
      await owner.request.post(`${origin}/console/api/session`, {
        data: OWNER,
        headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
      });
      for (const page of PAGES) {
        const tab = await (page.isDoor ? stranger : owner).newPage();
        await tab.goto(`${origin}/console${pathOf(page, ids)}`);
        await tab.waitForFunction(isSettled);
        // what slides in has slid in, charts have drawn their lines
        await tab.waitForTimeout(1_800);
        await tab.screenshot({ path: join(OUT, `${page.name}-${look.name}.png`) });
        await tab.close();
        process.stdout.write(`${page.name}-${look.name}.png\n`);
      }
      await stranger.close();
      await owner.close();
    }
  } finally {
    await browser.close();
    receiver?.close();
    receiver?.closeAllConnections();
    service.kill();
    await new Promise((done) => service.once('exit', done));
    rmSync(folder, { recursive: true, force: true });
  }
}

main();
