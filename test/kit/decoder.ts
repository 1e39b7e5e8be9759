import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';

const jsqr = readFileSync(require.resolve('jsqr/dist/jsQR.js'), 'utf8');

const decodeParts = `
async function decodeParts(url, parts, scale) {
  const image = new Image();
  image.src = url;
  await image.decode();
  return (parts ?? [[0, 0, image.naturalWidth, image.naturalHeight]]).map(([x, y, width, height]) => {
    const canvas = document.createElement('canvas');
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext('2d');
    context.drawImage(image, -x * scale, -y * scale, image.naturalWidth * scale, image.naturalHeight * scale);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return jsQR(data, canvas.width, canvas.height, { inversionAttempts: 'dontInvert' })?.data ?? null;
  });
}`;

/** `[x, y, width, height]` in pixels. */
export type Part = [number, number, number, number];

/** A separate page that decodes codes from pixels only. */
export async function openDecoder(browser: Browser) {
  const page = await (await browser.newContext()).newPage();
  await page.addScriptTag({ content: jsqr + decodeParts });
  return {
    /** Decodes the QR code of a picture or of its parts, drawn `scale` times as large; null where none is found. */
    decode: (
      picture: Buffer,
      type: 'image/png' | 'image/svg+xml',
      parts?: Part[],
      scale = 1,
    ): Promise<(string | null)[]> =>
      page.evaluate(
        `decodeParts(${JSON.stringify(`data:${type};base64,${picture.toString('base64')}`)}, ${JSON.stringify(parts) ?? 'null'}, ${scale})`,
      ),
  };
}
