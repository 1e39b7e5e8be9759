import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { rateLimit } from 'express-rate-limit';
import { z } from 'zod';
import type { Actor } from '../accounts/token.ts';
import { sha256 } from '../crypto.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import type { IdempotencyRequest } from '../idempotency/once.ts';
import type { Logger } from '../logger.ts';
import { clientOf } from './client.ts';
import { toHeaderValue } from './header.ts';
import { type Stream, sendProblem, sendReply, sendStream } from './respond.ts';
import { knownFields, type Route, type Upload } from './route.ts';
import { expectation, toValidationError } from './validation.ts';

const MOST_BODY_BYTES = 100_000;
const MOST_DEPTH = 32;
const MOST_KEY_LENGTH = 128;

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether parsed JSON nests deeper than allowed. Goes level by level: it must not itself run out of stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

const isJsonType = (type: string): boolean => /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i.test(type);

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** The bytes of the bodies that were read, for those who sign them. */
const bodies = new WeakMap<IncomingMessage, Buffer>();
const NO_BODY = Buffer.alloc(0);

const parseJson = express.json({
  limit: MOST_BODY_BYTES,
  strict: false,
  type: () => true,
  verify(req, _res, bytes, encoding) {
    bodies.set(req, bytes);
    // a chunked or compressed body may turn out to be empty, which express reads as {}: it is no JSON
    if (bytes.length === 0) throw new DomainError('malformed_json', 'The request body is empty.');
    // JSON is UTF-8; what is not would be stored with signs put in place of what cannot be read
    if (encoding !== 'utf-8') throw new DomainError('unsupported_media_type', 'The body must be JSON in UTF-8.');
    if (!isUtf8(bytes)) throw new DomainError('malformed_json', 'The body is not valid UTF-8.');
  },
});

