import { z } from 'zod';
import type { Actor } from '../accounts/token.ts';
import type { ErrorCode } from '../errors.ts';
import type { IdempotencyRequest } from '../idempotency/once.ts';

/** What a handler answers: JSON, or bytes whose type its headers say. Neither: no content. */
export interface Reply {
  status: number;
  body?: unknown;
  bytes?: Buffer;
  headers?: Record<string, string>;
}

/** What a handler is given: everything already authenticated and validated. */
export interface RouteRequest<Params, Query, Body> {
  actor: Actor;
  params: Params;
  query: Query;
  body: Body;
  /** A request header's value, undefined where absent. */
  header(name: string): string | undefined;
  /** the address of whoever asks; of IPv6 the network, for there one has many */
  client: string;
  /** What was uploaded; empty where the route takes no upload. */
  bytes: Buffer;
  /** Present when the caller sent an `Idempotency-Key`. */
  idempotency: IdempotencyRequest | undefined;
  /** The same for a key that came otherwise: with the same body it is the same request, whichever way its key came. */
  idempotencyOf(key: string): IdempotencyRequest;
}

/** One message of a stream, as `text/event-stream` has it. */
export type SendEvent = (event: string, data: unknown) => void;

export interface ResponseSpec {
  description: string;
  schema?: z.ZodType;
  /** an answer that is no JSON: its types */
  types?: string[];
  headers?: Record<string, string>;
}

/** A body that is a file and no JSON: `application/octet-stream`. */
export interface Upload {
  mostBytes: number;
  description: string;
}

/**
 * One route: what the router does and what the OpenAPI document says are read from the same object, so that neither can
 * drift from the other.
 */
export interface Route {
  method: 'get' | 'post' | 'put' | 'delete';
  /** relative to the door, parameters in braces: `/print-jobs/{id}` */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** in place of a JSON body */
  upload?: Upload;
  /** request headers it heeds beside the common ones: name → meaning */
  requestHeaders?: Record<string, string>;
  responses: Record<number, ResponseSpec>;
  errors?: ErrorCode[];
  /** a POST with an effect: heeds `Idempotency-Key` */
  idempotent?: true;
  /** for callers that cannot send `Authorization: Bearer`: finds the token that they send in another way */
  credential?(authorization: string | undefined, body: () => Promise<unknown>): Promise<string | undefined>;
  handle(request: RouteRequest<never, never, never>): Promise<Reply>;
  /** in place of an answer: sends events for as long as the caller listens. @returns what ends it */
  stream?(request: RouteRequest<never, never, never>, send: SendEvent): Promise<() => void>;
}

type Parsed<S, Otherwise> = S extends z.ZodType ? z.output<S> : Otherwise;

/** Types the handler's parameters from the schemas beside it. */
export function route<
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  spec: Omit<Route, 'params' | 'query' | 'body' | 'handle'> & {
    params?: Params;
    query?: Query;
    body?: Body;
    handle(
      request: RouteRequest<
        Parsed<Params, Record<string, never>>,
        Parsed<Query, Record<string, never>>,
        Parsed<Body, undefined>
      >,
    ): Promise<Reply>;
  },
): Route {
  return spec as unknown as Route;
}

/** The fields that a body may have; undefined where what is unknown is refused or read, so that nothing is ignored. */
function fieldsOf(body: z.core.$ZodType | undefined): ReadonlySet<string> | undefined {
  if (body instanceof z.ZodUnion) return new Set(body.options.flatMap((option) => [...(fieldsOf(option) ?? [])]));
  if (!(body instanceof z.ZodObject) || body.def.catchall) return undefined;
  return new Set(Object.keys(body.shape));
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/**
 * The fields that a request to a route may have; undefined where nothing is ignored. Of a route that takes no body all are:
 * whoever sends one expects something of it.
 */
export function knownFields({ method, body, upload }: Pick<Route, 'method' | 'body' | 'upload'>) {
  if (body) return fieldsOf(body);
  return upload || method === 'get' ? undefined : NO_FIELDS;
}

/** The documented header of a replayed answer, and the header itself. */
export const REPLAYED = { 'Idempotency-Replayed': '`true` when the key was used before' };

export const whenReplayed = (replayed: boolean): Record<string, string> =>
  replayed ? { 'Idempotency-Replayed': 'true' } : {};
