/**
 * The stable codes of all errors shown to callers. `http/problem.ts` has their HTTP status and title,
 * `docs/reference/errors.md` their explanation; a test compares them.
 */
export const ERROR_CODES = [
  'malformed_json',
  'json_too_deep',
  'malformed_request',
  'unauthorized',
  'cross_site',
  'password_required',
  'read_only_token',
  'not_found',
  'method_not_allowed',
  'insufficient_stock',
  'invoice_state',
  'idempotency_conflict',
  'client_key_in_use',
  'external_id_in_use',
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

/** One fault of a request: a JSON pointer into the body (or `query/name`, `header/name`) and what is wrong there. */
export interface Fault {
  pointer: string;
  detail: string;
}

/** Further members of the error body for programs, such as `requested_grams` or `allowed`. */
export type ErrorFacts = Record<string, unknown>;

/** An error for the caller: a stable code and a sentence for people. Independent of HTTP. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly faults: Fault[] | undefined;
  readonly facts: ErrorFacts;
  /** seconds until a retry may succeed */
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

/**
 * The same error for unknown ids, deleted records and records of other accounts, so that responses do not reveal which.
 */
export const notFound = (): DomainError => new DomainError('not_found', 'Record not found in this account.');

export const invalid = (pointer: string, detail: string): DomainError =>
  new DomainError('validation_error', detail, { faults: [{ pointer, detail }] });
