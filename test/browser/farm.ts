import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launch, type Visitor, visit } from '../support/browser.ts';
import { createDataFolder, type Env, farmboard, startService } from '../support/service.ts';

export const OWNER = { email: 'owner@farm.example', name: 'Farm', password: 'correct horse battery' };

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

/** What axe finds that keeps somebody out: name and place. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
