import { z } from 'zod';
import { lookupTable } from '../../../common/src/lookup-table.ts';
import { DomainError, ERROR_CODES, type ErrorCode } from '../shared/errors.ts';
import { exampleOf, headerExampleOf, PATH_IDS } from './examples.ts';
import { PROBLEMS, toProblem } from './problem.ts';
import { knownFields, REPLAYED, type Route, type WebhookDocument } from './route.ts';

type Json = Record<string, unknown>;

/** The version of the interface specification that `/api/v1` implements ("Versioning"). */
export const INTERFACE_VERSION = 'v10.0';

const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(ERROR_CODES),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    request_id: z.string(),
    requested_grams: z.number().optional().describe('`insufficient_stock`: the grams requested'),
    available_grams: z.number().optional().describe('`insufficient_stock`: the grams in stock'),
    shortage_grams: z.number().optional().describe('`insufficient_stock`: the grams missing'),
    can_overdraw: z
      .boolean()
      .optional()
      .describe(
        '`insufficient_stock`: whether `allow_overdraw` would deduct them anyway; false if the filament has no batch',
      ),
    allowed: z
      .array(z.string())
      .optional()
      .describe('`unknown_workflow_status`, `unknown_event`: the values that exist'),
    kept: z
      .boolean()
      .optional()
      .describe("agent API: the refused report is shown on the printer's page, where the owner can process it again"),
    id: z
      .uuid()
      .optional()
      .describe(
        '`client_key_in_use`, `external_id_in_use`: the ID of the subscription with this key or the order with this ID',
      ),
    missing_letters: z
      .array(z.object({ pointer: z.string(), letters: z.array(z.string()) }))
      .optional()
      .describe("`validation_error`: the characters that an invoice's PDF can't show"),
    setting: z.string().optional().describe('`blocked_address`: the setting that would allow the address'),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457). Base your logic on `code`.' });

/** Errors that any route may return. */
const COMMON: ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'rate_limited',
  // every route refuses unknown query parameters
  'validation_error',
  'internal_error',
  'unavailable',
];

/** Errors that only one API returns. */
const ONLY_AT: Partial<Record<ErrorCode, Base>> = {
  cross_site: '/console/api',
  password_required: '/console/api',
  read_only_token: '/api/v1',
};

const isAt = (base: Base, code: ErrorCode): boolean => (ONLY_AT[code] ?? base) === base;

function codesOf(route: Route, base: Base): ErrorCode[] {
  const codes = new Set<ErrorCode>([...COMMON, ...(route.errors ?? [])]);
  if (route.method !== 'get') codes.add('cross_site').add('read_only_token');
  if (route.params) codes.add('not_found');
  if (route.body) {
    for (const code of ['malformed_json', 'json_too_deep', 'body_too_large', 'unsupported_media_type'] as const) {
      codes.add(code);
    }
  }
  if (route.upload) codes.add('body_too_large').add('unsupported_media_type');
  if (route.idempotent) codes.add('idempotency_conflict');
  return [...codes].filter((code) => isAt(base, code));
}

const toExample = (code: ErrorCode): Json =>
  ({ ...toProblem(new DomainError(code, PROBLEMS[code].title), '4f2c7a1e-0b7d-4c59-9f43-6d1f7c0e8a25') }) as Json;

const RATE_HEADERS = {
  RateLimit: 'remaining requests (draft-ietf-httpapi-ratelimit-headers)',
  'RateLimit-Policy': 'the limit',
  'X-Request-Id': 'identifies this request in the log',
};

const IGNORED_FIELDS = {
  'X-Svc-Ignored-Fields': 'names of sent fields that cannot be written here, percent-encoded, separated by commas',
};

const IDEMPOTENCY_KEY = {
  'Idempotency-Key':
    'up to 128 characters, kept for 30 days: repeating the request with the same key has no further effect',
};

const LINK = { Link: '`<…&cursor=…>; rel="next"` if there is a next page: its address, relative to this one' };

