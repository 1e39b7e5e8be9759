import { maxHeaderSize } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Answer, createChecker, type OpenApiDocument, placeOf, toPointer } from '../checker.ts';
import { listOperations, type Operation, type Request } from './requests.ts';

/** A request and its response. */
export interface Exchange {
  request: Request;
  answer: Answer<unknown>;
}

/** Returns what is wrong with the response, or false if the check says nothing about it. */
type Check = (exchange: Exchange, documented: Documented) => string | undefined | false;

/** Markers of internal details that must not leak. */
const INNER_PARTS = /\bat .+\.[cm]?[jt]s:\d+|node_modules|SQLITE_|knex|\/backend\//;

/** Headers of HTTP itself and those that every response of the service has for browsers. */
const COMMON_HEADERS = new Set([
  ...['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-type', 'content-length', 'content-encoding'],
  ...['vary', 'cache-control', 'allow', 'content-security-policy', 'cross-origin-opener-policy', 'referrer-policy'],
  ...['cross-origin-resource-policy', 'x-content-type-options', 'x-dns-prefetch-control', 'x-download-options'],
  ...['x-frame-options', 'x-permitted-cross-domain-policies', 'x-xss-protection', 'x-robots-tag', 'x-svc-interface'],
]);

/** Those that a response of the status always has. */
const requiredHeaders = (status: number): string[] => [
  'x-request-id',
  ...(status === 401 ? ['www-authenticate'] : []),
  ...(status === 429 || status === 503 ? ['retry-after'] : []),
  ...(status === 405 ? ['allow'] : []),
];

/** What a valid request may be refused for because of the state of the farm, besides 404, 409 and 412. */
const STATE_CODES = new Set(['channel_limit_reached', 'blocked_address', 'json_too_deep', 'body_too_large']);

/** Rules that schemas can't express, by the text that explains them. */
const RULES = new RegExp(
  [
    'at most \\d decimal places|would be rounded to 0|date that exists|time in the years 0000 to 9999|control characters|must have a visible character|must not be blank',
    'well-formed text|Prices of this account are in|Only signed subscriptions|The URL |because they describe the first batch|send one of the two',
    'No (?:order|printer|printer group|batch) with this ID|exactly one of|sent together with|no order has this ID yet|must not be repeated more|a time that exists|must have at least one of|Grams have been deducted from spools|more than was ever received|Batch not found for this filament|whole number from 1 to|No spools have been received',
    'must be an event of this account|none is stored for a header of this name|sent again with a URL on another host',
  ].join('|'),
);

const isJsonType = (type: string): boolean => /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i.test(type);

/** Bytes of a request before its body, roughly: the connection adds less than a kilobyte. */
const headSize = ({ path, headers }: Request): number => path.length + JSON.stringify(headers).length + 1_000;

/** Whether Node's parser refused the request before the service saw it. */
const isRefusedByParser = ({ request, answer }: Exchange): boolean =>
  answer.status === 431 && answer.text === '' && headSize(request) > maxHeaderSize;

const isSuccess = (status: number): boolean => status < 400;

/** What the request itself would have got, if it was a dry run. */
function outcomeOf(exchange: Exchange): Exchange {
  const { answer } = exchange;
  if (placeOf(answer) === 'responses') return exchange;
  const { status, body } = answer.body as { status: number; body: unknown };
  return { ...exchange, answer: { ...answer, status, body, text: JSON.stringify(body) } };
}

/** These judge the dry run as a response of its own. */
const OF_THE_RESPONSE = new Set([
  'conforms_to_status_type_and_schema',
  'problem_content_type',
  'response_headers_conformance',
]);