/** The parsed body, undefined where there is none. It can be asked for again. */
async function readBody(req: Request, res: Response): Promise<unknown> {
  if (bodies.has(req)) return req.body;
  if (!hasBody(req)) return undefined;
  if (!isJsonType(req.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  return new Promise((resolve, reject) => {
    parseJson(req, res, (error?: unknown) => {
      if (error) reject(error);
      else if (isTooDeep(req.body)) {
        reject(new DomainError('json_too_deep', `The body may be nested at most ${MOST_DEPTH} levels deep.`));
      } else resolve(req.body);
    });
  });
}

/** The bytes of a body that is no JSON, as they are. Their type is one that no form and no other page can send unasked. */
function readBytes(req: Request, { mostBytes }: Upload): Promise<Buffer> {
  if (!/^application\/octet-stream\s*(?:;|$)/i.test(req.headers['content-type'] ?? '')) {
    throw new DomainError(
      'unsupported_media_type',
      'Send the file itself as the body, with Content-Type: application/octet-stream.',
    );
  }
  const tooLarge = () =>
    new DomainError('body_too_large', `The file may have at most ${mostBytes / 1_000_000} MB (${mostBytes} bytes).`);
  if (Number(req.headers['content-length'] ?? 0) > mostBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= mostBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
    req.on('close', () => reject(new DomainError('malformed_request', 'The body ended before its end.')));
  });
}

function toIdempotency(req: Request, rawBody: unknown, key: string): IdempotencyRequest {
  const { pathname } = new URL(req.originalUrl, 'http://localhost');
  return { key, hash: sha256(`${req.method} ${pathname} ${JSON.stringify(rawBody) ?? ''}`) };
}

function readIdempotency(req: Request, rawBody: unknown): IdempotencyRequest | undefined {
  const key = req.get('idempotency-key');
  if (key === undefined) return undefined;
  if (key.length < 1 || key.length > MOST_KEY_LENGTH) {
    throw invalid(
      'header/Idempotency-Key',
      `The Idempotency-Key header must have 1 to ${MOST_KEY_LENGTH} characters; received ${key.length}.`,
    );
  }
  return toIdempotency(req, rawBody, key);
}

const settled = (promise: Promise<unknown>): Promise<{ value: unknown } | { error: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const IN_WORDS = { error: expectation };
const NO_QUERY = z.strictObject({});

const MOST_IGNORED_NAMED = 20;

/** The header that tells the sender which of the sent fields this route does not know. */
function ignoredFields(known: ReadonlySet<string> | undefined, rawBody: unknown): Record<string, string> {
  if (!known || !isContainer(rawBody) || Array.isArray(rawBody)) return {};
  const ignored = Object.keys(rawBody).filter((name) => !known.has(name));
  if (ignored.length === 0) return {};
  return { 'X-Svc-Ignored-Fields': ignored.slice(0, MOST_IGNORED_NAMED).map(toHeaderValue).join(', ') };
}

/** The actor of each request that is being answered. */
const actors = new WeakMap<Request, Actor>();

/** @param known the fields that its body may have */
async function answer(
  spec: Route,
  known: ReadonlySet<string> | undefined,
  req: Request,
  res: Response,
  { stopping, mayGoOn, admitBody }: Pick<Stream, 'stopping' | 'mayGoOn'> & Pick<ApiDeps, 'admitBody'>,
): Promise<void> {
  const actor = actors.get(req) as Actor;
  // whether it is signed comes before what it says, also where that cannot be read
  const read = spec.body ? await settled(readBody(req, res)) : { value: undefined };
  admitBody?.(actor, req, bodies.get(req) ?? NO_BODY);
  // an id that is no id names no record
  const params = spec.params ? spec.params.safeParse(req.params) : undefined;
  if (params && !params.success) throw notFound();

  const query = (spec.query ?? NO_QUERY).safeParse(req.query, IN_WORDS);
  if (!query.success) throw toValidationError(query.error.issues, 'query', req.query);

  if ('error' in read) throw read.error;
  const rawBody = read.value;
  const body = spec.body?.safeParse(rawBody, IN_WORDS);
  if (body && !body.success) throw toValidationError(body.error.issues, '', rawBody);

  const request = {
    actor,
    params: params?.data as never,
    query: query.data as never,
    body: body?.data as never,
    bytes: spec.upload ? await readBytes(req, spec.upload) : Buffer.alloc(0),
    rawBody,
    header: (name: string) => req.get(name),
    // looked up by the few who count by it
    get client() {
      return clientOf(req);
    },
    idempotency: spec.idempotent ? readIdempotency(req, rawBody) : undefined,
    idempotencyOf: (key: string) => toIdempotency(req, rawBody, key),
  };
  const { stream } = spec;
  if (stream && req.method === 'GET')
    await sendStream(res, { stopping, mayGoOn, open: (send) => stream(request, send) });
  else {
    // a route without a body reads one only to name its ignored fields; an unreadable one is not an error
    const sent = spec.body || !known ? read : await settled(readBody(req, res));
    const reply = await spec.handle(request);
    const ignored = 'error' in sent ? {} : ignoredFields(known, sent.value);
    sendReply(res, { ...reply, headers: { ...ignored, ...reply.headers } });
  }
}

export interface ApiDeps {
  routes: Route[];
  /** answered to anybody; their handlers have no actor */
  openRoutes?: Route[];
  /** throws what refuses a request whoever sent it */
  admit?(req: Request, res: Response): void;
  authenticate(headers: IncomingHttpHeaders): Promise<Actor>;
  /** throws what refuses a request of this actor with these bytes as its body */
  admitBody?(actor: Actor, req: Pick<Request, 'method' | 'headers'>, body: Buffer): void;
  rateLimitPerMinute: number;
  /** aborted when the service stops: streams end then */
  stopping: AbortSignal;
  logger: Logger;
}

/** A door: admit, authenticate, count, find the route, validate, answer. */
export function createApi({
  routes,
  openRoutes = [],
  admit,
  authenticate,
  admitBody,
  rateLimitPerMinute,
  stopping,
  logger,
}: ApiDeps): Router {
  const router = Router({ caseSensitive: true });
  const toPath = (spec: Route) => spec.path.replace(/\{(\w+)\}/g, ':$1');
  const mount = (spec: Route) => {
    const known = knownFields(spec);
    router[spec.method](toPath(spec), (req: Request, res: Response, next: NextFunction) => {
      const mayGoOn = () =>
        authenticate(req.headers).then(
          () => true,
          // a database that is away for a moment ends nobody's session
          (error: unknown) => !(error instanceof DomainError && error.code === 'unauthorized'),
        );
      answer(spec, known, req, res, { stopping, mayGoOn, admitBody }).catch(next);
    });
  };

  router.use((req: Request, res: Response, next: NextFunction) => {
    admit?.(req, res);
    next();
  });
  for (const spec of openRoutes) mount(spec);
  for (const { credential, ...spec } of routes) {
    if (!credential) continue;
    router[spec.method](toPath(spec), (req: Request, res: Response, next: NextFunction) => {
      credential(req.headers.authorization, () => readBody(req, res)).then((token) => {
        if (token !== undefined) req.headers.authorization = `Bearer ${token}`;
        next();
      }, next);
    });
  }

  router.use((req: Request, _res: Response, next: NextFunction) => {
    authenticate(req.headers).then((actor) => {
      actors.set(req, actor);
      next();
    }, next);
  });

  if (rateLimitPerMinute > 0) {
    router.use(
      rateLimit({
        windowMs: 60_000,
        limit: rateLimitPerMinute,
        standardHeaders: 'draft-8',
        legacyHeaders: false,
        identifier: 'account',
        // by account, after authentication: a shop behind one address is not throttled for its neighbours
        keyGenerator: (req) => (actors.get(req as Request) as Actor).accountId,
        validate: false,
        handler: (_req, _res, next) =>
          next(
            new DomainError(
              'rate_limited',
              `More than ${rateLimitPerMinute} requests within a minute. Wait as Retry-After says.`,
            ),
          ),
      }),
    );
  }

  const methodsOf = new Map<string, string[]>();
  for (const spec of [...openRoutes, ...routes]) {
    const path = toPath(spec);
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), spec.method.toUpperCase()]);
  }
  for (const spec of routes) mount(spec);
  for (const [path, methods] of methodsOf) {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    router.all(path, (req: Request, res: Response, next: NextFunction) => {
      res.setHeader('Allow', allow);
      const possible = allow.replace(/, (\w+)$/, ' and $1');
      next(new DomainError('method_not_allowed', `This address takes ${possible}, not ${req.method}.`));
    });
  }
  router.use((req: Request, _res: Response, next: NextFunction) =>
    next(
      new DomainError(
        'not_found',
        `Route not found. The OpenAPI document at ${req.baseUrl}/openapi.json lists all routes.`,
      ),
    ),
  );
  router.use((error: unknown, _req: Request, res: Response, _next: NextFunction) =>
    sendProblem(res, error, String(res.getHeader('X-Request-Id')), logger),
  );
  return router;
}
