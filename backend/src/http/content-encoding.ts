import type { IncomingMessage } from 'node:http';
import { gunzipSync, inflateSync } from 'node:zlib';
import { DomainError } from '../shared/errors.ts';
import { UnreadableBody } from './body-budget.ts';

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

/** Codings whose decoders need little memory: those of brotli and Zstandard allocate whole windows of up to 128 MB. */
const DECODERS: ReadonlyMap<string, Decode | undefined> = new Map([
  ['', undefined],
  ['identity', undefined],
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
]);

const codingOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string =>
  (headers['content-encoding'] ?? '').trim().toLowerCase();

/**
 * Refuses bodies in any other coding, and in several, before a byte of the body is read.
 * @throws DomainError unsupported_media_type
 */
export function checkContentEncoding(req: Pick<IncomingMessage, 'headers'>): void {
  if (DECODERS.has(codingOf(req))) return;
  throw new DomainError(
    'unsupported_media_type',
    'This Content-Encoding is not supported; send the body as it is, or gzip.',
  );
}

/** Whether the body is sent as it is. */
export const isEncoded = (req: Pick<IncomingMessage, 'headers'>): boolean => !['', 'identity'].includes(codingOf(req));

/** Decodes a whole body, to a limited length. @throws UnreadableBody, DomainError malformed_request */
export function decodeBody(req: Pick<IncomingMessage, 'headers'>, bytes: Buffer, maxBytes: number): Buffer {
  const decode = DECODERS.get(codingOf(req));
  if (!decode || bytes.length === 0) return bytes;
  try {
    return decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new UnreadableBody(413);
    throw new DomainError('malformed_request', 'The body could not be decompressed as its Content-Encoding says.');
  }
}