/** Validators of requests, made from the OpenAPI document. */
function createValidators(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false });
  const coercing = new Ajv2020({ strict: false, coerceTypes: 'array' });
  for (const one of [ajv, coercing]) {
    addFormats.default(one);
    one.addSchema({ $id: 'openapi', ...document });
  }
  const queries = new Map<string, ReturnType<typeof coercing.compile>>();

  function queryValidator({ operationId, parameters }: Operation) {
    const known = queries.get(operationId);
    if (known) return known;
    const properties = Object.fromEntries(
      parameters.filter((one) => one.in === 'query').map(({ name, schema }) => [name, schema]),
    );
    const made = coercing.compile({ type: 'object', properties, additionalProperties: false });
    queries.set(operationId, made);
    return made;
  }

  return {
    /** What the document forbids about a body. */
    bodyFault({ template, method }: Operation, body: unknown): string | undefined {
      const place = ['paths', template, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
      const $ref = `openapi#${toPointer(...place)}`;
      const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
      return validate(body) ? undefined : ajv.errorsText(validate.errors);
    },
    /** What the document forbids about a query. */
    queryFault(operation: Operation, query: ParsedUrlQuery): string | undefined {
      const validate = queryValidator(operation);
      return validate({ ...query }) ? undefined : coercing.errorsText(validate.errors);
    },
  };
}

/** With numbers rounded, because the service does that before it checks their limits (decision 0027). */
const roundNumbers = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(3)) : value));

const queryOf = ({ path }: Request): ParsedUrlQuery => parse(path.split('?')[1] ?? '');

/** The methods of each path that are documented; HEAD comes with GET. */
function documentedMethods(document: OpenApiDocument): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { template, method } of listOperations(document)) {
    methods.set(template, [...(methods.get(template) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])]);
  }
  return methods;
}

/** What the document says, for the checks. */
function readDocument(document: OpenApiDocument) {
  const { check } = createChecker(document);
  return { document, check, ...createValidators(document), methodsOf: documentedMethods(document) };
}
type Documented = ReturnType<typeof readDocument>;

const isOwnMethod = ({ operation, method }: Request) => method === operation.method;
const pathOf = ({ path }: Request) => (path.split('?')[0] as string).replace(/(.)\/$/, '$1');
const isHeadError = ({ request, answer }: Exchange) => request.method === 'HEAD' && answer.status >= 400;