const toHeaders = (headers: Record<string, string>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

const TAGS = lookupTable<string>({
  Orders: 'Orders and their workflow status, from the first enquiry to the archive.',
  Filaments: 'Filament stock: batches, a ledger, and first-in-first-out consumption.',
  Printers: 'Printers and printer groups (farms).',
  Webhooks: 'Webhook subscriptions, their secrets and their deliveries.',
  Events: 'The event log of the account.',
  Requests: 'Requests from the public profile; an event calls one a lead.',
  Invoices: 'Invoices, their payments and the providers that report them.',
  Account: 'The account and who has access to it.',
  Agents: 'Programs beside the printers, and the prints that they report.',
  'Public profile': 'What the farm shows to visitors, and the form for requests.',
  Live: 'Changes as they happen.',
  'Sample data': 'A farm to look around in, and its removal.',
  Reports: 'Statistics of the overview.',
});

/** Introduction and authentication scheme of each API's document. */
const API_DESCRIPTIONS = {
  '/api/v1': {
    about:
      'Orders, printers, filament stock and signed events of a 3D-printing farm.\n\nEvery request carries `Authorization: Bearer pat_…`. ',
    scheme: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'An access token. Create one with `npx farmboard token create`.',
      },
    },
  },
  '/console/api': {
    about:
      "Orders, printers, filament stock and signed events of a 3D-printing farm.\n\nThe API behind the console; it requires an owner's session cookie. Programs use /api/v1. ",
    scheme: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'farmboard',
        description: 'A session, created with POST /session. Over HTTPS the cookie is named __Host-farmboard.',
      },
    },
  },
  '/agent/v1': {
    about:
      'For programs that report when prints end.\n\nEvery request carries `Authorization: Bearer agt_…`, the token of an agent for one printer or one printer group. ',
    scheme: {
      agentToken: { type: 'http', scheme: 'bearer', description: 'An agent token. Create one on the Printers page.' },
    },
  },
} as const;
type Base = keyof typeof API_DESCRIPTIONS;

/** What a document describes. */
export interface OpenApiDeps {
  base: Base;
  /** asked for once, when the document is read */
  publicUrl(): string;
  routes: Route[];
  webhooks: WebhookDocument[];
  version: string;
}

/** A document while it is built: schemas with an id become its components. */
interface Draft {
  base: Base;
  schemas: Record<string, Json>;
}

/**
 * Generates the OpenAPI 3.1 document of an API from its routes. zod emits JSON Schema, which OpenAPI 3.1 uses unchanged:
 * schemas with an id become components, others are inlined.
 */
export function createOpenApi({ base, publicUrl, routes, webhooks, version }: OpenApiDeps): Json {
  const draft: Draft = { base, schemas: {} };
  const problem = toProblemRef(draft);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: toOperation(draft, route, problem) };
  }
  const { about, scheme } = API_DESCRIPTIONS[base];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farmboard',
      version: base === '/api/v1' ? INTERFACE_VERSION : version,
      'x-release': version,
      description:
        about +
        'Lists return `items`, `total`, `page` and `per_page`. Errors are `application/problem+json` with a stable `code`.',
      contact: { name: 'Farmboard', email: 'hello@farmboard.dev' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // absolute, because programs read the document from a file
    servers: [{ url: publicUrl() + base }],
    security: Object.keys(scheme).map((name) => ({ [name]: [] })),
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: TAGS.get(name) })),
    paths,
    webhooks: Object.fromEntries(webhooks.map((webhook) => [webhook.event, { post: toWebhook(draft, webhook) }])),
    components: { securitySchemes: scheme, schemas: dropExamples(draft.schemas) },
  };
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** openapi-typescript makes fields with a default required, because they are in every response: it is said in words. */
const sayDefault: Override = ({ zodSchema, jsonSchema }) => {
  if (!(zodSchema instanceof z.ZodDefault)) return;
  const { default: usual, description } = jsonSchema;
  delete jsonSchema.default;
  jsonSchema.description = `${description ? `${description}; ` : ''}default \`${usual}\``;
};

/** zod leaves out the default of what is read from a text. */
const keepDefault: Override = ({ zodSchema, jsonSchema }) => {
  if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue as typeof jsonSchema.default;
};

/** `io`: request (input) and response (output) schemas differ where fields have defaults. */
function toSchema({ schemas }: Draft, schema: z.ZodType, io: 'input' | 'output'): Json {
  const override = io === 'input' ? sayDefault : () => undefined;
  const jsonSchema = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
  const suffix = io === 'input' ? 'Input' : '';
  const text = JSON.stringify(jsonSchema).replace(/"#\/\$defs\/(\w+)"/g, `"#/components/schemas/$1${suffix}"`);
  const { $schema, $defs, ...own } = JSON.parse(text) as Json & { $defs?: Record<string, Json> };
  for (const [id, definition] of Object.entries($defs ?? {})) schemas[id + suffix] ??= definition;
  return own;
}

/** Without the `example` of fields, from which the examples of whole bodies are composed. */
const dropExamples = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'example' ? undefined : value)));

/** The reference to the schema of errors, which lists only the codes that this API returns. */
function toProblemRef(draft: Draft): Json {
  const ref = toSchema(draft, Problem, 'output');
  const { code } = (draft.schemas.Problem as { properties: { code: { enum: ErrorCode[] } } }).properties;
  code.enum = code.enum.filter((one) => isAt(draft.base, one));
  return ref;
}

const resolverOf =
  ({ schemas }: Draft) =>
  (ref: string) => {
    const name = ref.split('/').at(-1) as string;
    return { name: name.replace(/Input$/, ''), schema: schemas[name] ?? {} };
  };

