/** What the metadata of the photos contains. */
export const SECRET = 'GPS: secret home';

/**
 * A JPEG with an Exif segment as cameras write it (Exif 2.32, 4.6): an orientation, and a GPS directory whose area is
 * the secret.
 */
export function gpsJpeg(orientation: number, isLittle = false): Buffer<ArrayBuffer> {
  const tiff = Buffer.alloc(64 + SECRET.length);
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  const entry = (at: number, tag: number, type: number, count: number) => {
    short(tag, at);
    short(type, at + 2);
    long(count, at + 4);
  };
  tiff.write(isLittle ? 'II' : 'MM');
  short(42, 2);
  long(8, 4);
  short(2, 8);
  entry(10, 0x0112, 3, 1);
  short(orientation, 18);
  // GPSInfo, then GPSAreaInformation
  entry(22, 0x8825, 4, 1);
  long(40, 30);
  short(1, 40);
  entry(42, 0x001c, 7, SECRET.length);
  long(64, 50);
  tiff.write(SECRET, 64);
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 8 + tiff.length]), Buffer.from('Exif\0\0'), tiff]);
  const scan = Buffer.from('ffda0008010100003f00d2cf20ffd9', 'hex');
  return Buffer.concat([Buffer.from([0xff, 0xd8]), exif, scan]);
}
