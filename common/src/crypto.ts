import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns unbiased random base62 characters from the system's generator: bytes above the last multiple of 62 are
 * dropped.
 */
export function randomBase62(length: number): string {
  let out = '';
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && out.length < length) out += BASE62[byte % 62];
    }
  }
  return out;
}

function toBase62(value: number, width: number): string {
  let rest = value;
  let out = '';
  for (let i = 0; i < width; i++) {
    out = BASE62[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

const TOKEN_RANDOM = 30;
const TOKEN_CHECK = 6;

/**
 * Creates a token: `prefix_`, 30 random base62 characters (178 bits) and their CRC32 in 6, so that mistyped tokens are
 * refused without a database query.
 */
export function createToken(prefix: string): string {
  const random = randomBase62(TOKEN_RANDOM);
  return `${prefix}_${random}${toBase62(crc32(random), TOKEN_CHECK)}`;
}

export function isWellFormedToken(prefix: string, token: string): boolean {
  if (token.length !== prefix.length + 1 + TOKEN_RANDOM + TOKEN_CHECK || !token.startsWith(`${prefix}_`)) return false;
  const random = token.slice(prefix.length + 1, -TOKEN_CHECK);
  return /^[0-9A-Za-z]+$/.test(random) && toBase62(crc32(random), TOKEN_CHECK) === token.slice(-TOKEN_CHECK);
}

/** Hexadecimal SHA-256 of UTF-8 text. Sufficient for stored tokens: with 178 random bits they cannot be guessed. */
export const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

export type SecretBox = ReturnType<typeof createSecretBox>;

/**
 * Encrypts secrets in the database and its backups: AES-256-GCM with a key derived from `SECRET_KEY`. The context
 * (record and field) is authenticated, so a value copied to another row does not decrypt.
 */
export function createSecretBox(secretKey: string) {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'farmboard secrets v1', 32));
  const box = {
    encrypt(plain: string, context: string): string {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')}`;
    },
    /** @throws Error if the key, the context or the text differs from what was encrypted */
    decrypt(encrypted: string, context: string): string {
      if (!encrypted.startsWith('v1.')) throw new Error('Unknown format of an encrypted value');
      const bytes = Buffer.from(encrypted.slice(3), 'base64');
      // otherwise GCM accepts tags shortened to 4 bytes
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
    /** @returns undefined if the key, the context or the text differs from what was encrypted */
    tryDecrypt(encrypted: string, context: string): string | undefined {
      try {
        return box.decrypt(encrypted, context);
      } catch {
        return undefined;
      }
    },
  };
  return box;
}

/** Signs a text, to verify later that it was created by this service. */
export type Sign = (text: string) => string;

/**
 * Creates signatures shared by all processes with the same `SECRET_KEY`: HMAC-SHA256 in base64url, with a key derived
 * per purpose, so that signatures for one purpose are invalid for another.
 */
export function createSigner(secretKey: string, purpose: string): Sign {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', `farmboard ${purpose} v1`, 32));
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}

/**
 * The signature of reports from outside: HMAC-SHA256 of the time as sent, a dot and the body's bytes.
 * @param time seconds since 1970, as text
 */
export const signTimed = (key: string, time: string, body: Buffer | string): Buffer =>
  createHmac('sha256', key).update(`${time}.`).update(body).digest();

/** Compares in constant time. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
