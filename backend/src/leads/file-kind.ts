/** The kinds of files that may be attached to a request: models, drawings and images. */
export type FileKind = 'stl' | '3mf' | 'zip' | 'obj' | 'step' | 'png' | 'jpg' | 'webp' | 'pdf';

/** The file extensions of each kind. The first one is added if a name has none of them. */
const ENDINGS: Record<FileKind, readonly string[]> = {
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

/** The Content-Security-Policy of uploaded files, which must never run or be displayed as a page. */
export const UPLOAD_CSP = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** How much of a text file is examined. */
const HEAD_BYTES = 64 * 1024;

const startsWith = (bytes: Buffer, ...signature: number[]): boolean =>
  signature.every((value, index) => bytes[index] === value);

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

/** The beginning of a text file, or undefined if it contains control characters other than white space. */
function headOf(bytes: Buffer): string | undefined {
  const head = ascii(bytes, 0, HEAD_BYTES);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the test looks for
  return /[\x00-\x08\x0e-\x1f\x7f]/.test(head) ? undefined : head;
}

/** 80 arbitrary bytes, the number of triangles and 50 bytes for each: other files don't have this length by chance. */
function isBinaryStl(bytes: Buffer): boolean {
  if (bytes.length < 84 + 50) return false;
  const triangles = bytes.readUInt32LE(80);
  return triangles > 0 && bytes.length === 84 + 50 * triangles;
}

const isTextStl = (head: string): boolean =>
  /^\s*solid\b[^\r\n<>]*\r?\n\s*facet\s+normal\s+[-+.\deE]+\s+[-+.\deE]+\s+[-+.\deE]+\s+outer\s+loop\b/.test(head);

const OBJ_LINE = /^(?:#.*|(?:v|vn|vt|vp|f|l|p|s|g|o|usemtl|mtllib|usemap|maplib|cstype|deg|curv2?|parm|end|mg)\b.*)?$/;

/** Every line starts with an OBJ keyword, and there is at least one vertex. */
function isObj(head: string): boolean {
  const lines = head.split(/\r?\n/).map((line) => line.trim());
  // the last line may be incomplete
  if (head.length === HEAD_BYTES) lines.pop();
  // a backslash continues a line
  const begun = lines.filter((_, index) => !lines[index - 1]?.endsWith('\\'));
  return begun.every((line) => OBJ_LINE.test(line)) && begun.some((line) => /^v(?:\s+[-+.\deE]+){3}/.test(line));
}

const MAX_ENTRIES = 10_000;

/**
 * The names in a ZIP archive, read from its central directory without unpacking anything. Undefined if it isn't a ZIP
 * archive.
 */
function zipNames(bytes: Buffer): string[] | undefined {
  // the central directory is at the end; a comment after it is not supported, because slicers don't write one
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

/** The kind of an image that browsers can display. */
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
 * The kind of a file, determined by its content and never by its name. Nothing is opened, unpacked or executed. This
 * only decides what is stored; files are only ever served as downloads.
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

/** A file name that is safe on any file system: no path, no invisible characters, and an extension of its kind. */
export function safeName(sent: string, kind: FileKind): string {
  const base = (sent.split(/[\\/]/).at(-1) ?? '')
    .toWellFormed()
    // control characters, and those that change the writing direction: "gnp.exe" must not look like "exe.png"
    .replace(/[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]/gu, '')
    .replace(/["*:<>?|]/g, '_')
    .replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, '');
  const ending = /\.([^.]+)$/.exec(base)?.[1]?.toLowerCase() ?? '';
  const stem = [...(ENDINGS[kind].includes(ending) ? base.slice(0, -ending.length - 1) : base)]
    .slice(0, MAX_NAME)
    .join('');
  return `${stem.trim() || 'file'}.${ENDINGS[kind].includes(ending) ? ending : ENDINGS[kind][0]}`;
}

/** A Content-Disposition value with the name as in RFC 5987 and, for older clients, in ASCII. */
export function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
