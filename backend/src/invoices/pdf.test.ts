import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import pdfParse from 'pdf-parse/lib/pdf-parse.js';
import { SettingError } from '../shared/setting-error.ts';
import { checkLetters } from './check-letters.ts';
import { type InvoiceDocument, LABELS } from './document.ts';
import { createFontCharacters } from './font-characters.ts';
import { missingLetters } from './letters.ts';
import { toPdf } from './pdf.ts';
import { openFonts } from './pdf-fonts.ts';
import { createLayout } from './pdf-layout.ts';

const fontOf = (name: string) =>
  join(
    dirname(require.resolve(`@fontsource/noto-sans-${name}/package.json`)),
    `files/noto-sans-${name}-${name}-400-normal.woff`,
  );
const FONTS = [fontOf('devanagari'), fontOf('thai')];

const toDocument = (note: string, fields: Partial<InvoiceDocument> = {}): InvoiceDocument => ({
  version: 1,
  id: 'x',
  number: '2026-0001',
  issue_date: '2026-11-21',
  due_date: null,
  language: 'en',
  seller: { name: 'Layer', address: '', tax_id: '', bank_details: '', payment_note: '' },
  customer: { name: 'Vera', details: '' },
  currency: 'EUR',
  digits: 2,
  total: 3333,
  note,
  lines: [{ order_id: null, description: 'Bracket', quantity: 1, unit_price: 3333, amount: 3333 }],
  ...fields,
});

