import type { Request } from 'express';
import { DomainError } from '../shared/errors.ts';
import { quote } from '../shared/names.ts';

const MAX_SHOWN = 30;

/** Every text in ASCII is one in UTF-8. */
const ASCII = /^(?:us-)?ascii$/i;

/** The canonical name of a charset, by any name that browsers know (`UTF8`); undefined for others. */
function nameOf(charset: string): string | undefined {
  if (ASCII.test(charset)) return 'utf-8';
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Requires that the body is declared as UTF-8, by any of its names, or not declared; whether it is, shows when it is read.
 * @throws DomainError unsupported_media_type
 */
export function checkCharset(req: Pick<Request, 'headers'>): void {
  const { 'content-type': type = '' } = req.headers;
  const charset = /;\s*charset\s*=\s*["']?([^"';]*)/i.exec(type)?.[1]?.trim() ?? '';
  if (charset !== '' && nameOf(charset) !== 'utf-8') {
    throw new DomainError(
      'unsupported_media_type',
      `The Content-Type header declares the charset ${quote(charset.slice(0, MAX_SHOWN))}. Send JSON in UTF-8, with Content-Type: application/json.`,
    );
  }
}
