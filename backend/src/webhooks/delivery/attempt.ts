/** The error codes of failed attempts with their descriptions; listed in `docs/reference/errors.md`. */
export const ATTEMPT_ERRORS = {
  timeout: 'no response within 10 seconds',
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
  channel_disabled: 'the subscription was turned off before its turn',
  secret_lost: 'the signing secret or the address of the subscription was lost with the secret key of the service',
  unsubscribed: 'the subscription was deleted at the time; it was created again with the same client key',
} as const;
export type AttemptError = keyof typeof ATTEMPT_ERRORS;
export const ATTEMPT_ERROR_CODES = Object.keys(ATTEMPT_ERRORS) as AttemptError[];

/** The result of one request to a receiver. */
export interface AttemptOutcome {
  status: 'succeeded' | 'failed';
  /** HTTP status; null if there was no response */
  responseStatus: number | null;
  error: AttemptError | null;
  durationMs: number;
  /** why the body of the response did not arrive completely, although its status did */
  responseCut?: AttemptError;
}

/** Where a delivery stands; its transitions are drawn in `docs/reference/deliveries.md`. */
export type DeliveryState = 'pending' | 'sending' | 'succeeded' | 'failed';

/** A delivery that has just succeeded or failed, whether or not it was attempted. */
export interface EndedDelivery {
  /** as in X-Svc-Delivery */
  id: string;
  eventId: string;
  /** of the event */
  traceparent: string | null;
  subscriptionId: string;
  outcome: AttemptOutcome;
}

/** The size of the outbox across all accounts. */
export interface OutboxDepth {
  pending: number;
  sending: number;
  /** age of the oldest pending delivery in ms; null if none is pending */
  oldestMs: number | null;
  /** the accounts with the most unfinished deliveries, at most 10 */
  largest: { accountId: string; deliveries: number }[];
}

/** Delivery metrics for the operator. */
export interface DeliveryMetrics {
  /** counts a delivery that reached an end state: `succeeded` or an error code */
  countEnded(outcome: 'succeeded' | AttemptError): void;
  /** observes the time from the commit of a delivery to the first byte of its request */
  observeFirstByte(ms: number): void;
  /** observes the duration of one attempt, from its first byte to the end of the response */
  observeDuration(ms: number): void;
  /** counts claimed deliveries that had been attempted before; stays 0 unless there is a bug */
  countSentAgain(count: number): void;
  /** counts outcomes that arrived after the attempt had been recorded as interrupted */
  countLate(count: number): void;
}
