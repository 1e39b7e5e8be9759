/** What may be sent with a request: models, drawings and pictures. */
export type FileKind = 'stl' | '3mf' | 'zip' | 'obj' | 'step' | 'png' | 'jpg' | 'webp' | 'pdf';

/** The endings that a file of each kind may have; the first is given where it has none of them. */
export const ENDINGS: Record<FileKind, readonly string[]> = {
  stl: ['stl'],
  '3mf': ['3mf'],
  zip: ['zip'],
  obj: ['obj'],
  step: ['step', 'stp', 'p21'],
  png: ['png'],
  jpg: ['jpg', 'jpeg'],
  webp: ['webp'],
  pdf: ['pdf'],
};

export const PHOTO_TYPES = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;
export type PhotoKind = keyof typeof PHOTO_TYPES;

/** How much of a text is looked at. */
const HEAD_BYTES = 64 * 1024;

const startsWith = (bytes: Buffer, ...signature: number[]): boolean =>
  signature.every((value, index) => bytes[index] === value);

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

/** The first lines of a text, or undefined where it is none: a text has no control characters but white space. */
function headOf(bytes: Buffer): string | undefined {
  const head = ascii(bytes, 0, HEAD_BYTES);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  return /[\x00-\x08\x0e-\x1f\x7f]/.test(head) ? undefined : head;
}

/** 80 bytes of anything, the number of triangles, 50 bytes for each: a length that no other file has by chance. */
function isBinaryStl(bytes: Buffer): boolean {
  if (bytes.length < 84 + 50) return false;
  const triangles = bytes.readUInt32LE(80);
  return triangles > 0 && bytes.length === 84 + 50 * triangles;
}

const isTextStl = (head: string): boolean =>
  /^\s*solid\b[^\r\n<>]*\r?\n\s*facet\s+normal\s+[-+.\deE]+\s+[-+.\deE]+\s+[-+.\deE]+\s+outer\s+loop\b/.test(head);

const OBJ_LINE = /^(?:#.*|(?:v|vn|vt|vp|f|l|p|s|g|o|usemtl|mtllib|usemap|maplib|cstype|deg|curv2?|parm|end|mg)\b.*)?$/;

/** Every line begins as lines of an OBJ do, and there is a point in space among them. */
function isObj(head: string): boolean {
  const lines = head.split(/\r?\n/).map((line) => line.trim());
  // the last one may be cut
  if (head.length === HEAD_BYTES) lines.pop();
  // a long list goes on with a backslash
  const begun = lines.filter((_, index) => !lines[index - 1]?.endsWith('\\'));
  return begun.every((line) => OBJ_LINE.test(line)) && begun.some((line) => /^v(?:\s+[-+.\deE]+){3}/.test(line));
}

const MAX_ENTRIES = 10_000;

/** The names in a ZIP archive, from its table of contents alone: nothing in it is unpacked. Undefined: it is none. */
function zipNames(bytes: Buffer): string[] | undefined {
  // a table of contents is written last; a comment after it is nothing that slicers write
  const end = bytes.length - 22;
  if (!startsWith(bytes, 0x50, 0x4b, 0x03, 0x04) || end < 0 || bytes.readUInt32LE(end) !== 0x06054b50) return undefined;
  const entries = bytes.readUInt16LE(end + 10);
  const size = bytes.readUInt32LE(end + 12);
  let at = bytes.readUInt32LE(end + 16);
  if (entries === 0 || entries > MAX_ENTRIES || at + size !== end) return undefined;
  const names: string[] = [];
  for (let entry = 0; entry < entries; entry++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== 0x02014b50) return undefined;
    const nameLength = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString('utf8', at + 46, at + 46 + nameLength));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return at === end ? names : undefined;
}

/** A picture that browsers show. */
export function photoKindOf(bytes: Buffer): PhotoKind | undefined {
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && ascii(bytes, 12, 16) === 'IHDR')
    return 'png';
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return 'jpg';
  const isWebp =
    ascii(bytes, 0, 4) === 'RIFF' &&
    ascii(bytes, 8, 12) === 'WEBP' &&
    bytes.length >= 20 &&
    bytes.readUInt32LE(4) + 8 <= bytes.length + 1;
  return isWebp ? 'webp' : undefined;
}

/**
 * What a file is, by what is in it and never by its name. Nothing is opened, unpacked or run: this decides only what is kept,
 * and whatever is kept leaves again as a download that no browser shows.
 */
export function fileKindOf(bytes: Buffer): FileKind | undefined {
  const photo = photoKindOf(bytes);
  if (photo) return photo;
  if (ascii(bytes, 0, 5) === '%PDF-') return 'pdf';
  const names = zipNames(bytes);
  if (names) return names.some((name) => /^3D\/[^/]+\.model$/i.test(name)) ? '3mf' : 'zip';
  if (isBinaryStl(bytes)) return 'stl';
  const head = headOf(bytes);
  if (head === undefined) return undefined;
  if (/^\s*ISO-10303-21\s*;/.test(head)) return 'step';
  if (isTextStl(head)) return 'stl';
  return isObj(head) ? 'obj' : undefined;
}

const MAX_NAME = 100;

/** A name that a file may safely have on anybody's disk: no path, nothing unseen, and an ending of its kind. */
export function safeName(sent: string, kind: FileKind): string {
  const base = (sent.split(/[\\/]/).at(-1) ?? '')
    .toWellFormed()
    // control characters, and those that turn the direction of writing round: "gnp.exe" must not look like "exe.png"
    .replace(/[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]/gu, '')
    .replace(/["*:<>?|]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  const ending = /\.([^.]+)$/.exec(base)?.[1]?.toLowerCase() ?? '';
  const stem = [...(ENDINGS[kind].includes(ending) ? base.slice(0, -ending.length - 1) : base)]
    .slice(0, MAX_NAME)
    .join('');
  return `${stem.trim() || 'file'}.${ENDINGS[kind].includes(ending) ? ending : ENDINGS[kind][0]}`;
}

/** `attachment`, with the name for those who read RFC 5987 and one in ASCII for those who do not. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
