// A server on a temporary database and a Chromium, for manual runs: screenshots and measurements.
const { spawn, execFileSync } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { chromium } = require('playwright-core');
const { findChromium } = require('./chromium.cjs');

const LAUNCHER = resolve(__dirname, '../../backend/bin/farmboard.js');
const OWNER = { email: 'owner@farm.example', password: 'thrown away with the farm' };

/**
 * @param {{ stdout: NodeJS.ReadableStream }} service
 * @returns {Promise<string>} the address, as soon as it listens
 */
async function addressOf(service) {
  for await (const line of createInterface({ input: service.stdout })) {
    const { url } = JSON.parse(line);
    if (url) return url;
  }
  throw new Error('the service ended before it listened');
}

/**
 * @typedef {object} TemporaryFarm
 * @property {import('playwright-core').Browser} browser
 * @property {string} origin
 * @property {{ email: string, password: string }} owner
 * @property {(method: string, path: string, body?: unknown) => Promise<any>} ask a request to the automation API
 * @property {(context: import('playwright-core').BrowserContext) => Promise<unknown>} signIn
 */

/**
 * Runs `work` with a farm of one owner and removes everything afterwards.
 * @param {{ demo?: boolean, env?: Record<string, string> }} options
 * @param {(farm: TemporaryFarm) => Promise<unknown>} work
 */
exports.withFarm = async ({ demo, env: settings = {} }, work) => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-'));
  const database = { DATABASE_URL: `sqlite:${join(folder, 'farm.sqlite3')}`, PORT: '0', RATE_LIMIT_PER_MINUTE: '0' };
  const env = { ...process.env, ...database, ...settings };
  /** @param {string[]} args */
  const run = (...args) => execFileSync(process.execPath, [LAUNCHER, ...args], { env }).toString();
  run(
    'account',
    'create',
    '--email',
    OWNER.email,
    '--name',
    'Demo farm',
    '--password',
    OWNER.password,
    '--currency',
    'EUR',
  );
  if (demo) run('demo', '--email', OWNER.email);
  const token = run('token', 'create', '--email', OWNER.email, '--name', 'n8n').trim();
  const service = spawn(process.execPath, [LAUNCHER, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
  try {
    const origin = await addressOf(service);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    await work({
      browser,
      origin,
      owner: OWNER,
      ask: async (method, path, body) => {
        const answer = await fetch(`${origin}/api/v1${path}`, {
          method,
          headers,
          body: body ? JSON.stringify(body) : null,
        });
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
        return answer.json();
      },
      signIn: (context) =>
        context.request.post(`${origin}/console/api/session`, {
          data: OWNER,
          headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
        }),
    });
  } finally {
    await browser.close();
    service.kill();
    await new Promise((done) => service.once('exit', done));
    rmSync(folder, { recursive: true, force: true });
  }
};
