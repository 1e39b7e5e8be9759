import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  /** The parsed body; undefined if there is none. */
  body: T;
  text: string;
}

type Responses = Record<
  string,
  { content?: Record<string, { schema: unknown }>; headers?: Record<string, unknown> } | undefined
>;

interface Operation {
  responses: Responses;
  'x-dry-run'?: Responses;
}

/** Where an operation documents a response. */
export const placeOf = ({ headers }: Pick<Answer, 'headers'>): 'responses' | 'x-dry-run' =>
  headers.get('content-type')?.includes('dry-run') ? 'x-dry-run' : 'responses';

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: unknown }> } } }>;
}

/** The fragment of a URI that refers to a part of a document (RFC 6901, section 6), without its `#`. */
export const toPointer = (...parts: string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))}`).join('');

/**
 * Validates responses with an OpenAPI document: documented status and content type, and a body without unknown
 * properties.
 * @throws Error otherwise
 */
export function createChecker(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', ...document });
  const validators = new Map<string, ReturnType<typeof ajv.compile>>();

  function validatorOf(pointer: string) {
    let validate = validators.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `openapi#${pointer}` });
      validators.set(pointer, validate);
    }
    return validate;
  }

  function operationOf(method: string, path: string): { template: string; operation: Operation } | undefined {
    const wanted = path.split('/');
    // `/print-jobs/status` isn't `/print-jobs/{id}`, whatever the method
    const own = document.paths[path];
    for (const [template, methods] of own ? [[path, own] as const] : Object.entries(document.paths)) {
      const parts = template.split('/');
      const fits =
        parts.length === wanted.length && parts.every((part, i) => part.startsWith('{') || part === wanted[i]);
      const operation = methods[method === 'head' ? 'get' : method];
      if (fits && operation) return { template, operation };
    }
    return undefined;
  }

  /** For an undocumented operation only the error format can be checked. */
  function checkProblem(where: string, answer: Answer<unknown>): void {
    if (answer.status >= 400 && !validatorOf('/components/schemas/Problem')(answer.body))
      throw new Error(`${where}: not a problem: ${answer.text}`);
  }

  function checkSchema(where: string, pointer: string, body: unknown, text = ''): void {
    const validate = validatorOf(pointer);
    if (!validate(body)) throw new Error(`${where} does not fit its schema: ${ajv.errorsText(validate.errors)}${text}`);
  }

  /** @throws Error when the response is not as documented */
  function check(methodName: string, path: string, answer: Answer<unknown>): void {
    const method = methodName.toLowerCase();
    const where = `${method.toUpperCase()} ${path} → ${answer.status}`;
    const found = operationOf(method, path.split('?')[0] as string);
    if (!found) {
      checkProblem(where, answer);
      return;
    }
    const status = String(answer.status);
    const documented = found.operation[placeOf(answer)]?.[status];
    if (!documented) throw new Error(`${where} is not documented: ${answer.text}`);
    if (!documented.content && answer.text !== '') throw new Error(`${where} should have no body: ${answer.text}`);
    if (!documented.content || method === 'head') return;
    const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
    if (!documented.content[type]) throw new Error(`${where}: content type ${type} is not documented`);
    const pointer = toPointer('paths', found.template, method, placeOf(answer), status, 'content', type, 'schema');
    checkSchema(where, pointer, answer.body, `\n${answer.text}`);
  }

  /** @throws Error when a webhook body doesn't match the document's `webhooks` section */
  const checkPushed = (event: string, body: unknown): void =>
    checkSchema(
      event,
      toPointer('webhooks', event, 'post', 'requestBody', 'content', 'application/json', 'schema'),
      body,
    );

  /** Stricter than `check`: HEAD isn't documented, and a parameter can't be empty. */
  const isDocumented = (method: string, path: string): boolean =>
    method !== 'HEAD' && !/\/(\/|$)/.test(path) && operationOf(method.toLowerCase(), path) !== undefined;

  return { document, check, checkPushed, isDocumented };
}

/**
 * By the path of the API, whose document is the same in every service of a run: generating it, and compiling its schemas,
 * takes more processor time than most tests.
 */
const checkers = new Map<string, ReturnType<typeof createChecker>>();

/**
 * @param origin of a running service
 * @param path of an API, such as `/api/v1`
 * @returns the checker of its OpenAPI document, which only the first service of a Jest worker is asked for
 */
export async function checkerOf(origin: string, path: string): Promise<ReturnType<typeof createChecker>> {
  const known = checkers.get(path);
  if (known) return known;
  const answer = await fetch(`${origin}${path}/openapi.json`);
  const checker = createChecker((await answer.json()) as OpenApiDocument);
  checkers.set(path, checker);
  return checker;
}
