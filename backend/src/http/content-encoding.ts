import type { IncomingMessage } from 'node:http';
import { DomainError } from '../shared/errors.ts';

/** Codings whose decoders need little memory: those of brotli and Zstandard allocate whole windows of up to 128 MB. */
const CODINGS: readonly string[] = ['', 'identity', 'gzip', 'deflate'];

export const UNSUPPORTED_CODING = new DomainError(
  'unsupported_media_type',
  'This Content-Encoding is not supported; send the body as it is, or gzip.',
);

/**
 * Refuses bodies in any other coding, and in several, before a byte of the body is read.
 * @throws DomainError unsupported_media_type
 */
export function checkContentEncoding({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding'] ?? '';
  if (CODINGS.includes(coding.trim().toLowerCase())) return;
  throw UNSUPPORTED_CODING;
}
