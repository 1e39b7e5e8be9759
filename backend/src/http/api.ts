import type { IncomingHttpHeaders } from 'node:http';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { sha256 } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import type { Actor } from '../accounts/token.ts';
import { DomainError, invalid, notFound } from '../shared/errors.ts';
import type { RateLimit } from '../shared/rate-limit.ts';
import { parseTraceparent } from '../shared/traceparent.ts';
import type { IdempotencyRequest } from '../storage/idempotency/with-idempotency.ts';
import { countRefusal } from './address-limit.ts';
import { isContainer, NO_BODY, rawBodyOf, readBody, readUpload } from './body.ts';
import { type BodySender, knowAddress } from './body-reader.ts';
import { clientOf } from './client.ts';
import { dryRunReply, refusedReply } from './dry-run.ts';
import { toHeaderValue } from './header.ts';
import { checkCursor, linkToNext } from './list.ts';
import { isCrossSite, logRefusal } from './refusals.ts';
import { type Stream, sendProblem, sendReply, sendStream, toDomainError } from './respond.ts';
import { knownFields, type Reply, type Route } from './route.ts';
import { expectation, parseBody, toValidationError } from './validation.ts';

const MAX_KEY_LENGTH = 128;

function toIdempotency(req: Request, rawBody: unknown, key: string): IdempotencyRequest {
  const { pathname } = new URL(req.originalUrl, 'http://localhost');
  return { key, hash: sha256(`${req.method} ${pathname} ${JSON.stringify(rawBody) ?? ''}`) };
}

function readIdempotency(req: Request, rawBody: unknown): IdempotencyRequest | undefined {
  const key = req.get('idempotency-key');
  if (key === undefined) return undefined;
  if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
    throw invalid(
      'header/Idempotency-Key',
      `The Idempotency-Key header must have 1 to ${MAX_KEY_LENGTH} characters; received ${key.length}.`,
    );
  }
  return toIdempotency(req, rawBody, key);
}

type ReadBody = { value: unknown } | { error: unknown };

const toResult = (promise: Promise<unknown>): Promise<ReadBody> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const WITH_EXPECTATION = { error: expectation };
const NO_QUERY = z.strictObject({});

const MAX_IGNORED_NAMED = 20;

/** Names the sent fields that this route ignores, in a response header. */
function ignoredFields(known: ReadonlySet<string> | undefined, rawBody: unknown): Record<string, string> {
  if (!known || !isContainer(rawBody) || Array.isArray(rawBody)) return {};
  const ignored = Object.keys(rawBody).filter((name) => !known.has(name));
  if (ignored.length === 0) return {};
  return { 'X-Svc-Ignored-Fields': ignored.slice(0, MAX_IGNORED_NAMED).map(toHeaderValue).join(', ') };
}

/** The authenticated actor of each request. */
const actors = new WeakMap<Request, Actor>();

/** Of open routes, anyone. */
const senderOf = (req: Request): BodySender => actors.get(req) ?? 'anyone';

/** @throws DomainError not_found, validation_error, or the reason why the body could not be read */
function validate(spec: Route, req: Request, read: ReadBody) {
  const params = spec.params?.safeParse(req.params);
  // malformed ids return 404 like unknown ones
  if (params && !params.success) throw notFound();

  const query = (spec.query ?? NO_QUERY).safeParse(req.query, WITH_EXPECTATION);
  if (!query.success) throw toValidationError(query.error.issues, 'query', req.query);
  checkCursor(spec, req, params?.data, query.data);

  if ('error' in read) throw read.error;
  return {
    params: params?.data as never,
    query: query.data as never,
    body: (spec.body && parseBody(spec.body, spec.optionalBody ? (read.value ?? {}) : read.value)) as never,
    idempotency: spec.idempotent ? readIdempotency(req, read.value) : undefined,
    idempotencyOf: (key: string) => toIdempotency(req, read.value, key),
  };
}

type AnswerDeps = Pick<Stream, 'stopping' | 'isAuthorized'> & Pick<ApiDeps, 'admitBody'>;

/**
 * Handles one request of a route: validates it, calls the handler and responds. @param known the fields its body may
 * have
 */
async function answer(
  spec: Route,
  known: ReadonlySet<string> | undefined,
  req: Request,
  res: Response,
  deps: AnswerDeps,
): Promise<void> {
  const actor = actors.get(req) as Actor;
  // check the signature before reporting errors in the body, even if the body cannot be parsed
  const read = spec.body ? await toResult(readBody(req, res, senderOf(req), spec.anyBody)) : { value: undefined };
  deps.admitBody?.(actor, req, rawBodyOf(req));
  try {
    await handle(spec, known, req, res, read, deps);
  } catch (error) {
    if (isDryRun(spec, req)) return refuseDryRun(res, error);
    throw await withRefusal(spec, actor, read, error);
  }
}

