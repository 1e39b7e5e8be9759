import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { DomainError } from '../shared/errors.ts';
import { type BodyHold, isTooLarge, UnreadableBody } from './body-budget.ts';
import { BODY_WITHIN_MS } from './body-reader.ts';
import { readForm } from './form.ts';

const MAX_TEXT_BYTES = 100_000;
/** A snapshot of 1640 × 1232 pixels, the largest that OctoPrint-Webhooks sends, has a few hundred kB, as PNG up to 6 MB. */
const MAX_FORM_BYTES = 8_000_000;

const tooLarge = (advice: string) =>
  new DomainError(
    'body_too_large',
    `The body may have at most 100 kB (100,000 bytes), or as a form ${MAX_FORM_BYTES / 1_000_000} MB with its files. ${advice}`,
  );

/**
 * Parses what programs send whose owners choose the format: JSON of any type and charset, also as a text in JSON, and
 * urlencoded forms.
 * @throws DomainError malformed_json, unsupported_media_type, body_too_large
 */
export async function parseAnyBody(read: () => Promise<Buffer>, type: string, advice: string): Promise<unknown> {
  try {
    return parseText(decode(await read(), type), type, advice);
  } catch (error) {
    throw isTooLarge(error) ? tooLarge(advice) : error;
  }
}

/**
 * Reads the text fields of a multipart form; files are discarded as they arrive.
 * @throws DomainError unsupported_media_type, body_too_large, malformed_request; UnreadableBody
 */
export async function readFields(req: Request, hold: BodyHold, advice: string): Promise<unknown> {
  try {
    const form = await readForm(req, hold, {
      maxBodyBytes: MAX_FORM_BYTES,
      maxTextBytes: MAX_TEXT_BYTES,
      withinMs: BODY_WITHIN_MS,
    });
    if (form.isTextTooLong) throw tooLarge(advice);
    return Object.fromEntries(form.fields);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    if (error.status === 413) throw tooLarge(advice);
    if (error.status === 415) throw new DomainError('unsupported_media_type', `The form can't be read. ${advice}`);
    if (error.status === 429 || error.status === 503) throw error;
    throw new DomainError('malformed_request', `The form is damaged or did not arrive completely. ${advice}`);
  }
}

/**
 * Decodes a text by its content rather than by what is declared: programs declare a charset without using it. What is
 * not in a known charset is read as Latin-1, because a damaged letter is better than a lost print.
 */
function decode(bytes: Buffer, type: string): string {
  const [, declared = ''] = /;\s*charset\s*=\s*"?([\w:-]+)/i.exec(type) ?? [];
  const charset = charsetOf(bytes, declared);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

function charsetOf(bytes: Buffer, declared: string): string {
  const [first, second] = bytes;
  const isWide = bytes.length > 1 && bytes.length % 2 === 0;
  // a byte order mark, or the first character, which is ASCII in JSON and forms
  if (isWide && ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0))) return 'utf-16le';
  if (isWide && ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0))) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : declared;
}

/** How often a body may be JSON in a text of JSON. */
const MAX_LAYERS = 3;

/** @throws DomainError malformed_json, unsupported_media_type */
function parseText(text: string, type: string, advice: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') throw new DomainError('malformed_json', `The request body is empty. ${advice}`);
  if (trimmed.startsWith('<')) throw new DomainError('unsupported_media_type', `XML isn't accepted here. ${advice}`);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type) || /^[\w.%+-]+=/.test(trimmed);
  try {
    let value: unknown = JSON.parse(trimmed);
    for (let layer = 1; layer < MAX_LAYERS && typeof value === 'string'; layer++) value = JSON.parse(value);
    return value;
  } catch {
    if (isForm) return parseForm(trimmed);
    throw new DomainError('malformed_json', `The body is neither valid JSON nor a form. ${advice}`);
  }
}

/** The fields of an urlencoded form, of repeated ones the first. */
const parseForm = (text: string): unknown => Object.fromEntries([...new URLSearchParams(text)].reverse());
