/**
 * Every error a caller can be shown, by its stable code. `http/problem.ts` gives each its status and title, and
 * `docs/reference/errors.md` its explanation; a test holds the three equal.
 */
export const ERROR_CODES = [
  'malformed_json',
  'json_too_deep',
  'malformed_request',
  'unauthorized',
  'cross_site',
  'not_found',
  'method_not_allowed',
  'insufficient_stock',
  'invoice_state',
  'idempotency_conflict',
  'version_conflict',
  'precondition_failed',
  'body_too_large',
  'unsupported_media_type',
  'validation_error',
  'unknown_workflow_status',
  'unknown_event',
  'channel_limit_reached',
  'blocked_address',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One fault in what was sent: a JSON pointer into the body (or `query/name`, `header/name`) and what is wrong there. */
export interface Fault {
  pointer: string;
  detail: string;
}

/** Further members of the error's body, for programs: `requested_grams`, `allowed` and the like. */
export type ErrorFacts = Record<string, unknown>;

/** A refusal with a stable code and a sentence for a person. Knows nothing of HTTP. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly faults: Fault[] | undefined;
  readonly facts: ErrorFacts;
  /** seconds after which it may go better */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    more: { faults?: Fault[]; facts?: ErrorFacts; retryAfter?: number } = {},
  ) {
    super(detail);
    this.name = 'DomainError';
    this.code = code;
    this.faults = more.faults;
    this.facts = more.facts ?? {};
    this.retryAfter = more.retryAfter;
  }
}

/** One and the same refusal for an unknown id, a deleted one and another account's: an answer must not tell them apart. */
export const notFound = (): DomainError => new DomainError('not_found', 'Record not found in this account.');

export const invalid = (pointer: string, detail: string): DomainError =>
  new DomainError('validation_error', detail, { faults: [{ pointer, detail }] });
