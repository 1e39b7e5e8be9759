import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { OWNER } from '../kit/browser-farm.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { launch } from '../kit/chromium.ts';
import { createFirstOwner } from '../kit/console-client.ts';
import { inspectDatabase } from '../kit/database.ts';
import { expectSoon, PATIENCE_MS } from '../kit/eventually.ts';
import { freePort } from '../kit/ports.ts';
import { startReceiver } from '../kit/receiver.ts';
import { createEmptyDataFolder, startService } from '../kit/service.ts';
import { bodyForAny, listOperations, makeOneOfEach, readEverything } from '../kit/state-changing.ts';

const folder = mkdtempSync(join(tmpdir(), 'farmboard-tls-'));
let tls: { key: Buffer; cert: Buffer };
let browser: Browser;

beforeAll(async () => {
  const { key, cert } = makeCertificate(folder, 'farm.test');
  tls = { key: readFileSync(key), cert: readFileSync(cert) };
  // host names other than 127.0.0.1, for which Chromium sends no Sec-Fetch-Site on plain HTTP, as in a LAN
  browser = await launch(['--host-resolver-rules=MAP *.test 127.0.0.1', '--ignore-certificate-errors']);
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const serve = async (https: boolean, port: number, handle: (req: IncomingMessage, res: ServerResponse) => void) => {
  const server: Server = https ? createSecureServer(tls, handle) : createServer(handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
};

interface Passed {
  method: string;
  path: string;
  cookie: boolean;
  site: string | undefined;
  status: number;
}

/** A proxy in front of the service that records what browsers sent and received. */
function front(target: string, passed: Passed[]) {
  return (req: IncomingMessage, res: ServerResponse) => {
    const { method = '', url: path = '', headers } = req;
    const onward = request(`${target}${path}`, { method, headers }, (answer) => {
      const site = headers['sec-fetch-site'] as string | undefined;
      passed.push({ method, path, cookie: headers.cookie !== undefined, site, status: answer.statusCode ?? 0 });
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  };
}

const { attack } = require('./attack.cjs') as {
  attack(plan: [string, { method: string; path: string }[], string]): Promise<{ tried: number; read: string[] }>;
};

test.each(['https', 'http'] as const)(
  'over %s, pages of another site and of a sibling domain can’t change or read anything',
  async (scheme) => {
    const data = createEmptyDataFolder('sqlite');
    const receiver = await startReceiver();
    const port = await freePort();
    const home = `${scheme}://farm.test:${port}`;
    const service = await startService({
      ...data.env,
      PUBLIC_URL: home,
      SIGN_UP: 'open',
      WEBHOOK_ALLOWED_HOSTS: 'loopback',
    });
    const passed: Passed[] = [];
    const isSecure = scheme === 'https';
    const proxy = await serve(isSecure, port, front(service.origin, passed));
    const evil = await serve(isSecure, 0, (_req, res) => {
      res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Win a printer</title><body></body>');
    });
    const inspector = await inspectDatabase(data.file);
    try {
      const name = isSecure ? '__Host-farmboard' : 'farmboard';
      const owner = await createFirstOwner(service, { name });
      const ids = await makeOneOfEach(owner, receiver.url);
      const operations = listOperations(owner.document, ids);
      expect(operations.map(({ path }) => path).join()).not.toContain('undefined');

      const context = await browser.newContext();
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      await page.goto(`${home}/console/`);
      await page.getByLabel('Email').fill(OWNER.email);
      await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password);
      await expectSoon(() => page.getByText('This connection isn’t encrypted').count(), isSecure ? 0 : 1);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Bracket').waitFor();
      // an open page notes from time to time that its session is used
      await page.close();
      const before = await readEverything(inspector);

      for (const host of ['evil.test', 'other.farm.test']) {
        passed.length = 0;
        const other = await context.newPage();
        await other.goto(`${scheme}://${host}:${evil.port}/`);
        const plan: Parameters<typeof attack>[0] = [home, operations, JSON.stringify(bodyForAny(receiver.url))];
        const { tried, read } = await other.evaluate(attack, plan);
        expect(read).toEqual([]);
        await other.close();
        const changing = passed.filter(({ method }) => method !== 'GET' && method !== 'OPTIONS');
        // the requests did arrive, those of the sibling domain with the cookie
        expect(changing.length).toBeGreaterThan(operations.length * 2);
        if (host === 'other.farm.test') expect(changing.some(({ cookie }) => cookie)).toBe(true);
        expect(changing.every(({ site }) => (isSecure ? site !== undefined : site === undefined))).toBe(true);
        expect(changing.filter(({ status }) => status !== 403)).toEqual([]);
        process.stdout.write(
          `cross-site.test: ${host} over ${scheme}: ${tried} tries, ${changing.length} arrived, all 403\n`,
        );
      }
      expect(await readEverything(inspector)).toBe(before);
      expect(receiver.received).toHaveLength(1);
      await context.close();
    } finally {
      await inspector.close();
      for (const { server } of [proxy, evil]) {
        server.close();
        server.closeAllConnections();
      }
      await service.stop();
      await receiver.stop();
      data.remove();
    }
  },
);
