import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { findAccessibilityIssues, LOOKS, openFarm, overflows } from '../kit/browser-farm.ts';
import { PHONE } from '../kit/chromium.ts';
import { write } from '../kit/database.ts';
import { openDecoder, type Part } from '../kit/decoder.ts';
import { eventually, expectSoon } from '../kit/eventually.ts';
import { forSuite } from '../kit/opened.ts';

/** Dots of a common label printer per pixel of the page: 203.2 dpi, 8 per millimeter. */
const AT_203_DPI = { deviceScaleFactor: 203.2 / 96, isPainted: true };
const DOTS_PER_MM = 8;
/** A screenshot is cut at whole pixels of the page, 2.1 dots each. */
const ROUNDED = 4;

const SIZES = { '62x29': [62, 29], '50x30': [50, 30], a4: [210, 297] } as const;
type Size = keyof typeof SIZES;

const NAMES = [
  'Vase',
  'Кронштейн для аквариумного светильника, левый, усиленный',
  '<img src=x onerror=alert(1)>"\'&amp;]]><script>alert(1)</script>',
  'W'.repeat(300),
  '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(15),
  'ж̸̛͎̱̥̖̱̏̓̽͂͌'.repeat(20).slice(0, 300),
  'right to left',
];
const OVERRIDDEN = '\u202Eright to left \u0007 \n two lines \t and a tab \u{FFFE}';

const farm = forSuite(openFarm);
let decode: Awaited<ReturnType<typeof openDecoder>>['decode'];
const ids: string[] = [];
const browserErrors: string[] = [];

beforeAll(async () => {
  for (const name of NAMES) {
    const { id } = await farm.ask<{ id: string }>('POST', '/print-jobs', {
      model_name: name,
      quantity_pieces: 4,
      material_name: name.slice(0, 100),
      due_date: '2031-11-26',
    });
    ids.push(id);
  }
  // from before names were checked
  await write(farm.file, `UPDATE orders SET model_name = '${OVERRIDDEN}' WHERE id = '${ids.at(-1)}'`);
  ({ decode } = await openDecoder(farm.browser));
});

/** Where on a sheet of 3 × 8 the labels are, in pixels. */
const places = (count: number, perMm: number, first = 0) =>
  Array.from({ length: count }, (_, index) => {
    const place = first + index;
    return [(place % 3) * 70, 0.5 + Math.floor(place / 3) * 37, 70, 37].map((mm) => Math.round(mm * perMm)) as Part;
  });

const said = (list: string[]) => list.map((id) => `ORDER-${id}`);

async function openLabels(size: Size, list = ids, options = {}) {
  const visitor = await farm.visit(`/labels?size=${size}&ids=${list.join(',')}`, options);
  // the button waits for the last label, like a person
  await visitor.page.locator('button:enabled', { hasText: 'Print' }).waitFor();
  return visitor;
}

/** The files that a click downloads, in order. */
async function saved(page: Page, name: string, count: number): Promise<{ name: string; content: Buffer }[]> {
  const files: Download[] = [];
  page.on('download', (file) => files.push(file));
  await page.getByRole('button', { name }).click();
  await eventually(
    () => files.length,
    (length) => length >= count,
  );
  page.removeAllListeners('download');
  return Promise.all(
    files.map(async (file) => ({ name: file.suggestedFilename(), content: readFileSync(await file.path()) })),
  );
}

test.each(['62x29', '50x30'] as const)(
  'prints readable labels of %s at 203 dpi, each on its own page',
  async (size) => {
    const { page, browserErrors: faults } = await openLabels(size, ids, { ...AT_203_DPI, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    const sheets = page.locator('[data-paper] > div');
    await expectSoon(() => sheets.count(), ids.length);
    for (const [index, id] of ids.entries()) {
      const picture = await sheets.nth(index).screenshot();
      expect(await decode(picture, 'image/png')).toEqual(said([id]));
      const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)];
      expect(Math.abs(width - SIZES[size][0] * DOTS_PER_MM)).toBeLessThanOrEqual(ROUNDED);
      expect(Math.abs(height - SIZES[size][1] * DOTS_PER_MM)).toBeLessThanOrEqual(ROUNDED);
    }
    // only the labels are printed
    expect(await page.locator('#root').isVisible()).toBe(false);
    browserErrors.push(...faults);
    await page.context().close();
  },
);

