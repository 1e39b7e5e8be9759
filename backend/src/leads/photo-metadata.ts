import type { PhotoKind } from './file-kind.ts';

/** A JPEG segment, or a chunk of a PNG or WebP file. */
interface Part {
  /** the marker of a segment, the type of a chunk */
  name: number | string;
  bytes: Buffer;
}

/** More than any camera or editor writes. */
const MAX_PARTS = 10_000;

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

const APP1 = 0xe1;
const SOS = 0xda;
const ORIENTATION = 0x0112;

/** The application segments that decide how a JPEG is displayed, by marker and identifier. */
const JPEG_IDENTIFIERS = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

/** Where the entropy-coded data ends (ITU-T T.81, B.1.1.5): at a marker other than RSTn. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    const next = bytes.readUInt8(at + 1);
    const isMarker = next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7);
    if (bytes[at] === 0xff && isMarker) return at;
  }
  return Math.max(from, bytes.length);
}

/** The complete segments before the end of the image (ITU-T T.81, B.1.1); each scan belongs to its SOS segment. */
function* jpegSegments(bytes: Buffer): Generator<Part> {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const name = bytes.readUInt8(at + 1);
    if (name === 0xff) {
      // any number of fill bytes may precede a marker
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    const hasLength = name >= 0xc0 && (name < 0xd0 || name > 0xd9);
    const end = name === SOS ? endOfScan(bytes, at + 2 + length) : at + 2 + length;
    if (!hasLength || length < 2 || end > bytes.length) return;
    yield { name, bytes: bytes.subarray(at, end) };
    at = end;
  }
}

/** The orientation in an Exif segment (TIFF 6.0: header and first directory), or 1 if it has none. */
function orientationOf(segment: Buffer): number {
  if (ascii(segment, 4, 10) !== 'Exif\0\0' || segment.length < 18) return 1;
  const tiff = segment.subarray(10);
  const isLittle = ascii(tiff, 0, 2) === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 1;
  const last = Math.min(directory + 2 + 12 * short(directory), tiff.length) - 12;
  for (let at = directory + 2; at <= last; at += 12) {
    if (short(at) === ORIENTATION) return short(at + 8) <= 8 ? short(at + 8) : 1;
  }
  return 1;
}

/** An Exif segment with nothing but the orientation. */
function exifOf(orientation: number): Buffer {
  const segment = Buffer.from(
    'ffe10022457869660000' + '4d4d002a00000008' + '00010112000300000001' + '0000000000000000',
    'hex',
  );
  segment.writeUInt16BE(orientation, 28);
  return segment;
}

/** What is kept of a segment. */
function cleanSegment({ name, bytes }: Part): Buffer[] {
  const orientation = name === APP1 ? orientationOf(bytes) : 1;
  if (orientation > 1) return [exifOf(orientation)];
  const identifier = JPEG_IDENTIFIERS.get(name as number);
  // below APP0 are the tables, frames and scans
  const isKept =
    identifier === undefined ? (name as number) < 0xe0 : ascii(bytes, 4, 4 + identifier.length) === identifier;
  return isKept ? [bytes] : [];
}

const PNG_CHUNKS = new Set(
  'IHDR PLTE IDAT tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT'.split(' '),
);
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');

/** The complete chunks before IEND (PNG, 5.3). */
function* pngChunks(bytes: Buffer): Generator<Part> {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const name = ascii(bytes, at + 4, at + 8);
    if (end > bytes.length || name === 'IEND') return;
    yield { name, bytes: bytes.subarray(at, end) };
    at = end;
  }
}

const WEBP_CHUNKS = new Set(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ALPH', 'VP8 ', 'VP8L']);
/** The flags of VP8X that announce EXIF and XMP chunks. */
const WEBP_METADATA = 0x0c;

/** The complete chunks (RFC 9649, 2.3), without the padding of the last one if it is missing. */
function* webpChunks(bytes: Buffer): Generator<Part> {
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    const end = at + 8 + size;
    if (end > bytes.length) return;
    yield { name: ascii(bytes, at, at + 4), bytes: bytes.subarray(at, end + (size % 2)) };
    at = end + (size % 2);
  }
}

/** What is kept of a chunk, padded to an even length. */
function cleanChunk({ name, bytes }: Part): Buffer {
  const chunk = Buffer.concat([bytes], bytes.length + (bytes.length % 2));
  if (name === 'VP8X' && chunk.length > 8) chunk.writeUInt8(chunk.readUInt8(8) & ~WEBP_METADATA, 8);
  return chunk;
}

function toWebp(chunks: Buffer[]): Buffer {
  const file = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), ...chunks]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

const FORMATS: Record<
  PhotoKind,
  { split(bytes: Buffer): Iterable<Part>; image: readonly Part['name'][]; join(parts: Part[], bytes: Buffer): Buffer }
> = {
  jpg: {
    split: jpegSegments,
    image: [SOS],
    join: (parts) =>
      Buffer.concat([Buffer.from('ffd8', 'hex'), ...parts.flatMap(cleanSegment), Buffer.from('ffd9', 'hex')]),
  },
  png: {
    split: pngChunks,
    image: ['IDAT'],
    join: (parts, bytes) =>
      Buffer.concat([
        bytes.subarray(0, 8),
        ...parts.filter(({ name }) => PNG_CHUNKS.has(name as string)).map((part) => part.bytes),
        PNG_END,
      ]),
  },
  webp: {
    split: webpChunks,
    image: ['VP8 ', 'VP8L', 'ANMF'],
    join: (parts) => toWebp(parts.filter(({ name }) => WEBP_CHUNKS.has(name as string)).map(cleanChunk)),
  },
};

/**
 * A photo without metadata such as its location, and not encoded again. Only parts that are needed to display it are
 * kept, and nothing after the first incomplete one. Undefined if that leaves no image.
 */
export function withoutMetadata(bytes: Buffer, kind: PhotoKind): Buffer | undefined {
  const { split, image, join } = FORMATS[kind];
  const parts: Part[] = [];
  for (const part of split(bytes)) {
    if (parts.length === MAX_PARTS) return undefined;
    parts.push(part);
  }
  return parts.some(({ name }) => image.includes(name)) ? join(parts, bytes) : undefined;
}
