import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  IWebhookFunctions,
} from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';
import { type Problem, toApiError, toNetworkError } from './errors';

/** Every context of n8n in which Farmboard is asked something. */
export type FarmboardContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

export const CREDENTIAL = 'farmboardApi';

export interface FarmboardRequest {
  method: IHttpRequestMethods;
  /** made by `path`, so that every id in it is encoded */
  path: string;
  query?: IDataObject;
  body?: IDataObject;
  headers?: Record<string, string>;
  /** of the input item it is made for: named in errors */
  itemIndex?: number;
  /** what the node calls the values in it, by their names there */
  fieldNames?: Record<string, string>;
  /** how often it may be sent in all, pauses and lost answers included; default 4 */
  tries?: number;
  /** milliseconds for one try; default 30,000 */
  timeout?: number;
}

export interface FarmboardAnswer {
  status: number;
  /** names in lower case */
  headers: IDataObject;
  /** empty where there is none (204) */
  body: IDataObject;
}

export const NO_CONTENT: FarmboardAnswer = { status: 204, headers: {}, body: {} };

/** What came of one try: an answer whose body may be anything, or the code of what broke. */
type Outcome = { status: number; headers: IDataObject; body: unknown } | { networkCode: string };

const DEFAULT_TRIES = 4;
const DEFAULT_TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 300;
/** A node that waits long looks hung: what the service asks for beyond this becomes an error that says how long. */
const LONGEST_WAIT_MS = 10_000;

/** Something between here and the service gave up: the request may have been carried out. */
const ANSWER_LOST = new Set([502, 503, 504]);
/** Nothing was sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The service did not take the request on. By its contract nothing is changed then; of a proxy's own 503 nobody knows. */
const isTurnedAway = (outcome: Outcome): boolean =>
  'status' in outcome && (outcome.status === 429 || (outcome.status === 503 && codeOf(outcome) === 'unavailable'));

/** Whether the request may have been carried out: there is no answer, or not the one that the service gave. */
function isUncertain(outcome: Outcome): boolean {
  if ('networkCode' in outcome) return !NOT_SENT.has(outcome.networkCode);
  const { status } = outcome;
  return (status >= 500 && !isTurnedAway(outcome)) || (status >= 200 && status < 300);
}

/** Whether Farmboard refused what the key stands for: had an earlier try gone through, it would have answered as it did then. */
const isVerdict = ({ method, headers = {} }: FarmboardRequest, outcome: Outcome): boolean =>
  // only a POST heeds its key
  method === 'POST' &&
  headers['Idempotency-Key'] !== undefined &&
  'status' in outcome &&
  [404, 409, 413, 422].includes(outcome.status) &&
  codeOf(outcome) !== undefined;

const codeOf = ({ body }: { body: unknown }): unknown => (isRecord(body) ? body.code : undefined);

/** One part of a path. `.` and `..` would lead elsewhere however they are encoded. */
function toSegment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new Error(`"${id}" is no ID`);
  return encodeURIComponent(id);
}

/** A path whose ids cannot lead elsewhere. */
export const path = (parts: TemplateStringsArray, ...ids: string[]): string =>
  parts.reduce((whole, part, i) => whole + toSegment(ids[i - 1]) + part);

/** Whether HTTP can carry it. */
export const isHeaderValue = (value: string): boolean => /^[\x20-\x7e]*$/.test(value);

/** `{base_url}` of the credential, without slashes at its end. */
export async function readBaseUrl(context: FarmboardContext): Promise<string> {
  const { baseUrl, accessToken } = await context.getCredentials<{ baseUrl?: string; accessToken?: string }>(CREDENTIAL);
  if (!isHeaderValue(String(accessToken ?? '').trim())) {
    throw new NodeOperationError(context.getNode(), 'The access token of the Farmboard credential is not one', {
      description: 'It begins with pat_ and has letters and digits only. Paste it into the credential again.',
    });
  }
  const trimmed = String(baseUrl ?? '')
    .trim()
    .replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/i.test(trimmed)) {
    throw new NodeOperationError(context.getNode(), 'The Base URL of the Farmboard credential is not a web address', {
      description: 'It begins with http:// or https:// and ends with /api/v1, as in http://localhost:3000/api/v1.',
    });
  }
  return trimmed;
}