/** What a program reads in the note of an invoice. */
async function readNote(note: string, fontFiles: string[] = []): Promise<string> {
  const { text } = await pdfParse(await toPdf({ document: toDocument(note), fontFiles }));
  return (text.split(`${LABELS.en.note}\n`)[1] as string).trim();
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The compressed parts of a PDF, with escapes in strings resolved; one character per byte. */
function streamsOf(pdf: Buffer): string[] {
  const starts = [...pdf.toString('latin1').matchAll(/FlateDecode\n>>\nstream\n/g)];
  return starts.map(({ index, 0: start }) =>
    inflateSync(pdf.subarray(index + start.length), { finishFlush: constants.Z_SYNC_FLUSH })
      .toString('latin1')
      .replace(/\\([\s\S])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped),
  );
}

async function missingIn(text: string, fontFiles: string[] = []): Promise<string[]> {
  const characters = await createFontCharacters(fontFiles)();
  return missingLetters(text, (codePoint) => characters.has(codePoint));
}

describe.each([
  ['Latin', 'Łódź Ürün Ēģ ½ × ™ ₹'],
  ['Greek', 'Ελληνικό κείμενο ΐΰ'],
  ['Cyrillic', 'Мастерская «Слой» Ђ Є Ї ў қ ң ө'],
  ['Georgian', 'საბეჭდი სახელოსნო'],
  ['Armenian', 'Տպագրատուն ՍՊԸ'],
  ['Hebrew', 'בית דפוס שלום'],
  ['Hebrew with Latin and numbers', 'מתלה PETG שחור, 20×30 מ״מ 1,234.50 EUR'],
  ['Arabic', 'ورشة الطباعة'],
  ['Arabic with ligatures', 'هذه ملاحظة طويلة لأن السلام'],
  ['Arabic with Latin and numbers', 'شارع الملك فهد 123، مبنى 5 ثم Farmboard السعر 99.50 EUR شامل'],
  ['Persian with its digits', 'قیمت ۱۲۳ تومان'],
  ['Latin with Arabic and Hebrew', 'Halter für ورشة الطباعة und שלום עולם 12'],
])('%s', (_, text) => {
  test('is shown', async () => {
    expect(await missingIn(text)).toEqual([]);
  });

  test('is read in the order in which it was written', async () => {
    expect(await readNote(text)).toBe(text);
  });

  test('is shown in bold, too', () => {
    const [bold] = openFonts([]).strong;
    expect(missingLetters(text, (codePoint) => bold?.hasGlyphForCodePoint(codePoint) ?? false)).toEqual([]);
  });
});

describe('letters that no font has', () => {
  test.each([
    ['株式会社 GmbH', ['株', '式', '会', '社']],
    ['冷冻, ﷼', ['冷', '冻', '﷼']],
    ['हिन्दी', ['हि', 'न्दी']],
    ['👩‍💻 and 👍🏽', ['👩‍💻', '👍🏽']],
    ['keycap 1\ufe0f\u20e3', ['1\ufe0f\u20e3']],
    ['\ud800', ['\ud800']],
    ['\ue000', ['\ue000']],
    ['\u3164', ['\u3164']],
  ])('%s', async (text, letters) => {
    expect(await missingIn(text)).toEqual(letters);
  });

  test.each([
    ['a decomposed letter', 'e\u0301'],
    ['Hangul is composed, too', '한'.normalize('NFD'), ['한']],
    ['a variation selector', '❤\ufe0f'],
    ['joiners and directional marks', 'می\u200cخواهم \u200e\u200f\u061c\u2068\u2069\u202a\u202c\ufeff'],
    ['spaces of any kind', 'a\u3000b\u2003c\u202fd\te\u2028f\u0085'],
    ['a soft hyphen', 'Auf\u00adtrag'],
  ])('%s: only what can be seen counts', async (_, text, letters: string[] = []) => {
    expect(await missingIn(text)).toEqual(letters);
  });

  test('are named with their field and code points', async () => {
    const characters = await createFontCharacters([])();
    const line = { order_id: null, description: 'Halter 冷冻', quantity: 1, unit_price: 1 };
    const content = {
      seller: { name: 'L', address: '', tax_id: '', bank_details: '', payment_note: '甲', default_currency: 'EUR' },
      customerName: 'Vera',
      customerDetails: '\ud800',
      note: '一二三四五六七八九十百千',
      lines: [line],
    };
    let error: unknown;
    try {
      checkLetters(content, characters);
    } catch (thrown) {
      error = thrown;
    }
    const says = (letters: string) => expect.stringContaining(`The PDF can't show ${letters}. `);
    expect(error).toMatchObject({
      code: 'validation_error',
      faults: [
        { pointer: '/seller/payment_note', detail: says('甲 (U+7532)') },
        { pointer: '/customer_details', detail: says('U+D800') },
        { pointer: '/lines/0/description', detail: says('冷 (U+51B7), 冻 (U+51BB)') },
        { pointer: '/note', detail: expect.stringMatching(/一 \(U\+4E00\), .* and 2 more\. .*INVOICE_FONT_FILES/) },
      ],
      facts: { missing_letters: expect.arrayContaining([{ pointer: '/lines/0/description', letters: ['冷', '冻'] }]) },
    });
  });

  test('are none in our own labels', async () => {
    for (const labels of Object.values(LABELS)) {
      const texts = Object.values(labels).map((label) => (typeof label === 'string' ? label : label('1' as never, 2)));
      expect(await missingIn(texts.join(' '))).toEqual([]);
    }
  });
});

describe('extra fonts', () => {
  test.each([
    ['Thai', 'ห้างหุ้นส่วน'],
    ['Devanagari', 'सड़क'],
    ['several scripts in one line', 'शब्द עברית ไทย mixed'],
  ])('show %s', async (_, text) => {
    expect(await missingIn(text)).not.toEqual([]);
    expect(await missingIn(text, FONTS)).toEqual([]);
    expect(await readNote(text, FONTS)).toBe(text);
  });

  test('tell programs the letters of what a font reorders', async () => {
    // the vowel sign is drawn before its consonant
    expect(await readNote('हिन्दी', FONTS)).not.toBe('हिन्दी');
    const pdf = await toPdf({ document: toDocument('हिन्दी'), fontFiles: FONTS });
    const utf16 = Buffer.from('हिन्दी', 'utf16le').swap16().toString('latin1');
    const content = streamsOf(pdf).join('\n');
    expect(content).toContain('/ActualText');
    expect(content).toContain(utf16);
  });

  test('are refused by name if they are missing, no fonts or without outlines that a PDF can contain', async () => {
    const folder = mkdtempSync('/tmp/farmboard-fonts-');
    try {
      writeFileSync(join(folder, 'text.ttf'), 'not a font');
      writeFileSync(join(folder, 'empty.ttf'), '');
      // takes no place on the disk
      writeFileSync(join(folder, 'large.ttf'), '');
      truncateSync(join(folder, 'large.ttf'), 64 * 1024 * 1024 + 1);
      const files = ['none.ttf', 'text.ttf', 'empty.ttf', 'large.ttf'].map((name) => join(folder, name));
      const compressed = (FONTS[1] as string).replace(/woff$/, 'woff2');
      for (const file of [...files, folder, '/dev/zero', compressed]) {
        const error = await createFontCharacters([FONTS[1] as string, file])().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(SettingError);
        expect((error as Error).message).toMatch(/^INVOICE_FONT_FILES: ".*" is not a font that a PDF can contain/);
        expect((error as Error).message).toContain(JSON.stringify(file));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('lines', () => {
  const { text: fonts } = openFonts([]);
  const layOutNote = (text: string, width = 400) => createLayout()(text, fonts, 9, width);
  /** The parts of a line from left to right, each as it is drawn if it runs from right to left. */
  const seen = (text: string) =>
    layOutNote(text).map(({ pieces }) =>
      [...pieces]
        .sort((one, other) => one.left - other.left)
        .map((piece) => piece.text.trim())
        .filter(Boolean),
    );

  test.each([
    ['שלום 12 abc', [['abc', '12', 'שלום']]],
    ['abc שלום 12 def', [['abc', '12', 'שלום', 'def']]],
    ['السعر 1,234.50 EUR شامل', [['شامل', 'EUR', '1,234.50', 'السعر']]],
    ['٪۲۰ قیمت', [['قیمت', '٪۲۰']]],
    ['שלום 😀 עולם', [['שלום 😀 עולם']]],
  ])('%s', (text, expected) => {
    expect(seen(text)).toEqual(expected);
  });

  test('mirror brackets where the text runs from right to left', () => {
    const [line] = layOutNote('שלום (עולם)');
    expect(line?.pieces.map(({ drawn }) => drawn)).toEqual(['שלום )עולם(']);
    expect(layOutNote('(12) שלום')[0]?.isRightToLeft).toBe(true);
    expect(layOutNote('abc (שלום)')[0]?.isRightToLeft).toBe(false);
  });

  test('are wrapped in the order in which they are read, without spaces at their ends', () => {
    const words = Array.from({ length: 40 }, (_, index) => (index % 3 ? 'שלום' : `עולם${index}`));
    const lines = layOutNote(words.join(' '), 200);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.every(({ width }) => width <= 200)).toBe(true);
    const texts = lines.map(({ pieces }) => pieces.map(({ text }) => text).join(''));
    expect(texts.join(' ')).toBe(words.join(' '));
  });

  test('break words that are longer than a line between letters', () => {
    const lines = layOutNote(`א${'ב\u05bc'.repeat(100)} ג`, 100);
    expect(lines.every(({ width }) => width <= 100)).toBe(true);
    const texts = lines.map(({ pieces }) => pieces.map(({ text }) => text).join(''));
    expect(texts.every((text) => !text.startsWith('\u05bc'))).toBe(true);
  });

  test('continue on the next page', async () => {
    const note = 'שלום עולם\n'.repeat(120);
    const { text, numpages } = await pdfParse(await toPdf({ document: toDocument(note), fontFiles: [] }));
    expect(numpages).toBe(2);
    expect(text.split('שלום עולם')).toHaveLength(121);
  });
});

test('renders the same document to the same bytes', async () => {
  const input = {
    document: toDocument('שלום 12 ورشة', { customer: { name: 'शब्द', details: 'ไทย' } }),
    fontFiles: FONTS,
  };
  expect(await toPdf(input)).toEqual(await toPdf(input));
});

test('text that looks like the syntax of a PDF stays text', async () => {
  const hostile = ') Tj ET >> endobj 9 0 obj << /S /JavaScript /JS (run\\(1)) /OpenAction 9 0 R >> endstream %%EOF \\';
  const seller = { name: hostile, address: hostile, tax_id: hostile, bank_details: hostile, payment_note: hostile };
  const line = { order_id: null, description: hostile, quantity: 1, unit_price: 3333, amount: 3333 };
  const customer = { name: hostile, details: hostile };
  const pdf = await toPdf({ document: toDocument(hostile, { seller, customer, lines: [line] }), fontFiles: [] });
  const { info, text, numpages } = await pdfParse(pdf);
  expect([info.Author, numpages]).toEqual([hostile, 1]);
  expect(text.replace(/\s+/g, '').split(hostile.replace(/\s+/g, ''))).toHaveLength(10);
  const withoutStrings = pdf.toString('latin1').replace(/\((?:\\[\s\S]|[^\\()])*\)/g, '');
  expect(withoutStrings).toContain('/Author');
  expect(withoutStrings).not.toMatch(/\/(?:JavaScript|JS|OpenAction|AA|Launch|URI|EmbeddedFile)\b/);
});
