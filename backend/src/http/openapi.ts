import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../errors.ts';
import { PROBLEMS } from './problem.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** One pushed event, for the document's `webhooks` section. */
export interface WebhookDocument {
  event: string;
  summary: string;
  /** request header → meaning */
  headers: Record<string, string>;
  body: z.ZodType;
}

const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(ERROR_CODES),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    request_id: z.string(),
    requested_grams: z.number().optional().describe('insufficient_stock: what was asked for'),
    available_grams: z.number().optional().describe('insufficient_stock: what is there'),
    shortage_grams: z.number().optional().describe('insufficient_stock: what is missing'),
    allowed: z.array(z.string()).optional().describe('unknown_workflow_status, unknown_event: the values that exist'),
    setting: z.string().optional().describe('blocked_address: the setting that would allow it'),
  })
  .meta({ id: 'Problem', description: 'An error, as RFC 9457 has it. Programs branch on `code`.' });

/** Codes that any route may answer with, whatever it does. */
const COMMON: ErrorCode[] = ['malformed_request', 'unauthorized', 'rate_limited', 'internal_error', 'unavailable'];

/** Codes that only the console's door answers with. */
const CONSOLE_ONLY: readonly ErrorCode[] = ['cross_site'];

function codesOf(route: Route, isConsole: boolean): ErrorCode[] {
  const codes = new Set<ErrorCode>([...COMMON, ...(route.errors ?? [])]);
  if (isConsole && route.method !== 'get') codes.add('cross_site');
  if (route.params) codes.add('not_found');
  if (route.query) codes.add('validation_error');
  if (route.body) {
    for (const code of [
      'malformed_json',
      'json_too_deep',
      'body_too_large',
      'unsupported_media_type',
      'validation_error',
    ] as const) {
      codes.add(code);
    }
  }
  if (route.upload) codes.add('body_too_large').add('unsupported_media_type').add('validation_error');
  if (route.idempotent) codes.add('idempotency_conflict').add('validation_error');
  return [...codes];
}

const RATE_HEADERS = {
  RateLimit: 'what is left of the limit (draft-ietf-httpapi-ratelimit-headers)',
  'RateLimit-Policy': 'the limit itself',
  'X-Request-Id': 'names this request in the log',
};

const toHeaders = (headers: Record<string, string>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

/** What is different in the documents of the doors: what one reads first, and what one has to send. */
const DOORS = {
  '/api/v1': {
    about:
      'The order book of a 3D-printing farm: orders, printers, filament stock, and signed events.\n\nEvery request carries `Authorization: Bearer pat_…`. ',
    scheme: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'A personal access token: `npx farmboard token create`',
      },
    },
  },
  '/console/api': {
    about:
      'The order book of a 3D-printing farm: orders, printers, filament stock, and signed events.\n\nWhat the console in the browser asks, behind the cookie of a signed-in owner. For programs there is /api/v1. ',
    scheme: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'farmboard',
        description: 'A session: POST /session. Over https it is named __Host-farmboard',
      },
    },
  },
  '/agent/v1': {
    about:
      'Where programs beside the printers report prints that ended.\n\nEvery request carries `Authorization: Bearer agt_…`, the token of an agent of one printer or one group. ',
    scheme: {
      agentToken: { type: 'http', scheme: 'bearer', description: 'The token of an agent: made on the Printers page' },
    },
  },
} as const;
type Base = keyof typeof DOORS;

/**
 * The OpenAPI 3.1 document of a door, made from the routes themselves. OpenAPI 3.1 uses JSON Schema as it is, and zod
 * writes that itself: schemas with an id become components, everything else stands where it is used.
 */
export function createOpenApi(deps: {
  base: Base;
  routes: Route[];
  webhooks: WebhookDocument[];
  version: string;
}): () => Json {
  let document: Json | undefined;
  return () => {
    document ??= build(deps);
    return document;
  };
}

