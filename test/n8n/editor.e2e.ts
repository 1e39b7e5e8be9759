import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { DESK, launch } from '../kit/chromium.ts';
import { eventually, PATIENCE_MS } from '../kit/eventually.ts';
import { type NewWorkflow, OWNER } from '../kit/n8n/n8n-client.ts';
import { createOrder, openTestSetup, type TestSetup } from '../kit/n8n/scene.ts';
import { CREDENTIAL_TYPE } from '../kit/n8n/workflows.ts';

// What a person sees of the nodes in n8n's editor. With FARMBOARD_PICTURES=FOLDER it takes the pictures that the package's
// README shows: npm run screenshots:n8n

const WORKFLOW = resolve(__dirname, '../../examples/n8n/1-label-scan-assigned.json');

let scene: TestSetup;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  scene = await openTestSetup();
  browser = await launch();
  const context = await browser.newContext({ viewport: DESK, locale: 'en-GB', reducedMotion: 'reduce' });
  page = await context.newPage();
  // it loads several megabytes of scripts
  page.setDefaultTimeout(3 * PATIENCE_MS);
});

afterAll(async () => {
  await browser?.close();
  await scene?.clear();
  await scene?.close();
});

const takePicture = async (name: string) => {
  const folder = process.env.FARMBOARD_PICTURES;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
};

async function signIn(): Promise<void> {
  await page.goto(`${scene.n8n.origin}/signin`);
  await page.locator('input[name="emailOrLdapLoginId"]').fill(OWNER.email);
  await page.locator('input[name="password"]').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
}

/** The first example, with our credential. */
async function createWorkflow(): Promise<string> {
  const { name, nodes, connections, settings } = JSON.parse(readFileSync(WORKFLOW, 'utf8')) as NewWorkflow;
  for (const node of nodes) {
    if (node.credentials?.[CREDENTIAL_TYPE]) node.credentials[CREDENTIAL_TYPE] = scene.credential;
  }
  return (await scene.n8n.client.create({ name, nodes, connections, settings })).id;
}

test('an example opens in the editor, and the panel of a node shows its operation and fields', async () => {
  await createOrder(scene, { model_name: 'Wall bracket' });
  const id = await createWorkflow();
  await signIn();
  await page.goto(`${scene.n8n.origin}/workflow/${id}`);
  const node = page.locator('[data-test-id="canvas-node"]', { hasText: 'Assign' });
  await node.waitFor();
  await takePicture('n8n-workflow');
  await node.dblclick();
  const panel = page.locator('[data-test-id="ndv"], [data-test-id="node-parameters"]').first();
  await panel.waitFor();
  await takePicture('n8n-node');
  const shown = () =>
    panel
      .locator('input')
      .evaluateAll((inputs) => inputs.map((input) => (input as unknown as { value: string }).value));
  const wanted = ['Order', 'Set Status', 'Assigned', 'Simplified'];
  await eventually(shown, (values) => wanted.every((value) => values.includes(value)));
});
