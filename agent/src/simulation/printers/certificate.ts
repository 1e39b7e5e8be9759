import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { DAY_MS } from '../../../../common/src/clock.ts';

/** PEM */
export interface Certificate {
  key: string;
  cert: string;
}

/** A value of ASN.1 in DER: tag, length, content. */
function der(tag: number, ...content: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  const bytes: number[] = [];
  for (let rest = body.length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  const length = body.length < 0x80 ? [body.length] : [0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Buffer[]) => der(0x30, ...content);
const integer = (...bytes: number[]) => der(0x02, bytes);
const utcTime = (at: number) => {
  const digits = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
};
/** id-at-commonName, 2.5.4.3 */
const COMMON_NAME = der(0x06, [0x55, 0x04, 0x03]);
/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2 */
const ALGORITHM = sequence(der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

/** Makes a self-signed certificate like a printer's, which names its serial number (X.509 v3, RFC 5280). */
export function makeCertificate(commonName: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
  const validity = sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + 30 * DAY_MS));
  const version = der(0xa0, integer(2));
  const serial = integer(0x01, ...randomBytes(8));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const content = sequence(version, serial, ALGORITHM, name, validity, name, key);
  const signature = der(0x03, [0], sign('sha256', content, privateKey));
  const base64 = sequence(content, ALGORITHM, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