function toContent(draft: Draft, schema: z.ZodType, io: 'input' | 'output'): Json {
  const jsonSchema = toSchema(draft, schema, io);
  // zod omits examples from input schemas with transforms
  const own = (schema.meta()?.examples as unknown[] | undefined)?.[0];
  return { schema: dropExamples(jsonSchema), example: own ?? exampleOf(jsonSchema, resolverOf(draft)) };
}

const toOperation = (draft: Draft, route: Route, problem: Json): Json => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  description: route.description ?? `${route.summary}.`,
  parameters: [
    ...toParameters(draft, route, route.params, 'path'),
    ...toParameters(draft, route, route.query, 'query'),
    ...toHeaderParameters({ ...route.requestHeaders, ...(route.idempotent ? IDEMPOTENCY_KEY : {}) }, false, route.path),
  ],
  ...toRequestBody(draft, route),
  responses: { ...toResponses(draft, route), ...toErrors(codesOf(route, draft.base), problem) },
  // beside the others, because generators would make every result a choice of two
  ...(route.dryRunResponses && { 'x-dry-run': toResponses(draft, route, route.dryRunResponses) }),
});

function toParameters(draft: Draft, route: Route, object: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (!object) return [];
  const options = { io: 'input', unrepresentable: 'any', override: keepDefault } as const;
  const { properties, required = [] } = z.toJSONSchema(object, options) as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...own }]) => {
    const schema = toList(own);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description ? { description } : {}),
      ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
      schema: dropExamples(schema),
      example:
        name === 'id' && place === 'path'
          ? PATH_IDS.get(route.path.split('/')[1] as string)
          : exampleOf(schema, resolverOf(draft), '', name),
    };
  });
}

/** One value or a list of them (`repeatable`) is a list: clients repeat the parameter of a plain list alone. */
function toList({ anyOf, ...schema }: Json & { anyOf?: Json[] }): Json {
  const list = anyOf?.find(({ type }) => type === 'array');
  return list ? { ...schema, ...list } : { ...schema, ...(anyOf && { anyOf }) };
}

const toHeaderParameters = (headers: Record<string, string>, required: boolean, path?: string): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
    example: headerExampleOf(name, path),
  }));

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Many clients send an empty object with every POST. What is in it is ignored, and named. */
const OPTIONAL_BODY = {
  requestBody: { required: false, content: { 'application/json': { schema: { type: 'object' }, example: {} } } },
};

function toRequestBody(draft: Draft, { method, body, optionalBody, upload, anyBody }: Route): Json {
  if (upload) {
    const content = { 'application/octet-stream': { schema: {} } };
    return { requestBody: { required: true, description: upload.description, content } };
  }
  if (!body) return method === 'post' || method === 'put' ? OPTIONAL_BODY : {};
  const types = ['application/json', ...(anyBody ? FORM_TYPES : [])];
  const content = Object.fromEntries(types.map((type) => [type, toContent(draft, body, 'input')]));
  return { requestBody: { required: !optionalBody, content } };
}

function toResponses(draft: Draft, route: Route, responses = route.responses): Json {
  const common = {
    ...(knownFields(route) ? IGNORED_FIELDS : {}),
    ...(route.query?.shape.cursor ? LINK : {}),
    ...(route.idempotent ? REPLAYED : {}),
    ...RATE_HEADERS,
    ...(draft.base === '/api/v1' ? { 'X-Svc-Interface': `the version of the API, ${INTERFACE_VERSION}` } : {}),
  };
  const mediaType = route.stream ? 'text/event-stream' : 'application/json';
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, headers, types, schema, type = mediaType }]) => [
      status,
      {
        description,
        headers: toHeaders({ ...headers, ...common }),
        ...(types ? { content: Object.fromEntries(types.map((one) => [one, { schema: {} }])) } : {}),
        ...(schema ? { content: { [type]: toContent(draft, schema, 'output') } } : {}),
      },
    ]),
  );
}

function toErrors(codes: ErrorCode[], problem: Json): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
        headers: toHeaders({
          'X-Request-Id': RATE_HEADERS['X-Request-Id'],
          ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
          ...(status === 429 || status === 503 ? { 'Retry-After': 'seconds to wait' } : {}),
        }),
        content: { 'application/problem+json': { schema: problem, example: toExample(codes[0] as ErrorCode) } },
      },
    ]),
  );
}

const toWebhook = (draft: Draft, { event, summary, headers, optionalHeaders, body }: WebhookDocument): Json => ({
  operationId: `on_${event.replace('.', '_')}`,
  summary,
  parameters: [...toHeaderParameters(headers, true), ...toHeaderParameters(optionalHeaders, false)].map((header) =>
    header.name === 'X-Svc-Event' ? { ...header, example: event } : header,
  ),
  requestBody: { required: true, content: { 'application/json': toContent(draft, body, 'output') } },
  responses: {
    '2XX': { description: "Received. Any other status counts as a failed attempt. Farmboard doesn't retry." },
  },
});