function build({ base, routes, webhooks, version }: Parameters<typeof createOpenApi>[0]): Json {
  const isConsole = base === '/console/api';
  const schemas: Json = {};

  /** `io`: what may be sent (input) and what is answered (output) differ where a schema has defaults. */
  function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const suffix = io === 'input' ? 'Input' : '';
    const text = JSON.stringify(made).replace(/"#\/\$defs\/(\w+)"/g, `"#/components/schemas/$1${suffix}"`);
    const { $schema, $defs, ...own } = JSON.parse(text) as Json & { $defs?: Json };
    for (const [id, definition] of Object.entries($defs ?? {})) schemas[id + suffix] ??= definition;
    return own;
  }

  const problemRef = toSchema(Problem, 'output');
  if (!isConsole) {
    const { code } = (schemas.Problem as { properties: { code: { enum: ErrorCode[] } } }).properties;
    code.enum = code.enum.filter((one) => !CONSOLE_ONLY.includes(one));
  }

  function toResponses(route: Route): Json {
    const responses: Json = {};
    for (const [status, response] of Object.entries(route.responses)) {
      responses[status] = {
        description: response.description,
        headers: toHeaders({ ...response.headers, ...RATE_HEADERS }),
        ...(response.types
          ? { content: Object.fromEntries(response.types.map((type) => [type, { schema: {} }])) }
          : {}),
        ...(response.schema
          ? {
              content: {
                [route.stream ? 'text/event-stream' : 'application/json']: {
                  schema: toSchema(response.schema, 'output'),
                },
              },
            }
          : {}),
      };
    }
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of codesOf(route, isConsole)) {
      const { status } = PROBLEMS[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    for (const [status, codes] of byStatus) {
      responses[status] = {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
        headers: toHeaders({
          'X-Request-Id': RATE_HEADERS['X-Request-Id'],
          ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
          ...(status === 429 || status === 503 ? { 'Retry-After': 'seconds to wait' } : {}),
        }),
        content: { 'application/problem+json': { schema: problemRef } },
      };
    }
    return responses;
  }

  function toParameters(route: Route): Json[] {
    const inObject = (object: z.ZodObject | undefined, place: 'path' | 'query'): Json[] => {
      if (!object) return [];
      const { properties, required = [] } = z.toJSONSchema(object, { io: 'input', unrepresentable: 'any' }) as {
        properties: Record<string, Json>;
        required?: string[];
      };
      return Object.entries(properties).map(([name, { description, ...schema }]) => ({
        name,
        in: place,
        required: required.includes(name),
        ...(description ? { description } : {}),
        schema,
      }));
    };
    const headers = {
      ...route.requestHeaders,
      ...(route.idempotent
        ? {
            'Idempotency-Key':
              'up to 128 characters, kept for 30 days: the same request sent again with the same key has no second effect',
          }
        : {}),
    };
    return [
      ...inObject(route.params, 'path'),
      ...inObject(route.query, 'query'),
      ...Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ];
  }

  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    const methods = paths[route.path] as Json;
    methods[route.method] = {
      operationId: route.operationId,
      tags: [route.tag],
      summary: route.summary,
      ...(route.description ? { description: route.description } : {}),
      parameters: toParameters(route),
      ...(route.body
        ? {
            requestBody: { required: true, content: { 'application/json': { schema: toSchema(route.body, 'input') } } },
          }
        : {}),
      ...(route.upload
        ? {
            requestBody: {
              required: true,
              description: route.upload.description,
              content: { 'application/octet-stream': { schema: {} } },
            },
          }
        : {}),
      responses: toResponses(route),
    };
  }

  const described = Object.fromEntries(
    webhooks.map((webhook) => [
      webhook.event,
      {
        post: {
          operationId: `on_${webhook.event.replace('.', '_')}`,
          summary: webhook.summary,
          parameters: Object.entries(webhook.headers).map(([name, description]) => ({
            name,
            in: 'header',
            required: true,
            description,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toSchema(webhook.body, 'output') } },
          },
          responses: { '2XX': { description: 'Received. Anything else is a failed attempt; there is no second one.' } },
        },
      },
    ]),
  );

  return {
    openapi: '3.1.0',
    info: {
      title: 'Farmboard',
      version,
      description:
        DOORS[base].about +
        'Lists answer `items`, `total`, `page`, `per_page`. Errors are `application/problem+json` with a stable `code`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: base }],
    security: Object.keys(DOORS[base].scheme).map((name) => ({ [name]: [] })),
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    webhooks: described,
    components: {
      securitySchemes: DOORS[base].scheme,
      schemas,
    },
  };
}
