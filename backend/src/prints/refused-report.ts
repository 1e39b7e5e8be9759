import { sha256 } from '../../../common/src/crypto.ts';
import type { ErrorCode } from '../shared/errors.ts';
import type { Source } from './report.ts';

/** Refusals that sending the same again doesn't change. Others are temporary, or about the token. */
export const KEPT_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'validation_error',
  'idempotency_conflict',
  'malformed_json',
  'json_too_deep',
  'malformed_request',
  'body_too_large',
  'unsupported_media_type',
]);

/** Reports are far shorter. Messages with a snapshot are longer and not stored. */
const MAX_BODY_LENGTH = 16_000;

const SECRET_FIELD = /secret|token|passw|authorization|api_?key/i;
const TOKEN = /\b(agt|pat)_[0-9A-Za-z]{30,}/g;

/** Copies JSON without secrets: the OctoPrint-Webhooks plugin sends its token in the body. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(TOKEN, '$1_…');
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SECRET_FIELD.test(name))
      .map(([name, inner]) => [name, withoutSecrets(inner)]),
  );
}

/**
 * What is stored of a body. `text` is null if it could not be read, or is too long. The hash recognizes the same content
 * sent again: `sent_at` is new each time.
 */
export function toStoredBody(source: Source, code: ErrorCode, body: unknown): { text: string | null; hash: string } {
  if (body === undefined) return { text: null, hash: sha256(JSON.stringify([source, code])) };
  const clean = withoutSecrets(body);
  const text = JSON.stringify(clean);
  const { sent_at: _, ...content } = fieldsOf(clean);
  const hash = sha256(JSON.stringify([source, Object.keys(content).length > 0 ? content : text]));
  return { text: text.length > MAX_BODY_LENGTH ? null : text, hash };
}

export const fieldsOf = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
