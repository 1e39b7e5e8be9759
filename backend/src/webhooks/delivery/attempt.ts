/** How a channel's requests are written: our signed envelope, or the body of a chat service's incoming webhook. */
export const CHANNEL_FORMATS = ['signed', 'slack', 'discord'] as const;
export type ChannelFormat = (typeof CHANNEL_FORMATS)[number];

/** Why an attempt failed: a fixed vocabulary, listed in `docs/reference/errors.md`. */
export const ATTEMPT_ERRORS = {
  timeout: 'no complete response within 10 seconds',
  connection_refused: 'nothing is listening at the address',
  connection_reset: 'the connection was closed before a response arrived',
  dns_error: 'the host name could not be resolved',
  tls_error: 'the TLS connection failed or the certificate could not be verified',
  http_status: 'the receiver responded with a status other than 2xx',
  redirect: 'the receiver responded with a redirect; redirects are not followed',
  blocked_address: 'webhooks may not be sent to this address (WEBHOOK_ALLOWED_HOSTS)',
  invalid_response: 'the response was not valid HTTP',
  network_error: 'another network error',
  interrupted: 'the service stopped or froze during the request; it may or may not have arrived',
  expired: 'it could not be sent within an hour of the event',
  channel_disabled: 'the channel was turned off before its turn',
} as const;
export type AttemptError = keyof typeof ATTEMPT_ERRORS;

/** How one request to a receiver ended. */
export interface AttemptOutcome {
  status: 'succeeded' | 'failed';
  /** the HTTP status, null where there was no answer */
  responseStatus: number | null;
  error: AttemptError | null;
  durationMs: number;
}

/** What waits in the outbox of the whole database. */
export interface OutboxDepth {
  pending: number;
  sending: number;
  /** when the oldest pending delivery was committed, ms; null: nothing waits */
  oldestAt: number | null;
}

/** Where the delivery of events is counted, for the operator. */
export interface DeliveryMetrics {
  /** deliveries reached an end state: `succeeded`, or why not */
  ended(outcome: 'succeeded' | AttemptError, count?: number): void;
  /** one attempt, from its first byte to the end of its answer */
  took(ms: number): void;
  /** deliveries were claimed that had been attempted before: never, unless the code is wrong */
  sentAgain(count: number): void;
  /** outcomes came when others had recorded the attempts as interrupted */
  cameLate(count: number): void;
}
