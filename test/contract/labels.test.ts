import { PNG } from 'pngjs';
import { expectProblem, startFarm, UNKNOWN_ID } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { readQrCode, readQrCodeOf } from '../kit/qr-code.ts';

const farm = forSuite(startFarm);

async function download(path: string) {
  const response = await fetch(farm.client.baseUrl + path, { headers: { Authorization: `Bearer ${farm.token}` } });
  expect(response.status).toBe(200);
  return { headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
}

/** Draws the modules of an SVG label, whose path is made of rectangles. */
function rasterize(svg: string): PNG {
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const scale = 4;
  const picture = new PNG({ width: side * scale, height: side * scale });
  picture.data.fill(255);
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++)
      for (let column = Number(x) * scale; column < (Number(x) + Number(width)) * scale; column++)
        picture.data.fill(0, 4 * (row * picture.width + column), 4 * (row * picture.width + column) + 3);
  return picture;
}

test('a label says what the console prints, as SVG and as PNG', async () => {
  const order = await farm.order({ model_name: 'Vase', quantity_pieces: 3, material_name: '<b>PETG</b> & "x"' });
  const filament = await farm.filament({ name: 'Galaxy black', brand: 'Prusament', type_name: 'PLA' });
  for (const [path, code, line] of [
    [`/print-jobs/${order.id}`, `ORDER-${order.id}`, '3 × &lt;b&gt;PETG&lt;/b&gt; &amp; &quot;x&quot;'],
    [`/print-jobs/ORDER-${order.id.toUpperCase()}`, `ORDER-${order.id}`, order.due_date],
    [`/filaments/${filament.id}`, `FILAMENT-${filament.id}`, 'Prusament PLA'],
  ] as const) {
    const svg = await download(`${path}/label`);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    const text = svg.content.toString();
    expect(readQrCode(rasterize(text))).toBe(code);
    expect(text).toContain(`>${code}</text>`);
    expect(text).toContain(`>${line}</text>`);
    const png = await download(`${path}/label?format=png`);
    expect(png.headers.get('content-type')).toBe('image/png');
    expect(readQrCodeOf(png.content)).toBe(code);
    for (const [format, { headers }] of Object.entries({ svg, png })) {
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${code}.${format}"`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  }
});

test('texts can neither break out of an SVG nor break it', async () => {
  for (const model_name of ['</text><script>alert(1)</script>', '&amp;]]>', '👩‍👩‍👧‍👦'.repeat(27), '\uFFFEx']) {
    const { id } = await farm.order({ model_name });
    const text = (await download(`/print-jobs/${id}/label`)).content.toString();
    expect(text.match(/<\/?[a-z]+/g)?.filter((tag) => !/^<\/?(svg|title|rect|path|text)$/.test(tag))).toEqual([]);
    expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot);)|\uFFFE/);
  }
});

test('another format, and records that the account does not have, are refused', async () => {
  const { id } = await farm.order();
  const other = await farm.client.get(`/print-jobs/${id}/label?format=pdf`);
  expect(expectProblem(other, 422, 'validation_error').errors?.[0]?.pointer).toBe('query/format');
  for (const path of [`/print-jobs/${UNKNOWN_ID}`, `/filaments/${UNKNOWN_ID}`, '/print-jobs/x'])
    expectProblem(await farm.client.get(`${path}/label`), 404, 'not_found');
});
