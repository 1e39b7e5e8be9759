import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { DomainError } from '../shared/errors.ts';
import { parseAnyBody, readFields } from './any-body.ts';
import { type BodyHold, isTooLarge } from './body-budget.ts';
import { admitBody, BODY_WITHIN_MS, type BodySender, readWhole, UPLOAD_WITHIN_MS } from './body-reader.ts';
import { checkCharset } from './charset.ts';
import { checkContentEncoding, decodeBody, isEncoded } from './content-encoding.ts';
import type { AnyBody, Upload } from './route.ts';

const MAX_BODY_BYTES = 100_000;
const MAX_DEPTH = 32;
/** Measured: what an object or array of parsed JSON takes beside its text, at least. */
const CONTAINER_BYTES = 64;

export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Counts the objects and arrays of parsed JSON. Iterates level by level, because recursion could overflow the stack.
 * @throws DomainError json_too_deep
 */
function countContainers(value: unknown): number {
  let count = 0;
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new DomainError('json_too_deep', `The body may be nested at most ${MAX_DEPTH} levels deep.`);
    count += level.length;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return count;
}

const isJsonType = (type: string): boolean => /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i.test(type);

export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Raw bodies of requests that were read, for verifying signatures; undefined if the bytes were not kept. */
const bodies = new WeakMap<IncomingMessage, Buffer | undefined>();
export const NO_BODY = Buffer.alloc(0);

/** The body as it was sent, but decoded; undefined if the bytes were not kept. */
export const rawBodyOf = (req: Request): Buffer | undefined => (bodies.has(req) ? bodies.get(req) : NO_BODY);

/** Reads a whole body of the usual size and decodes it. */
async function readBytes(req: Request, hold: BodyHold): Promise<Buffer> {
  const sent = await readWhole(req, { maxBytes: MAX_BODY_BYTES, withinMs: BODY_WITHIN_MS }, hold);
  const bytes = decodeBody(req, sent, MAX_BODY_BYTES);
  if (bytes !== sent) hold.grow(bytes.length);
  bodies.set(req, bytes);
  return bytes;
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new DomainError('malformed_json', 'The request body is empty.');
  if (!isUtf8(bytes)) throw new DomainError('malformed_json', 'The body is not valid UTF-8.');
  try {
    // without a byte order mark
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new DomainError('malformed_json', 'The body is not valid JSON.');
  }
}

async function readJson(req: Request, hold: BodyHold): Promise<unknown> {
  if (!isJsonType(req.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  checkCharset(req);
  return parseJson(await readBytes(req, hold));
}

async function readAnyBody(req: Request, hold: BodyHold, { advice }: AnyBody): Promise<unknown> {
  const type = req.headers['content-type'] ?? '';
  if (/^multipart\//i.test(type)) {
    bodies.set(req, undefined);
    return readFields(req, hold, advice);
  }
  return parseAnyBody(() => readBytes(req, hold), type, advice);
}

/**
 * Parses the body; undefined without a body. May be called repeatedly.
 * @throws DomainError unsupported_media_type, malformed_json, json_too_deep; UnreadableBody
 */
export async function readBody(req: Request, res: Response, sender: BodySender, anyBody?: AnyBody): Promise<unknown> {
  if (bodies.has(req)) return req.body;
  if (!hasBody(req)) return undefined;
  checkContentEncoding(req);
  const hold = admitBody(req, res, sender, MAX_BODY_BYTES);
  req.body = anyBody ? await readAnyBody(req, hold, anyBody) : await readJson(req, hold);
  // parsed it can take many times its length, and it is kept until the response
  hold.grow(countContainers(req.body) * CONTAINER_BYTES);
  return req.body;
}

/**
 * Reads an uploaded file. Requires application/octet-stream, which HTML forms cannot send cross-site without a
 * preflight. @throws DomainError unsupported_media_type, body_too_large; UnreadableBody
 */
export async function readUpload(
  req: Request,
  res: Response,
  sender: BodySender,
  { maxBytes }: Upload,
): Promise<Buffer> {
  // a compressed file would be stored as it arrives
  if (isEncoded(req)) {
    throw new DomainError('unsupported_media_type', 'Send the file as it is, without Content-Encoding.');
  }
  if (!/^application\/octet-stream\s*(?:;|$)/i.test(req.headers['content-type'] ?? '')) {
    throw new DomainError(
      'unsupported_media_type',
      'Send the file itself as the body, with Content-Type: application/octet-stream.',
    );
  }
  const hold = admitBody(req, res, sender, maxBytes);
  return readWhole(req, { maxBytes, withinMs: UPLOAD_WITHIN_MS }, hold).catch((error: unknown) => {
    throw isTooLarge(error)
      ? new DomainError('body_too_large', `The file may have at most ${maxBytes / 1_000_000} MB (${maxBytes} bytes).`)
      : error;
  });
}

/** Reads a body as it was sent, for verifying a signature. @throws DomainError unsupported_media_type, UnreadableBody */
export function readRaw(req: Request, res: Response): Promise<Buffer> {
  if (isEncoded(req)) {
    throw new DomainError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
  }
  const hold = admitBody(req, res, 'anyone', MAX_BODY_BYTES);
  return readWhole(req, { maxBytes: MAX_BODY_BYTES, withinMs: BODY_WITHIN_MS }, hold);
}