/** Tells the route what was refused. @returns the error to respond with */
async function withRefusal({ refused }: Route, actor: Actor, read: ReadBody, thrown: unknown): Promise<unknown> {
  const error = refused && toDomainError(thrown);
  if (!error) return thrown;
  const facts = await refused({ actor, error, body: 'error' in read ? undefined : read.value });
  const { code, message, faults, retryAfter } = error;
  return new DomainError(code, message, {
    facts: { ...error.facts, ...facts },
    ...(faults && { faults }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

async function handle(
  spec: Route,
  known: ReadonlySet<string> | undefined,
  req: Request,
  res: Response,
  read: ReadBody,
  deps: AnswerDeps,
): Promise<void> {
  const actor = actors.get(req) as Actor;
  const request = {
    actor,
    ...validate(spec, req, read),
    bytes: spec.upload ? await readUpload(req, res, actor, spec.upload) : NO_BODY,
    header: (name: string) => req.get(name),
    // a getter, because only few handlers need it
    get client() {
      return clientOf(req);
    },
  };
  const { stream } = spec;
  if (stream && req.method === 'GET') {
    const open: Stream['open'] = (send, finish) => stream(request, send, finish);
    return sendStream(res, { stopping: deps.stopping, isAuthorized: deps.isAuthorized, open });
  }
  // routes without a body read one only to list ignored fields, so an unreadable body is not an error
  const sent = spec.body || !known ? read : await toResult(readBody(req, res, senderOf(req)));
  const ignored = 'error' in sent ? {} : ignoredFields(known, sent.value);
  const complete = (reply: Reply): Reply => {
    const link = reply.next && { Link: linkToNext(spec, req, request, reply.next) };
    const replayed = reply.replayed && { 'Idempotency-Replayed': 'true' };
    return { ...reply, headers: { ...ignored, ...link, ...replayed, ...reply.headers } };
  };
  if (!isDryRun(spec, req)) return sendReply(res, complete(await spec.handle(request)), senderOf(req));
  const { reply, would } = await (spec.dryRun as DryRun)(request);
  sendReply(res, dryRunReply(complete(reply), would));
}

type DryRun = NonNullable<Route['dryRun']>;

const isDryRun = ({ dryRun }: Route, { query }: Request): boolean => dryRun !== undefined && query.dry_run === 'true';

/** A dry run says what the request would have been refused for; only that it could not be carried out is an error. */
function refuseDryRun(res: Response, thrown: unknown): void {
  const error = toDomainError(thrown);
  if (!error || error.code === 'unavailable') throw thrown;
  sendReply(res, refusedReply(error, String(res.getHeader('X-Request-Id'))));
}

export interface ApiDeps {
  routes: Route[];
  /** routes without authentication; their handlers have no actor */
  openRoutes?: Route[];
  /** rejects requests before authentication by throwing */
  admit?(req: Request, res: Response): void;
  authenticate(headers: IncomingHttpHeaders): Promise<Actor>;
  /** bodies are read before it is known whose they are: addresses of those who were authenticated have room of their own */
  readsUnauthenticated?: true;
  /** rejects requests by actor and raw body by throwing; undefined: the bytes of the body were not kept */
  admitBody?: ((actor: Actor, req: Pick<Request, 'method' | 'headers'>, body: Buffer | undefined) => void) | undefined;
  /** limits requests per account; undefined: no limit */
  rateLimit: RateLimit | undefined;
  /** limits failed authentications per client address; undefined: no limit */
  failedAuthLimit: RateLimit | undefined;
  /** aborted when the service stops, to end streams */
  stopping: AbortSignal;
  logger: Logger;
}

/** Whether the caller may still use the API. A brief database outage must not end a session. */
const isStillAuthorized = (authenticate: ApiDeps['authenticate'], headers: IncomingHttpHeaders): Promise<boolean> =>
  authenticate(headers).then(
    () => true,
    (error: unknown) => !(error instanceof DomainError && error.code === 'unauthorized'),
  );

/**
 * Limits requests per account rather than address, so that users behind one address do not limit each other. The headers
 * are those of draft-ietf-httpapi-ratelimit-headers-08.
 */
const limitRate = (limit: RateLimit) => async (req: Request, res: Response, next: NextFunction) => {
  const { accountId } = actors.get(req) as Actor;
  const { isOver, remaining, retryAfter } = await limit.count(accountId);
  const partition = Buffer.from(sha256(accountId).slice(0, 12)).toString('base64');
  res.setHeader('RateLimit', `"account"; r=${remaining}; t=${retryAfter}`);
  res.setHeader('RateLimit-Policy', `"account"; q=${limit.max}; w=${limit.withinMs / 1000}; pk=:${partition}:`);
  if (!isOver) return next();
  const detail = `More than ${limit.max} requests within a minute. Wait as Retry-After says.`;
  next(new DomainError('rate_limited', detail, { retryAfter }));
};

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses changes with a token that can only read, before anything else is read of the request. */
function refuseChanges(req: Request, _res: Response, next: NextFunction): void {
  const { isReadOnly } = actors.get(req) as Actor;
  const detail =
    'This token can only read. Create one with full access in the console under Integrations → Developers → Access tokens.';
  next(isReadOnly && !READING.has(req.method) ? new DomainError('read_only_token', detail) : undefined);
}

/** Counts a failed authentication. @returns the error to answer with */
async function countFailedAuth(limit: RateLimit | undefined, req: Request, error: unknown): Promise<unknown> {
  if (!(error instanceof DomainError) || error.code !== 'unauthorized') return error;
  const detail = 'Too many requests without a valid credential from your address. Wait as Retry-After says.';
  return countRefusal(limit, req, error, detail);
}

const toPath = (spec: Route): string => spec.path.replace(/\{(\w+)\}/g, ':$1');

/** Reads the token of a route whose callers cannot send it as a bearer token. */
function mountCredential(router: Router, { credential, ...spec }: Route): void {
  if (!credential) return;
  router[spec.method](toPath(spec), (req: Request, res: Response, next: NextFunction) => {
    credential(req.headers.authorization, () => readBody(req, res, 'agent', spec.anyBody)).then((token) => {
      if (token !== undefined) req.headers.authorization = `Bearer ${token}`;
      next();
    }, next);
  });
}

/** Responds to other methods of the routes' paths with 405 and the methods that exist. */
function refuseOtherMethods(router: Router, routes: Route[]): void {
  const methodsOf = new Map<string, string[]>();
  for (const spec of routes) {
    const methods = spec.method === 'get' ? ['GET', 'HEAD'] : [spec.method.toUpperCase()];
    methodsOf.set(toPath(spec), [...(methodsOf.get(toPath(spec)) ?? []), ...methods]);
  }
  for (const [path, methods] of methodsOf) {
    const allow = methods.join(', ');
    router.all(path, (req: Request, res: Response, next: NextFunction) => {
      if (methods.includes(req.method)) return next();
      res.setHeader('Allow', allow);
      const possible = allow.replace(/, (\w+)$/, ' and $1');
      next(new DomainError('method_not_allowed', `This path accepts ${possible}, not ${req.method}.`));
    });
  }
}

/** Builds the router of an API: admit, authenticate, rate-limit, find the route, validate, respond. */
export function createApi(deps: ApiDeps): Router {
  const { routes, openRoutes = [], authenticate, admitBody, rateLimit, failedAuthLimit, stopping } = deps;
  const router = Router({ caseSensitive: true });
  const mount = (spec: Route) => {
    const known = knownFields(spec);
    router[spec.method](toPath(spec), (req: Request, res: Response, next: NextFunction) => {
      const isAuthorized = () => isStillAuthorized(authenticate, req.headers);
      answer(spec, known, req, res, { stopping, admitBody, isAuthorized }).catch(next);
    });
  };

  router.use((req: Request, res: Response, next: NextFunction) => {
    deps.admit?.(req, res);
    next();
  });
  for (const spec of openRoutes) mount(spec);
  for (const spec of routes) mountCredential(router, spec);
  // these callers may have their token where only the right method reads it, so "unauthorized" would mislead them
  refuseOtherMethods(
    router,
    routes.filter(({ credential }) => credential),
  );
  router.use((req: Request, _res: Response, next: NextFunction) => {
    authenticate(req.headers).then(
      (actor) => {
        const traceparent = parseTraceparent(req.headers.traceparent);
        actors.set(req, traceparent ? { ...actor, traceparent } : actor);
        if (deps.readsUnauthenticated) knowAddress(req);
        next();
      },
      (error: unknown) =>
        countFailedAuth(failedAuthLimit, req, error).then((refusal) => {
          logRefusal(deps.logger, req, refusal);
          next(refusal);
        }),
    );
  });
  if (rateLimit) router.use(limitRate(rateLimit));
  router.use(refuseChanges);
  // `/print-jobs/status` before `/print-jobs/{id}`, also for the methods that it doesn't have
  for (const hasId of [false, true]) {
    const isNext = ({ path }: Route) => path.includes('{') === hasId;
    for (const spec of routes.filter(isNext)) mount(spec);
    refuseOtherMethods(router, [...openRoutes, ...routes].filter(isNext));
  }
  router.use((req: Request, _res: Response, next: NextFunction) =>
    next(
      new DomainError(
        'not_found',
        `Route not found. The OpenAPI document at ${req.baseUrl}/openapi.json lists all routes.`,
      ),
    ),
  );
  router.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // failed authentications are logged above, failed sign-ins where the account is known
    const actor = actors.get(req);
    if (actor || isCrossSite(error)) logRefusal(deps.logger, req, error, actor);
    sendProblem(res, error, String(res.getHeader('X-Request-Id')), deps.logger);
  });
  return router;
}
