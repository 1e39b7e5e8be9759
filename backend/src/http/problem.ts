import type { DomainError, ErrorCode } from '../errors.ts';

/** Status and title of every error code; the compiler holds it complete. */
export const PROBLEMS: Record<ErrorCode, { status: number; title: string }> = {
  malformed_json: { status: 400, title: 'The body is not JSON' },
  json_too_deep: { status: 400, title: 'The body is nested too deeply' },
  malformed_request: { status: 400, title: 'The request cannot be read' },
  unauthorized: { status: 401, title: 'A valid access token is needed' },
  cross_site: { status: 403, title: 'A page of another site may not do this' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  insufficient_stock: { status: 409, title: 'Not enough filament in stock' },
  invoice_state: { status: 409, title: 'Not possible with this invoice as it is' },
  idempotency_conflict: { status: 409, title: 'The idempotency key belongs to another request' },
  version_conflict: { status: 409, title: 'Changed by others at the same time' },
  precondition_failed: { status: 412, title: 'The record has changed since it was read' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  validation_error: { status: 422, title: 'The request has invalid values' },
  unknown_workflow_status: { status: 422, title: 'Unknown workflow status' },
  unknown_event: { status: 422, title: 'Unknown event name' },
  channel_limit_reached: { status: 422, title: 'All webhook channels are in use' },
  blocked_address: { status: 422, title: 'Webhooks may not go to this address' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service cannot answer just now' },
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

/** The RFC 9457 body of an error. `type` is a stable name, not an address: an order book on a LAN has no public pages. */
export function toProblem(error: DomainError, requestId: string): ProblemBody {
  const { status, title } = PROBLEMS[error.code];
  return {
    type: `urn:farmboard:error:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(error.faults ? { errors: error.faults } : {}),
    ...error.facts,
    request_id: requestId,
  };
}
