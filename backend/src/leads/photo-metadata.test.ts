import fc from 'fast-check';
import { gpsJpeg, SECRET } from '../../../test/kit/photos.ts';
import { photoKindOf } from './file-kind.ts';
import { withoutMetadata } from './photo-metadata.ts';

const text = (content: string) => Buffer.from(content, 'latin1');

const segment = (marker: number, data: Buffer) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};
const SOI = Buffer.from([0xff, 0xd8]);
const EOI = Buffer.from([0xff, 0xd9]);
const jfif = segment(0xe0, text('JFIF\0\x01\x02\0\0\x01\0\x01\0\0'));
const profile = segment(0xe2, text('ICC_PROFILE\0\x01\x01profile'));
const adobe = segment(0xee, text('Adobe\0\x64\0\0\0\0\x01'));
const tables = segment(0xdb, Buffer.alloc(65, 1));
// stuffed bytes, a restart and a fill byte are part of a scan
const scan = Buffer.concat([segment(0xda, Buffer.alloc(10)), Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff])]);

test('a JPEG keeps its image, its color profile and its orientation, and nothing else', () => {
  const upright = Buffer.concat([SOI, jfif, profile, adobe, tables, scan, tables, scan, EOI]);
  const noisy = Buffer.concat([
    ...[SOI, jfif, segment(0xe0, text(`JFXX\0${SECRET}`)), profile, segment(0xe2, text(`MPF\0${SECRET}`)), adobe],
    ...[segment(0xe1, text(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)), segment(0xed, text(SECRET)), tables],
    ...[segment(0xfe, text(SECRET)), Buffer.from([0xff]), scan, segment(0xe1, text(SECRET)), tables, scan, EOI],
    ...[gpsJpeg(6), text(SECRET)],
  ]);
  expect(withoutMetadata(noisy, 'jpg')).toEqual(upright);
  expect(withoutMetadata(upright, 'jpg')).toEqual(upright);
});

test.each([1, 3, 6, 8, 0, 9])('of the Exif data of a JPEG, only an orientation other than 1 is kept: %i', (value) => {
  for (const isLittle of [true, false]) {
    const clean = withoutMetadata(gpsJpeg(value, isLittle), 'jpg') as Buffer;
    expect(clean.includes(SECRET)).toBe(false);
    expect(clean.indexOf('Exif')).toBe([3, 6, 8].includes(value) ? 6 : -1);
    if (clean.includes('Exif'))
      expect([clean.length - gpsJpeg(1).length < 0, clean.readUInt16BE(30)]).toEqual([true, value]);
    expect(withoutMetadata(clean, 'jpg')).toEqual(clean);
  }
});

const chunk = (type: string, data: Buffer) => {
  const bytes = Buffer.concat([Buffer.alloc(4), text(type), data, Buffer.alloc(4)]);
  bytes.writeUInt32BE(data.length);
  return bytes;
};
const pngSign = Buffer.from('89504e470d0a1a0a', 'hex');
const pngHead = [
  pngSign,
  chunk('IHDR', Buffer.alloc(13)),
  chunk('iCCP', text('icc\0\0x')),
  chunk('pHYs', Buffer.alloc(9)),
];
const pngImage = chunk('IDAT', Buffer.alloc(20));
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex');

test('a PNG keeps its image and its colors, and nothing else', () => {
  const secrets = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME', 'prVt'].map((type) => chunk(type, text(SECRET)));
  const noisy = Buffer.concat([
    ...pngHead,
    ...secrets,
    pngImage,
    ...secrets,
    pngImage,
    pngEnd,
    ...secrets,
    text(SECRET),
  ]);
  const clean = Buffer.concat([...pngHead, pngImage, pngImage, pngEnd]);
  expect(withoutMetadata(noisy, 'png')).toEqual(clean);
  expect(withoutMetadata(clean, 'png')).toEqual(clean);
});

const riff = (type: string, data: Buffer) => {
  const bytes = Buffer.concat([text(type), Buffer.alloc(4), data, Buffer.alloc(data.length % 2)]);
  bytes.writeUInt32LE(data.length, 4);
  return bytes;
};
const webp = (flags: number, ...chunks: Buffer[]) =>
  riff('RIFF', Buffer.concat([text('WEBP'), riff('VP8X', Buffer.from([flags, 0, 0, 0, 1, 0, 0, 1, 0, 0])), ...chunks]));

test('a WebP keeps its image and its color profile, and says that there is nothing else', () => {
  const [icc, image] = [riff('ICCP', text('odd')), riff('VP8 ', Buffer.alloc(11))];
  const secrets = [riff('EXIF', text(SECRET)), riff('XMP ', text(SECRET)), riff('ABCD', text(SECRET))];
  const noisy = webp(0x20 | 0x10 | 0x0c, icc, ...secrets, image, ...secrets);
  const clean = webp(0x20 | 0x10, icc, image);
  expect(withoutMetadata(noisy, 'webp')).toEqual(clean);
  expect(withoutMetadata(clean, 'webp')).toEqual(clean);
  // some programs leave the last padding out
  expect(withoutMetadata(clean.subarray(0, -1), 'webp')).toEqual(clean);
});

test('a photo without an image, or of too many parts, is none', () => {
  expect(withoutMetadata(Buffer.concat([SOI, jfif, tables, EOI]), 'jpg')).toBeUndefined();
  expect(withoutMetadata(Buffer.concat([...pngHead, pngEnd]), 'png')).toBeUndefined();
  expect(withoutMetadata(webp(0), 'webp')).toBeUndefined();
  expect(
    withoutMetadata(Buffer.concat([SOI, ...Array(10_001).fill(segment(0xfe, text(''))), scan]), 'jpg'),
  ).toBeUndefined();
});

const WHOLE = {
  jpg: gpsJpeg(6),
  png: Buffer.concat([...pngHead, chunk('eXIf', text(SECRET)), pngImage, pngEnd]),
  webp: webp(0x2c, riff('ICCP', text('odd')), riff('EXIF', text(SECRET)), riff('VP8 ', Buffer.alloc(11))),
};

test.each(['jpg', 'png', 'webp'] as const)('a broken %s never throws, and what is left of it is clean', (kind) => {
  const whole = WHOLE[kind];
  const change = fc.record({ at: fc.nat(whole.length - 1), value: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), fc.nat(whole.length), (changes, length) => {
      const broken = Buffer.from(whole);
      for (const { at, value } of changes) broken[at] = value;
      const clean = withoutMetadata(broken.subarray(0, length), kind);
      if (clean) {
        expect(clean.length).toBeLessThanOrEqual(length + 12);
        expect(withoutMetadata(clean, kind)).toEqual(clean);
        if (photoKindOf(broken)) expect(photoKindOf(clean)).toBe(kind);
      }
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void withoutMetadata(Buffer.from(bytes), kind)));
});
