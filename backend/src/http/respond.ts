import type { Response } from 'express';
import { DomainError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { isUnavailable } from '../storage/dialect.ts';
import { PROBLEMS, toProblem } from './problem.ts';
import type { Reply, SendEvent } from './route.ts';

/** Seconds after which a caller told to wait may try again, where nothing better is known. */
const RETRY_AFTER = '1';

function send(res: Response, status: number, type: string, body: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}

export function sendReply(res: Response, reply: Reply): void {
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if (reply.bytes) {
    res.statusCode = reply.status;
    res.setHeader('Content-Length', reply.bytes.length);
    res.end(reply.bytes);
    return;
  }
  if (reply.body === undefined) {
    res.statusCode = reply.status;
    res.end();
    return;
  }
  send(res, reply.status, 'application/json; charset=utf-8', JSON.stringify(reply.body));
}

/** Often enough that no proxy takes the connection for idle. */
const HEARTBEAT_MS = 20_000;

/** Whoever reads so little that this much waits is let go: the page asks again by itself. */
const MAX_UNREAD_BYTES = 256 * 1024;

export interface Stream {
  /** aborted when the service stops */
  stopping: AbortSignal;
  /** whether the caller may listen on: asked with every heartbeat */
  mayGoOn(): Promise<boolean>;
  /** @returns what ends it */
  open(send: SendEvent): Promise<() => void>;
}

/** Answers with `text/event-stream` until the caller goes away, may not listen any more, or the service stops. */
export async function sendStream(res: Response, { stopping, mayGoOn, open }: Stream): Promise<void> {
  const over = () => res.end();
  const write = (text: string) => {
    if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
    else if (!res.writableEnded) res.write(text);
  };
  const end = await open((event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  // the caller may be gone by now, and the service stopping: nobody would tell us again
  if (res.destroyed || stopping.aborted) {
    end();
    over();
    return;
  }
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    // nginx would collect it
    'X-Accel-Buffering': 'no',
  });
  // a comment: whoever listens knows that from now on nothing is missed
  write(': connected\n\n');
  const heartbeat = setInterval(() => {
    write(': still here\n\n');
    mayGoOn().then((may) => may || over(), over);
  }, HEARTBEAT_MS);
  stopping.addEventListener('abort', over);
  res.on('close', () => {
    stopping.removeEventListener('abort', over);
    clearInterval(heartbeat);
    end();
  });
}

/** What express and body-parser throw: an error with the status that they would answer. */
interface HttpError {
  type?: string;
  status?: number;
}

const BODY_ERRORS: Record<string, DomainError> = {
  'entity.too.large': new DomainError('body_too_large', 'The body may have at most 100 kB (100,000 bytes).'),
  'entity.parse.failed': new DomainError('malformed_json', 'The body is not valid JSON.'),
  'encoding.unsupported': new DomainError(
    'unsupported_media_type',
    'This Content-Encoding is not supported; send the body as it is, or gzip.',
  ),
  'charset.unsupported': new DomainError('unsupported_media_type', 'The body must be JSON in UTF-8.'),
};

function toDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  const { type, status } = error as HttpError;
  if (type && BODY_ERRORS[type]) return BODY_ERRORS[type];
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

/** The status that a failure is answered with, for those who answer with a page. */
export const statusOf = (error: unknown): number => PROBLEMS[toDomainError(error)?.code ?? 'internal_error'].status;

/** Answers any failure in the one error shape; what nobody foresaw is logged once, and told without its inner parts. */
export function sendProblem(res: Response, error: unknown, requestId: string, logger: Logger): void {
  const known = toDomainError(error);
  if (!known) logger.error({ err: error, request_id: requestId }, 'request failed with an unexpected error');
  else if (known.code === 'unavailable')
    logger.error({ err: error, request_id: requestId }, 'the database is unavailable');
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const shown =
    known ??
    new DomainError('internal_error', `Something went wrong. Give the operator this request ID: ${requestId}.`);
  const { status } = PROBLEMS[shown.code];
  if (status === 401 && !res.hasHeader('WWW-Authenticate')) res.setHeader('WWW-Authenticate', 'Bearer');
  if (status === 503 || (status === 429 && !res.hasHeader('Retry-After')))
    res.setHeader('Retry-After', shown.retryAfter ?? RETRY_AFTER);
  send(res, status, 'application/problem+json; charset=utf-8', JSON.stringify(toProblem(shown, requestId)));
}
