import type { DomainError, ErrorCode } from '../shared/errors.ts';

/** HTTP status and title of every error code; the compiler checks that it is complete. */
export const PROBLEMS: Record<ErrorCode, { status: number; title: string }> = {
  malformed_json: { status: 400, title: 'Invalid JSON' },
  json_too_deep: { status: 400, title: 'JSON nested too deeply' },
  malformed_request: { status: 400, title: 'Malformed request' },
  unauthorized: { status: 401, title: 'Authentication required' },
  cross_site: { status: 403, title: 'Cross-site request refused' },
  password_required: { status: 403, title: 'Password required' },
  read_only_token: { status: 403, title: 'The token can only read' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  insufficient_stock: { status: 409, title: 'Not enough filament in stock' },
  invoice_state: { status: 409, title: "Invoice state doesn't allow this" },
  idempotency_conflict: { status: 409, title: 'Idempotency key already used' },
  client_key_in_use: { status: 409, title: 'Client key already in use' },
  external_id_in_use: { status: 409, title: 'External ID already in use' },
  version_conflict: { status: 409, title: 'Conflicting change' },
  precondition_failed: { status: 412, title: 'Not the current version' },
  body_too_large: { status: 413, title: 'Request body too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  validation_error: { status: 422, title: 'Invalid request' },
  unknown_workflow_status: { status: 422, title: 'Unknown workflow status' },
  unknown_event: { status: 422, title: 'Unknown event name' },
  channel_limit_reached: { status: 422, title: 'Webhook subscription limit reached' },
  blocked_address: { status: 422, title: "Webhooks can't be sent to this address" },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'Service unavailable' },
};

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors?: { pointer: string; detail: string }[];
  request_id: string;
}

/**
 * Builds the RFC 9457 body of an error. `type` is a URN rather than a URL, because a server on a LAN has no public
 * pages.
 */
export const toProblem = (error: DomainError, requestId: string): ProblemBody => ({
  ...toItemProblem(error),
  request_id: requestId,
});

/** The same for one of several records in a request. */
export function toItemProblem(error: DomainError): Omit<ProblemBody, 'request_id'> {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: `urn:farmboard:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(error.faults ? { errors: error.faults } : {}),
    ...error.facts,
  };
}