test('prints readable sheets and continues on a partly used one', async () => {
  const { page } = await openLabels('a4', ids, AT_203_DPI);
  await page.getByLabel('Start at position').fill('22');
  await page.locator('[data-preview] > div').nth(1).waitFor();
  await page.emulateMedia({ media: 'print' });
  const sheets = page.locator('[data-paper] > div');
  await expectSoon(() => sheets.count(), 2);
  const [first, second] = [await sheets.nth(0).screenshot(), await sheets.nth(1).screenshot()];
  expect(await decode(first, 'image/png', places(3, DOTS_PER_MM, 21))).toEqual(said(ids.slice(0, 3)));
  expect(await decode(second, 'image/png', places(4, DOTS_PER_MM))).toEqual(said(ids.slice(3)));
  expect(await decode(first, 'image/png', places(1, DOTS_PER_MM, 20))).toEqual([null]);
  await page.context().close();
});

test.each(Object.entries(SIZES))('prints %s at its exact size', async (size, [width, height]) => {
  const { page } = await openLabels(size as Size);
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const boxes = [...pdf.matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g)];
  expect(boxes).toHaveLength(size === 'a4' ? 1 : ids.length);
  for (const [, x, y] of boxes) {
    expect(Math.abs((Number(x) / 72) * 25.4 - width)).toBeLessThan(0.3);
    expect(Math.abs((Number(y) / 72) * 25.4 - height)).toBeLessThan(0.3);
  }
  await page.context().close();
});

test.each(Object.entries(SIZES))('exports readable files of %s for any order name', async (size, [width, height]) => {
  const { page, browserErrors: faults } = await openLabels(size as Size);
  const isSheet = size === 'a4';
  const files = isSheet ? ['labels-a4-1'] : ids.map((id) => `ORDER-${id.slice(-8)}-${size}`);
  const codes = isSheet ? [said(ids)] : ids.map((id) => said([id]));

  const svgs = await saved(page, 'Download SVG', files.length);
  expect(svgs.map(({ name }) => name)).toEqual(files.map((name) => `${name}.svg`));
  const pngs = await saved(page, 'Download PNG', files.length);
  expect(pngs.map(({ name }) => name)).toEqual(files.map((name) => `${name}.png`));
  for (const [index, { content }] of svgs.entries()) {
    expect(content.toString()).toContain(`width="${width}mm" height="${height}mm"`);
    const parts = isSheet ? places(ids.length, 96 / 25.4) : undefined;
    // at 96 dpi each code has few pixels, so it is drawn larger, as any viewer can
    expect(await decode(content, 'image/svg+xml', parts, 3)).toEqual(codes[index]);
  }
  for (const [index, { content }] of pngs.entries()) {
    expect([content.readUInt32BE(16), content.readUInt32BE(20)]).toEqual([width * 16, height * 16]);
    // the file has its size on paper: 16 pixels per millimeter
    const physical = content.indexOf('pHYs') + 4;
    expect([content.readUInt32BE(physical), content.readUInt32BE(physical + 4)]).toEqual([16_000, 16_000]);
    expect(await decode(content, 'image/png', isSheet ? places(ids.length, 16) : undefined)).toEqual(codes[index]);
  }
  browserErrors.push(...faults);
  await page.context().close();
});

test('programs get the same code, whatever the order is called', async () => {
  const { page } = await farm.visit('/orders');
  for (const id of ids)
    for (const [format, scale] of [
      ['svg', 4],
      ['png', 1],
    ] as const) {
      const answer = await page.request.get(
        `${new URL(page.url()).origin}/console/api/print-jobs/${id}/label?format=${format}`,
      );
      const type = format === 'svg' ? 'image/svg+xml' : 'image/png';
      expect(answer.headers()['content-type']).toBe(type);
      expect(await decode(await answer.body(), type, undefined, scale)).toEqual(said([id]));
    }
});

test('has no accessibility issues in both themes and languages, and scrolls only vertically on a phone', async () => {
  for (const { colorScheme, language } of LOOKS) {
    const path = `/labels?size=62x29&ids=${ids.join(',')},00000000-0000-4000-8000-000000000000`;
    const look = { colorScheme, language, viewport: PHONE };
    const { page, browserErrors: faults } = await farm.look(path, look);
    await page.getByText(language === 'en' ? '1 order no longer exists' : '1 заказа больше нет').waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await overflows(page, '[data-preview]')).toBe(false);
    // the browser logs the 404
    browserErrors.push(...faults.splice(0).filter((fault) => !fault.includes('status of 404')));
  }
  expect(browserErrors).toEqual([]);
});
