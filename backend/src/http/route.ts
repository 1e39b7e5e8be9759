import { z } from 'zod';
import type { Actor } from '../accounts/token.ts';
import type { Cursor } from '../shared/cursor.ts';
import type { DomainError, ErrorCode, ErrorFacts } from '../shared/errors.ts';
import { matchesETag, toETag } from '../shared/etag.ts';
import type { IdempotencyRequest, IdempotentResult } from '../storage/idempotency/with-idempotency.ts';

/** The page after the one of a reply. */
export type NextPage = Pick<Cursor, 'page' | 'position'>;

/** The result of a handler: JSON, or bytes with a Content-Type header; neither: no content. */
export interface Reply {
  status: number;
  body?: unknown;
  bytes?: Buffer;
  headers?: Record<string, string | string[]>;
  /** of the body, if it isn't `application/json` */
  type?: string;
  /** the page after this one of a list, for the `Link` header */
  next?: NextPage;
  /** whether the idempotency key was used before, for the header that says so */
  replayed?: boolean;
}

/** What a request would do. */
export interface DryRunResult {
  reply: Reply;
  would: {
    events: { event: string; subject: string }[];
    deliveries: { subscription_id: string; events: number }[];
    deducted_grams: number;
  };
}

/** The input of a handler, authenticated and validated. */
export interface RouteRequest<Params, Query, Body> {
  actor: Actor;
  params: Params;
  query: Query;
  body: Body;
  /** The value of a request header, undefined if absent. */
  header(name: string): string | undefined;
  /** the client's address, for IPv6 its /64 network */
  client: string;
  /** The uploaded file; empty if the route accepts none. */
  bytes: Buffer;
  /** Set if the caller sent an `Idempotency-Key`. */
  idempotency: IdempotencyRequest | undefined;
  /** The same for a key from another source: equal keys with equal bodies are the same request, whatever the source. */
  idempotencyOf(key: string): IdempotencyRequest;
}

/** Sends one server-sent event. */
export type SendEvent = (event: string, data: unknown) => void;

interface ResponseSpec {
  description: string;
  schema?: z.ZodType;
  /** media types of a non-JSON response */
  types?: string[];
  /** of the JSON body, if it isn't `application/json` */
  type?: string;
  headers?: Record<string, string>;
}

/** A file as the request body: `application/octet-stream`. */
export interface Upload {
  maxBytes: number;
  description: string;
}

/** A body whose format the owner of the sending program chooses: JSON of any type and charset, or a form. */
export interface AnyBody {
  /** what to set in that program, for the error if the body is something else */
  advice: string;
}

export interface Refusal {
  actor: Actor;
  error: DomainError;
  /** as parsed from JSON; undefined if it could not be read */
  body: unknown;
}

/** One route. The router and the OpenAPI document read the same declaration, so they cannot diverge. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'delete';
  /** relative to the API, with parameters in braces: `/print-jobs/{id}` */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** a request without a body is one with an empty object */
  optionalBody?: true;
  /** replaces the JSON body */
  upload?: Upload;
  /** further request headers the route reads: name → description */
  requestHeaders?: Record<string, string>;
  responses: Record<number, ResponseSpec>;
  errors?: ErrorCode[];
  /** a POST with effects that accepts `Idempotency-Key` */
  idempotent?: true;
  /** how the body is read if not only as `application/json` */
  anyBody?: AnyBody;
  /** for callers that cannot send `Authorization: Bearer`: extracts the token from another part of the request */
  credential?(authorization: string | undefined, body: () => Promise<unknown>): Promise<string | undefined>;
  handle(request: RouteRequest<never, never, never>): Promise<Reply>;
  /** Does what `handle` would do, and undoes it: for requests with `dry_run`. */
  dryRun?(request: RouteRequest<never, never, never>): Promise<DryRunResult>;
  /** the responses to those, for the OpenAPI document */
  dryRunResponses?: Record<number, ResponseSpec>;
  /** Called for each refused request of an authenticated caller. @returns further members of the error body */
  refused?(refusal: Refusal): Promise<ErrorFacts>;
  /** replaces `handle` for GET: sends events while the caller is connected, or until it calls `finish`. @returns a function that stops it */
  stream?(request: RouteRequest<never, never, never>, send: SendEvent, finish: () => void): Promise<() => void>;
}

/** One webhook event for the `webhooks` section of the OpenAPI document. */
export interface WebhookDocument {
  event: string;
  summary: string;
  /** request header → description */
  headers: Record<string, string>;
  /** the same for those that not every request has */
  optionalHeaders: Record<string, string>;
  body: z.ZodType;
}

type Parsed<S, Otherwise> = S extends z.ZodType ? z.output<S> : Otherwise;

