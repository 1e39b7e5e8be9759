import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findAccessibilityIssues, openFarm, settle } from '../kit/browser-farm.ts';
import { launch, PHONE, type Visitor } from '../kit/chromium.ts';
import { forSuite } from '../kit/opened.ts';

const { create } = require('qrcode') as {
  create(text: string, options: object): { modules: { size: number; data: Uint8Array } };
};

const farm = forSuite(openFarm);
let visitor: Visitor;
let id: string;

beforeAll(async () => {
  ({ id } = await farm.ask<{ id: string }>('POST', '/print-jobs', { model_name: 'Ваза', workflow_status: 'assigned' }));
  visitor = await farm.visit('/stock');
});

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Scan a label' });
const orderOf = (page: Page) => new URL(page.url()).searchParams.get('order');
const drawerOf = (page: Page) => page.getByRole('dialog', { name: 'Ваза' });

/** Keys are handled shortly after the buttons appear, when data has loaded. */
async function showStock(page: Page) {
  await farm.open(page, '/stock');
  await page.getByText('Your stock is empty').waitFor();
  await settle(page);
}

async function openBox(page: Page) {
  await showStock(page);
  await page.keyboard.press('KeyS');
  await dialog(page).waitFor();
}

/** Presses the keys of a US scanner as fast as one does, however slow this machine is, on a French computer. */
async function scanOnFrench(page: Page, label: string) {
  const session = await page.context().newCDPSession(page);
  const start = Date.now() / 1000;
  const french: Record<string, string> = { a: 'q', '-': ')', ...Object.fromEntries([...'à&é"\'(-è_ç'].entries()) };
  const send = (character: string, index: number) => {
    const code = character === '-' ? 'Minus' : `${/\d/.test(character) ? 'Digit' : 'Key'}${character.toUpperCase()}`;
    const key = french[character] ?? character;
    const modifiers = /[A-Z]/.test(character) ? 8 : 0;
    const event = { key, code, modifiers, timestamp: start + index / 100 };
    return [
      session.send('Input.dispatchKeyEvent', { type: 'keyDown', text: key, ...event }),
      session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event }),
    ];
  };
  await Promise.all(Array.from(label).flatMap(send));
  await session.detach();
}

test('accepts typed and pasted text as it is', async () => {
  const { page } = visitor;
  const texts = [
    `ORDER-${id}`,
    `order-${id.toUpperCase()}`,
    `ORDER-${id} A4`,
    `ORDER-${id.replaceAll('-', '')}`,
    `  ORDER - ${id} `,
    id,
    `${farm.service.origin}/console/orders?q=x&order=${id}&closed=1`,
    `ORDER-${id.replaceAll('-', "'")}`,
  ];
  for (const text of texts) {
    await openBox(page);
    await dialog(page).getByLabel('Label or order ID').fill(text);
    await page.keyboard.press('Enter');
    await drawerOf(page).getByRole('textbox', { name: 'Item' }).waitFor();
    expect([text, orderOf(page)]).toEqual([text, id]);
    expect(new URL(page.url()).pathname).toBe('/console/');
  }
});

test('reports invalid and unknown labels and stays open', async () => {
  const { page } = visitor;
  await openBox(page);
  const box = dialog(page).getByLabel('Label or order ID');
  for (const text of ['ORDER-', 'hello', `${id}0`, '<img src=x onerror=alert(1)>']) {
    await box.fill(text);
    await page.keyboard.press('Enter');
    await dialog(page).getByText('This isn’t an order label').waitFor();
  }
  await box.fill('');
  await scanOnFrench(page, `ORDER-${id}`);
  await page.keyboard.press('Enter');
  await dialog(page).getByText('set it to a US keyboard').waitFor();
  expect(await box.inputValue()).toMatch(/^ORDER\)/);
  await box.fill('ORDER-00000000-0000-4000-8000-000000000000');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Order 00000000-0000-4000-8000-000000000000 not found').waitFor();
  // the text is selected, so the next scan replaces it
  await page.keyboard.insertText(`ORDER-${id}`);
  await page.keyboard.press('Enter');
  await drawerOf(page).getByRole('textbox', { name: 'Item' }).waitFor();
  expect(visitor.browserErrors.splice(0)).toEqual([expect.stringContaining('status of 404')]);
});

test('detects a scanner outside of text fields, and its Enter activates nothing else', async () => {
  const { page } = visitor;
  await showStock(page);
  await page.getByRole('button', { name: 'Account menu' }).focus();
  // an unrelated key before it, and a slow scanner
  await page.keyboard.type('x');
  await page.keyboard.type(`ORDER-${id}`, { delay: 110 });
  await page.keyboard.press('Enter');
  await drawerOf(page).getByRole('textbox', { name: 'Item' }).waitFor();
  expect(orderOf(page)).toBe(id);
});