/** A request that can be sent twice without doing its work twice. */
function isRepeatable({ method, headers = {} }: FarmboardRequest): boolean {
  // after a change that went through, the version it was meant for is gone: the repetition would be refused with 412
  if (headers['If-Match'] !== undefined) return false;
  return method !== 'POST' || headers['Idempotency-Key'] !== undefined;
}

/** Seconds or a date, as HTTP has it; in milliseconds. */
function readRetryAfter(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/**
 * Sends one request to Farmboard: the only way from this package to the network.
 *
 * "Wait" (429, 503) and lost answers (502, 504, a broken connection) are tried again a few times within 10 seconds,
 * a lost answer only where repeating is safe.
 *
 * @throws NodeApiError for every answer that is not 2xx and when there is none; its `context.outcomeUnknown` tells that
 *   the request may have been carried out all the same
 */
export async function farmboardRequest(context: FarmboardContext, request: FarmboardRequest): Promise<FarmboardAnswer> {
  const baseUrl = await readBaseUrl(context);
  const tries = request.tries ?? DEFAULT_TRIES;
  let waited = 0;
  let answerLost = false;

  for (let attempt = 1; ; attempt++) {
    const outcome = await send(context, baseUrl, request);
    const answer = toAnswer(outcome);
    if (answer) return answer;

    const status = 'status' in outcome ? outcome.status : undefined;
    // it was deleted by the try whose answer was lost: Farmboard's own word for it, a gateway says 404 too
    const isGone = 'status' in outcome && status === 404 && codeOf(outcome) === 'not_found';
    if (isGone && answerLost && request.method === 'DELETE') return NO_CONTENT;

    const isTransient = status === undefined || ANSWER_LOST.has(status);
    const mayRepeat = isTurnedAway(outcome) || (isTransient && isRepeatable(request));
    const cancelled = 'networkCode' in outcome && outcome.networkCode === 'ERR_CANCELED';
    answerLost = answerLost || isUncertain(outcome);

    const asked = 'status' in outcome ? readRetryAfter(outcome.headers['retry-after']) : undefined;
    const pause = asked ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
    if (!mayRepeat || cancelled || attempt >= tries || waited + pause > LONGEST_WAIT_MS) {
      const details = {
        baseUrl,
        request,
        itemIndex: request.itemIndex,
        outcomeUnknown: answerLost && !isVerdict(request, outcome),
        retryAfterMs: asked,
      };
      if ('status' in outcome) {
        const problem: Problem = isRecord(outcome.body) ? outcome.body : {};
        throw toApiError(context.getNode(), outcome.status, problem, details);
      }
      throw toNetworkError(context.getNode(), outcome.networkCode, details);
    }
    waited += pause;
    await sleep(pause);
  }
}

/** The outcome when it is what Farmboard answers to a request that went well. A page of another program is not. */
function toAnswer(outcome: Outcome): FarmboardAnswer | undefined {
  if (!('status' in outcome) || outcome.status < 200 || outcome.status > 299) return undefined;
  const { status, headers, body } = outcome;
  if (status === 204) return { status, headers, body: {} };
  return isRecord(body) ? { status, headers, body } : undefined;
}

const isRecord = (value: unknown): value is IDataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function send(
  context: FarmboardContext,
  baseUrl: string,
  { method, path: where, query, body, headers, timeout }: FarmboardRequest,
): Promise<Outcome> {
  // `timeout` alone starts anew with each byte that comes
  const deadline = AbortSignal.timeout(timeout ?? DEFAULT_TIMEOUT_MS);
  try {
    const answer = (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
      method,
      url: `${baseUrl}${where}`,
      qs: query,
      arrayFormat: 'repeat',
      body,
      headers: { Accept: 'application/json', ...headers },
      json: true,
      timeout: timeout ?? DEFAULT_TIMEOUT_MS,
      abortSignal: deadline,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      // the token must not follow to wherever a redirect leads
      disableFollowRedirect: true,
    })) as { statusCode: number; headers: IDataObject; body: unknown };
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    // what n8n throws holds the request and with it the token: only the code goes on
    return { networkCode: deadline.aborted ? 'ETIMEDOUT' : readNetworkCode(error) };
  }
}

function readNetworkCode(error: unknown): string {
  const { code, httpCode, cause } = (error ?? {}) as { code?: unknown; httpCode?: unknown; cause?: { code?: unknown } };
  const found = [cause?.code, code, httpCode].find((one) => typeof one === 'string' && /^[A-Z][A-Z0-9_]+$/.test(one));
  return (found as string | undefined) ?? 'UNKNOWN';
}