/** What is declared of a route besides its method, path and tag. */
type Declaration<Params, Query, Body, Request> = Omit<
  Route,
  'method' | 'path' | 'tag' | 'params' | 'query' | 'body' | 'handle' | 'dryRun' | 'dryRunResponses' | 'idempotent'
> & {
  params?: Params;
  query?: Query;
  body?: Body;
} & (
    | {
        /** @returns the body of the only response that the route has */
        handle(request: Request): Promise<unknown>;
        reply?: never;
        idempotent?: never;
      }
    | {
        handle(request: Request): Promise<IdempotentResult<unknown>>;
        reply?: never;
        idempotent: true;
      }
    | {
        /** for routes with several responses, headers of their own, or bytes */
        reply(request: Request): Promise<Reply>;
        handle?: never;
        idempotent?: true;
      }
  );

const declare =
  (method: Route['method'], tag: string) =>
  /** Types the handler's parameters by the schemas of the route. */
  <
    Params extends z.ZodObject | undefined = undefined,
    Query extends z.ZodObject | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
  >(
    path: string,
    declaration: Declaration<
      Params,
      Query,
      Body,
      RouteRequest<Parsed<Params, Record<string, never>>, Parsed<Query, Record<string, never>>, Parsed<Body, undefined>>
    >,
  ): Route => {
    const { handle, reply, ...spec } = declaration as unknown as {
      handle?(request: unknown): Promise<unknown>;
      reply?: Route['handle'];
    } & Omit<Route, 'handle'>;
    const [status, another] = Object.keys(spec.responses).map(Number) as [number, number?];
    if (handle && another !== undefined)
      throw new Error(`${method} ${path} has several responses, so it needs reply()`);
    const respond = async (request: unknown): Promise<Reply> => {
      const result = await handle?.(request);
      if (status === 204) return { status };
      return spec.idempotent ? toReply(status, result as IdempotentResult<unknown>) : { status, body: result };
    };
    return { ...spec, method, path, tag, handle: reply ?? respond };
  };

/** Declares routes that the OpenAPI document lists under one tag: `get('/print-jobs/{id}', { … })`. */
export const routesOf = (tag: string) => ({
  get: declare('get', tag),
  post: declare('post', tag),
  put: declare('put', tag),
  remove: declare('delete', tag),
});

const toReply = (status: number, { result, replayed }: IdempotentResult<unknown>): Reply => ({
  status,
  body: result,
  replayed,
});

/** Responds with a new record and its URL. @param path of its kind, relative to the API */
export const created = (path: string, outcome: IdempotentResult<{ id: string }>): Reply => ({
  ...toReply(201, outcome),
  headers: { Location: `/api/v1/${path}/${outcome.result.id}` },
});

/** Responds with a record and its tag, or only that it is still the version that the caller knows. */
export function unlessKnown(ifNoneMatch: string | undefined, version: number | string, body: unknown): Reply {
  const headers = { ETag: toETag(version) };
  return ifNoneMatch !== undefined && matchesETag(ifNoneMatch, version)
    ? { status: 304, headers }
    : { status: 200, body, headers };
}

/** The fields of a body schema; undefined if it ignores none, because it refuses or reads unknown fields. */
function fieldsOf(body: z.core.$ZodType | undefined): ReadonlySet<string> | undefined {
  if (body instanceof z.ZodUnion) return new Set(body.options.flatMap((option) => [...(fieldsOf(option) ?? [])]));
  if (!(body instanceof z.ZodObject) || body.def.catchall) return undefined;
  return new Set(Object.keys(body.shape));
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/**
 * The fields that a request to a route may have; undefined if none are ignored. Routes without a body ignore all
 * fields, and callers should learn that.
 */
export function knownFields({ method, body, upload }: Pick<Route, 'method' | 'body' | 'upload'>) {
  if (body) return fieldsOf(body);
  return upload || method === 'get' ? undefined : NO_FIELDS;
}

/** Documents `If-Match` of records whose version is their `updated_at`. */
export const ifUpdatedAt = (name: string) => ({
  'If-Match': `the \`updated_at\` of the version you are changing, in quotes; 412 if the ${name} has changed since`,
});

/** Documents the header that `replayed` in a `Reply` sends. */
export const REPLAYED = { 'Idempotency-Replayed': '`true` when the key was used before' };

/** The header of two deductions for one order: its documentation, and its value below. */
export const ALREADY_DEDUCTED = {
  'X-Svc-Already-Deducted':
    'grams that were already deducted for this order in the last 24 hours: by print reports in the response to a request, by requests in the response to a print report. Use one of the two for a print; undone deductions do not count',
};

/** @param grams undefined or 0: none */
export const whenAlreadyDeducted = (grams: number | undefined): Record<string, string> =>
  grams ? { 'X-Svc-Already-Deducted': String(grams) } : {};