test('finds an order by a label that is scanned into the search', async () => {
  const { page } = visitor;
  await farm.ask('POST', '/print-jobs', { model_name: 'Other' });
  await farm.open(page, '/orders');
  await page.getByText('Other').waitFor();
  await page.getByLabel('Search orders').fill(`ORDER-${id}`);
  await page.getByText('Other').waitFor({ state: 'detached' });
  await page.getByText('Ваза').first().waitFor();
});

test.each(['Tab', ''])('reads a scanner by the places of its keys: %s', async (ending) => {
  const { page } = visitor;
  await showStock(page);
  await page.getByRole('button', { name: 'Account menu' }).focus();
  await scanOnFrench(page, `ORDER-${id}`);
  if (ending) await page.keyboard.press(ending);
  await drawerOf(page).getByRole('textbox', { name: 'Item' }).waitFor();
  expect(orderOf(page)).toBe(id);
  expect(await page.getByRole('menu').count()).toBe(0);
});

test('moves a scanned order to its next status and back', async () => {
  const { page } = visitor;
  const drawer = drawerOf(page);
  const steps = drawer.getByRole('group', { name: 'Next step' });
  await steps.getByRole('button', { name: 'Printing' }).click();
  // which keeps it
  await page.getByRole('button', { name: 'Undo' }).hover();
  await steps.getByRole('button', { name: 'Done' }).waitFor();
  expect(await farm.ask('GET', `/print-jobs/${id}`)).toMatchObject({ workflow_status: 'printing' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await steps.getByRole('button', { name: 'Printing' }).waitFor();
  expect(await farm.ask('GET', `/print-jobs/${id}`)).toMatchObject({ workflow_status: 'assigned' });
});

/** A gray video that shows a code, which the browser takes in place of a camera. */
function film(text: string): Buffer {
  const [width, height, module] = [640, 480, 9];
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const picture = Buffer.alloc(width * height, 200);
  const left = Math.floor((width - size * module) / 2);
  const top = Math.floor((height - size * module) / 2);
  for (let y = 0; y < size * module; y++) {
    for (let x = 0; x < size * module; x++) {
      const isDark = data[Math.floor(y / module) * size + Math.floor(x / module)];
      picture[(top + y) * width + left + x] = isDark ? 40 : 200;
    }
  }
  const colors = Buffer.alloc((width * height) / 2, 128);
  const frame = Buffer.concat([Buffer.from('FRAME\n'), picture, colors]);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420\n`), frame, frame]);
}

test('opens the order of a label seen by the camera', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-'));
  writeFileSync(join(folder, 'label.y4m'), film(`ORDER-${id}`));
  const browser = await launch([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${join(folder, 'label.y4m')}`,
  ]);
  try {
    const { page, browserErrors } = await farm.enter({ permissions: ['camera'] }, browser);
    await openBox(page);
    await dialog(page).getByRole('button', { name: 'Use camera' }).click();
    await drawerOf(page).getByRole('textbox', { name: 'Item' }).waitFor();
    expect(orderOf(page)).toBe(id);
    expect(browserErrors).toEqual([]);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['on plain http', "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })", 'only over HTTPS'],
  [
    'refused',
    "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError') }",
    'Camera access was denied',
  ],
  [
    'not there',
    "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError') }",
    'No camera found',
  ],
])('says that the camera is %s and still accepts typing', async (_name, script, said) => {
  const { page, browserErrors } = await farm.enter();
  await page.addInitScript(script);
  await openBox(page);
  await dialog(page).getByRole('button', { name: 'Use camera' }).click();
  await dialog(page).getByText(said).waitFor();
  await dialog(page).getByLabel('Label or order ID').fill(id);
  await page.keyboard.press('Enter');
  await drawerOf(page).getByRole('textbox', { name: 'Item' }).waitFor();
  expect(browserErrors).toEqual([]);
  await page.context().close();
});

test.each(['light', 'dark'] as const)('has no accessibility issues in the dialog: %s', async (colorScheme) => {
  const look = { colorScheme, viewport: PHONE };
  const { page, browserErrors } = await farm.look('/stock', look);
  await openBox(page);
  await dialog(page).getByLabel('Label or order ID').fill('x'.repeat(300));
  await page.keyboard.press('Enter');
  await dialog(page).getByText('This isn’t an order label').waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await farm.look('/stock', { ...look, language: 'ru' });
  await page.getByRole('button', { name: 'Сканировать этикетку' }).click();
  await page.getByRole('dialog').getByText('Включить камеру').waitFor();
  expect(await findAccessibilityIssues(page)).toEqual([]);
  expect(browserErrors).toEqual([]);
});
