/** How a channel's requests are written: our signed envelope, or the body of a chat service's incoming webhook. */
export const CHANNEL_FORMATS = ['signed', 'slack', 'discord'] as const;
export type ChannelFormat = (typeof CHANNEL_FORMATS)[number];

/** Why an attempt failed: a fixed vocabulary, listed in `docs/reference/errors.md`. */
export const ATTEMPT_ERRORS = {
  timeout: 'no complete answer within 10 seconds',
  connection_refused: 'nothing listens at the address',
  connection_reset: 'the connection was closed before an answer',
  dns_error: 'the host name could not be resolved',
  tls_error: 'the encrypted connection could not be made or its certificate not verified',
  http_status: 'the receiver answered a status other than 2xx',
  redirect: 'the receiver answered a redirect; these are not followed',
  blocked_address: 'the address is not one webhooks may go to (WEBHOOK_ALLOWED_HOSTS)',
  invalid_response: 'the answer was not HTTP',
  network_error: 'the network failed in another way',
  interrupted: 'the service ended or stood still while the request was under way; whether it arrived is not known',
  expired: 'it could not be attempted within an hour of its commit',
  channel_disabled: 'the channel was switched off before its turn',
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
