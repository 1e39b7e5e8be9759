import { PNG } from 'pngjs';

const jsQR = require('jsqr') as typeof import('jsqr').default;

/** Decodes the QR code of a picture; undefined if it has none. */
export const readQrCode = ({ data, width, height }: PNG): string | undefined =>
  jsQR(new Uint8ClampedArray(data), width, height)?.data;

/** As `readQrCode`, of a PNG file. */
export const readQrCodeOf = (file: Buffer): string | undefined => readQrCode(PNG.sync.read(file));
