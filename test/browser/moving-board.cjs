// The moving picture of the README: a simulated day on the board, as an animated GIF. `npm run screenshots` takes it.
const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { createInterface } = require('node:readline');
const { GIFEncoder, quantize, applyPalette } = require('gifenc');
const { PNG } = require('pngjs');

const LAUNCHER = resolve(__dirname, '../../backend/bin/farmboard.js');
/** Wide enough for the columns up to packing; the picture has 1260 × 555 pixels. */
const LOOK = { viewport: { width: 1680, height: 740 }, deviceScaleFactor: 0.75, locale: 'en-GB' };
const SEED = '7';
/** A day of three minutes in one. */
const SPEED = '3';
const FRAMES = 36;
const FRAME_MS = 1_500;
/** How long each is shown. */
const DELAY_MS = 600;
const COLORS = 128;
const MAX_BYTES = 1_000_000;

/**
 * Encodes pictures of one size; a pixel that is as before is transparent, which takes the least.
 * @param {PNG[]} pictures
 * @returns {Uint8Array}
 */
function encode(pictures) {
  const { width, height } = /** @type {PNG} */ (pictures[0]);
  const samples = [0, pictures.length >> 1, pictures.length - 1].map((at) => /** @type {PNG} */ (pictures[at]).data);
  const palette = quantize(Buffer.concat(samples), COLORS - 1);
  const transparentIndex = palette.length;
  palette.push([0, 0, 0]);
  const gif = GIFEncoder();
  /** @type {Uint8Array | undefined} */
  let before;
  for (const { data } of pictures) {
    const shown = applyPalette(data, palette.slice(0, transparentIndex));
    const last = before;
    const changed = last ? shown.map((color, at) => (color === last[at] ? transparentIndex : color)) : shown;
    gif.writeFrame(changed, width, height, {
      palette,
      delay: DELAY_MS,
      transparent: true,
      transparentIndex,
      dispose: 1,
    });
    before = shown;
  }
  gif.finish();
  return gif.bytes();
}

/**
 * Watches a simulated day and writes what it looked like.
 * @param {import('playwright-core').Browser} browser
 * @param {string} file
 */
exports.recordBoard = async (browser, file) => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-'));
  const args = [LAUNCHER, 'demo', '--live', '--seed', SEED, '--speed', SPEED];
  const demo = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, PORT: '0' } });
  try {
    const page = await (await browser.newContext(LOOK)).newPage();
    for await (const line of createInterface({ input: demo.stdout })) {
      const [link] = line.match(/http\S+/) ?? [];
      if (!link) continue;
      await page.goto(link);
      break;
    }
    await page.locator('[data-column="printing"]').waitFor();
    await page.evaluate(() => document.fonts.ready);
    const pictures = [];
    for (let frame = 0; frame < FRAMES; frame++) {
      pictures.push(PNG.sync.read(await page.screenshot()));
      await page.waitForTimeout(FRAME_MS);
    }
    const bytes = encode(pictures);
    if (bytes.length > MAX_BYTES)
      throw new Error(`the moving picture has ${bytes.length} bytes, more than ${MAX_BYTES}`);
    writeFileSync(file, bytes);
  } finally {
    demo.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};