/** Status, content type and schema, which one function of the kit validates together. */
function conforms(exchange: Exchange, { check }: Documented): string | undefined | false {
  if (isHeadError(exchange)) return exchange.answer.text === '' ? undefined : 'an answer to HEAD has a body';
  try {
    check(exchange.request.method, pathOf(exchange.request), exchange.answer);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether the document allows the whole request and every id in it exists, or did a moment ago. */
function isValid({ request }: Exchange, { bodyFault, queryFault }: Documented): boolean {
  const { operation, text, isDamaged, headers } = request;
  if (!isOwnMethod(request) || !request.isAuthorized || !request.hasOwnIdsOnly || !request.isPlain) return false;
  const query = queryOf(request);
  // only the service knows which cursors it has issued
  if (query.cursor !== undefined || queryFault(operation, query) !== undefined) return false;
  if (!operation.body) return text === undefined;
  if (text === undefined || isDamaged || !isJsonType(headers['Content-Type'] ?? '')) return false;
  return bodyFault(operation, JSON.parse(text)) === undefined;
}

/** The checks of a single exchange, named as in Schemathesis, whose list this is. */
const CHECKS: Record<string, Check> = {
  not_a_server_error: ({ answer }) => (answer.status >= 500 ? `${answer.status}: ${answer.text}` : undefined),
  conforms_to_status_type_and_schema: conforms,
  problem_content_type: (exchange) =>
    isSuccess(exchange.answer.status) || isHeadError(exchange)
      ? false
      : exchange.answer.headers.get('content-type')?.startsWith('application/problem+json')
        ? undefined
        : `an error of type ${exchange.answer.headers.get('content-type')}`,
  response_headers_conformance({ request, answer }, { document }) {
    const missing = requiredHeaders(answer.status).filter((name) => !answer.headers.has(name));
    if (missing.length > 0) return `headers are missing: ${missing}`;
    const documented = document.paths[request.operation.template]?.[request.operation.method.toLowerCase()];
    if (!documented || !isOwnMethod(request)) return undefined;
    const names = Object.keys(documented[placeOf(answer)]?.[String(answer.status)]?.headers ?? {});
    const known = new Set([...COMMON_HEADERS, ...names.map((name) => name.toLowerCase())]);
    const unknown = [...answer.headers.keys()].filter((name) => !known.has(name));
    return unknown.length > 0 ? `undocumented headers of ${answer.status}: ${unknown}` : undefined;
  },
  negative_data_rejection({ request, answer }, { bodyFault, queryFault }) {
    const { operation, text, isDamaged } = request;
    if (!isOwnMethod(request) || request.method === 'HEAD') return false;
    // a refused body may be nested too deep for a function that visits every number
    const read = isSuccess(answer.status) ? roundNumbers : JSON.parse;
    const faults = [
      queryFault(operation, queryOf(request)),
      ...(operation.body
        ? [isDamaged || text === undefined ? 'no JSON document' : bodyFault(operation, read(text))]
        : []),
    ].filter((fault) => fault !== undefined);
    if (faults.length === 0) return false;
    return isSuccess(answer.status) ? `${answer.status} although the document forbids it: ${faults}` : undefined;
  },
  positive_data_acceptance(exchange, documented) {
    if (!isValid(exchange, documented)) return false;
    const { status, body, text } = exchange.answer;
    const { code = '', errors = [] } = (body ?? {}) as { code?: string; errors?: { detail: string }[] };
    if (isSuccess(status) || [404, 409, 412].includes(status) || STATE_CODES.has(code)) return undefined;
    if (code === 'validation_error' && errors.every(({ detail }) => RULES.test(detail))) return undefined;
    return `${status} for a valid request: ${text}`;
  },
  missing_required_header({ request, answer }) {
    const type = request.headers['Content-Type'] ?? '';
    if (!request.operation.body || !isOwnMethod(request) || !request.payload?.length || isJsonType(type)) return false;
    return isSuccess(answer.status) ? `${answer.status} for a body of type "${type}"` : undefined;
  },
  unsupported_method({ request, answer }, { methodsOf }) {
    const allowed = methodsOf.get(request.operation.template) as string[];
    if (!request.isAuthorized || !request.hasOwnIdsOnly || allowed.includes(request.method)) return false;
    const allow = answer.headers.get('allow')?.split(', ').sort().join() ?? '';
    const isRight = answer.status === 405 && allow === [...allowed].sort().join();
    return isRight ? undefined : `${answer.status} with Allow: ${allow}`;
  },
  use_after_free({ request, answer }) {
    if (!request.hasDeletedId || !request.isAuthorized) return false;
    if (isSuccess(answer.status)) return `${answer.status} for an id that was deleted`;
    const mustBeMissing = request.method === 'GET' && isOwnMethod(request) && !request.path.includes('?');
    return mustBeMissing && answer.status !== 404 ? `${answer.status} instead of 404 for a deleted id` : undefined;
  },
  ignored_auth({ request, answer }) {
    if (!request.isAuthorized) return answer.status === 401 ? undefined : `${answer.status} without a valid token`;
    return answer.status === 401 ? '401 with a valid token' : undefined;
  },
  // the rest is ours
  foreign_ids: ({ request, answer }) =>
    request.hasForeignId && isSuccess(answer.status) ? `${answer.status} for another account's id` : undefined,
  inner_parts: ({ answer }) =>
    !isSuccess(answer.status) && INNER_PARTS.test(answer.text) ? 'the answer shows internal details' : undefined,
};

/**
 * Judges every exchange. Two checks of the list are in the suite: `ensure_resource_availability` sends a second request,
 * and `max_response_time` needs the time.
 */
export function createJudge(document: OpenApiDocument) {
  const documented = readDocument(document);
  /** How many exchanges each check said something about. */
  const judged = new Map(Object.keys(CHECKS).map((name) => [name, 0]));
  return {
    judged,
    /** @throws Error that says what is wrong with the response */
    judge(exchange: Exchange): void {
      if (isRefusedByParser(exchange)) return;
      for (const [name, check] of Object.entries(CHECKS)) {
        const fault = check(OF_THE_RESPONSE.has(name) ? exchange : outcomeOf(exchange), documented);
        if (fault === false) continue;
        judged.set(name, (judged.get(name) as number) + 1);
        if (fault !== undefined) throw new Error(`${name}: ${fault}`);
      }
    },
  };
}
