import compression from 'compression';
import type { Response } from 'express';
import type { Logger } from '../../../common/src/logger.ts';
import { DomainError } from '../shared/errors.ts';
import { isUnavailable } from '../storage/dialect.ts';
import { UnreadableBody } from './body-budget.ts';
import { type BodySender, sendFile } from './body-reader.ts';
import { PROBLEMS, toProblem } from './problem.ts';
import type { Reply, SendEvent } from './route.ts';

/** Default Retry-After in seconds. */
const RETRY_AFTER = '1';

/** Compressing smaller responses costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_000;

/** Compresses the response that follows, unless it is short or of a type that doesn't compress. */
export const compress = compression({ threshold: MIN_COMPRESSED_BYTES });

function send(res: Response, status: number, type: string, body: string): void {
  const length = Buffer.byteLength(body);
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', length);
  // even deciding against it takes a tenth of the time of a short response
  if (length < MIN_COMPRESSED_BYTES) res.end(body);
  else compress(res.req, res, () => res.end(body));
}

/** @param reader whose response it is; of open routes, anyone's */
export function sendReply(res: Response, reply: Reply, reader: BodySender = 'anyone'): void {
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if (reply.bytes) {
    res.statusCode = reply.status;
    sendFile(res.req, res, reader, reply.bytes);
    return;
  }
  if (reply.body === undefined) {
    res.statusCode = reply.status;
    res.end();
    return;
  }
  send(res, reply.status, `${reply.type ?? 'application/json'}; charset=utf-8`, JSON.stringify(reply.body));
}

/** Shorter than the idle timeouts of common proxies. */
const HEARTBEAT_MS = 20_000;

/** A client with this many unread bytes is disconnected; the page reconnects and reloads. */
const MAX_UNREAD_BYTES = 64 * 1024;

export interface Stream {
  /** aborted when the service stops */
  stopping: AbortSignal;
  /** whether the caller is still authorized; checked at the start and with every heartbeat */
  isAuthorized(): Promise<boolean>;
  /** @returns a function that is called when the stream has ended */
  open(send: SendEvent, finish: () => void): Promise<() => void>;
}

/** Responds with `text/event-stream` until the caller disconnects, loses authorization, or the service stops. */
export async function sendStream(res: Response, { stopping, isAuthorized, open }: Stream): Promise<void> {
  const finish = () => res.end();
  const write = (text: string) => {
    if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
    else if (!res.writableEnded) res.write(text);
  };
  const end = await open((event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`), finish);
  // the events below would not fire again
  if (res.destroyed || res.writableEnded || stopping.aborted) {
    end();
    finish();
    return;
  }
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    // keeps nginx from buffering
    'X-Accel-Buffering': 'no',
  });
  // a comment, so that the client knows it misses nothing from now on
  write(': connected\n\n');
  const check = () => isAuthorized().then((may) => may || finish(), finish);
  // the authorization may have ended before the stream began to listen
  check();
  const heartbeat = setInterval(() => {
    write(': still here\n\n');
    check();
  }, HEARTBEAT_MS);
  stopping.addEventListener('abort', finish);
  res.on('close', () => {
    stopping.removeEventListener('abort', finish);
    clearInterval(heartbeat);
    end();
  });
}

/** Errors of express, with their HTTP status. */
interface HttpError {
  status?: number;
}

const UNREADABLE: Record<UnreadableBody['status'], DomainError> = {
  400: new DomainError(
    'malformed_request',
    'The body did not arrive whole, or arrived in thousands of tiny pieces. Send it again, in larger ones.',
  ),
  408: new DomainError('malformed_request', 'The body did not arrive in time. Send it again.'),
  413: new DomainError('body_too_large', 'The body may have at most 100 kB (100,000 bytes).'),
  415: new DomainError('unsupported_media_type', "This kind of body isn't accepted here."),
  429: new DomainError('rate_limited', 'Too much is being sent at once. Wait as Retry-After says.'),
  503: new DomainError(
    'unavailable',
    'The service is receiving too much at once. Nothing was changed; try again shortly.',
  ),
};

/** The error to show for any error; undefined if it is unexpected. */
export function toDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (error instanceof UnreadableBody) return UNREADABLE[error.status];
  const { status } = error as HttpError;
  if (error instanceof URIError || (status !== undefined && status >= 400 && status < 500)) {
    return new DomainError('malformed_request', 'The request could not be read: its address or body is malformed.');
  }
  if (isUnavailable(error)) {
    return new DomainError(
      'unavailable',
      'The database is busy or unavailable. Nothing was changed; try again shortly.',
    );
  }
  return undefined;
}

/** The HTTP status of an error, for routers that respond with a page. */
export const statusOf = (error: unknown): number => PROBLEMS[toDomainError(error)?.code ?? 'internal_error'].status;

/** While the database is unavailable, every request fails; one stack in this time is enough to find out why. */
const LOG_AGAIN_MS = 10_000;

/** By logger: when the database was last logged as unavailable, and how many requests failed since. */
const outages = new WeakMap<Logger, { loggedAt: number; failed: number }>();

function logUnavailable(logger: Logger, error: unknown, requestId: string): void {
  const outage = outages.get(logger) ?? { loggedAt: Number.NEGATIVE_INFINITY, failed: 0 };
  outages.set(logger, outage);
  outage.failed += 1;
  if (performance.now() - outage.loggedAt < LOG_AGAIN_MS) return;
  logger.error({ err: error, request_id: requestId, failed: outage.failed }, 'the database is unavailable');
  Object.assign(outage, { loggedAt: performance.now(), failed: 0 });
}

/** Ends the connection with the response where the rest of the body would go on as badly as it began. */
export function closeIfUnread(res: Response, error: unknown): void {
  if (error instanceof UnreadableBody && (error.status === 400 || error.status === 408))
    res.setHeader('Connection', 'close');
}

/** Responds to any error with a problem document. Unexpected errors are logged and shown without details. */
export function sendProblem(res: Response, error: unknown, requestId: string, logger: Logger): void {
  const known = toDomainError(error);
  if (!known) logger.error({ err: error, request_id: requestId }, 'request failed with an unexpected error');
  else if (known.code === 'unavailable' && !(error instanceof UnreadableBody)) logUnavailable(logger, error, requestId);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const shown =
    known ??
    new DomainError('internal_error', `Something went wrong. Give the operator this request ID: ${requestId}.`);
  const { status } = PROBLEMS[shown.code];
  closeIfUnread(res, error);
  if (status === 401 && !res.hasHeader('WWW-Authenticate')) res.setHeader('WWW-Authenticate', 'Bearer');
  if (status === 503 || (status === 429 && !res.hasHeader('Retry-After')))
    res.setHeader('Retry-After', shown.retryAfter ?? RETRY_AFTER);
  send(res, status, 'application/problem+json; charset=utf-8', JSON.stringify(toProblem(shown, requestId)));
}
