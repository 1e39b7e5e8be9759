import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type Response } from 'express';
import { DomainError } from '../shared/errors.ts';
import { readAnyBody } from './any-body.ts';
import { checkCharset } from './charset.ts';
import { checkContentEncoding } from './content-encoding.ts';
import type { AnyBody, Upload } from './route.ts';

const MAX_BODY_BYTES = 100_000;
const MAX_DEPTH = 32;

export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Whether parsed JSON nests deeper than MAX_DEPTH. Iterates level by level, because recursion could overflow the stack.
 */
function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

/** @throws DomainError json_too_deep */
function checkDepth(value: unknown): unknown {
  if (isTooDeep(value)) {
    throw new DomainError('json_too_deep', `The body may be nested at most ${MAX_DEPTH} levels deep.`);
  }
  return value;
}

const isJsonType = (type: string): boolean => /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i.test(type);

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** Raw bodies of requests that were read, for verifying signatures; undefined if the bytes were not kept. */
const bodies = new WeakMap<IncomingMessage, Buffer | undefined>();
export const NO_BODY = Buffer.alloc(0);

/** The body as it was sent; undefined if the bytes were not kept. */
export const rawBodyOf = (req: Request): Buffer | undefined => (bodies.has(req) ? bodies.get(req) : NO_BODY);

const parseJson = express.json({
  limit: MAX_BODY_BYTES,
  strict: false,
  type: () => true,
  verify(req, _res, bytes) {
    bodies.set(req, bytes);
    // express parses an empty chunked or compressed body as {}, although it is not valid JSON
    if (bytes.length === 0) throw new DomainError('malformed_json', 'The request body is empty.');
    if (!isUtf8(bytes)) throw new DomainError('malformed_json', 'The body is not valid UTF-8.');
  },
});

/**
 * Parses the JSON body; undefined without a body. May be called repeatedly. @throws DomainError unsupported_media_type,
 * malformed_json, json_too_deep, body_too_large
 */
export async function readBody(req: Request, res: Response, anyBody?: AnyBody): Promise<unknown> {
  if (bodies.has(req)) return req.body;
  if (!hasBody(req)) return undefined;
  checkContentEncoding(req);
  if (anyBody) {
    req.body = await readAnyBody(req, res, anyBody, (bytes) => bodies.set(req, bytes));
    return checkDepth(req.body);
  }
  if (!isJsonType(req.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  checkCharset(req);
  return new Promise((resolve, reject) => {
    parseJson(req, res, (error?: unknown) => {
      if (error) reject(error);
      else resolve(req.body);
    });
  }).then(checkDepth);
}

/**
 * Reads an uploaded file. Requires application/octet-stream, which HTML forms cannot send cross-site without a
 * preflight. @throws DomainError unsupported_media_type, body_too_large, malformed_request
 */
export function readBytes(req: Request, { maxBytes }: Upload): Promise<Buffer> {
  // a compressed file would be stored as it arrives
  if (req.headers['content-encoding'] !== undefined) {
    throw new DomainError('unsupported_media_type', 'Send the file as it is, without Content-Encoding.');
  }
  if (!/^application\/octet-stream\s*(?:;|$)/i.test(req.headers['content-type'] ?? '')) {
    throw new DomainError(
      'unsupported_media_type',
      'Send the file itself as the body, with Content-Type: application/octet-stream.',
    );
  }
  const tooLarge = () =>
    new DomainError('body_too_large', `The file may have at most ${maxBytes / 1_000_000} MB (${maxBytes} bytes).`);
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
    req.on('close', () =>
      reject(new DomainError('malformed_request', 'The connection was closed before the whole body arrived.')),
    );
  });
}
