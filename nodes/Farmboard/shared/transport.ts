import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  IWebhookFunctions,
  NodeApiError,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { completeBaseUrl, explainBaseUrl } from './base-url';
import { type ErrorDetails, type Problem, readNetworkCode, toApiError, toNetworkError } from './errors';
import { pause } from './pause';

/** Every n8n context that sends requests to Farmboard. */
export type FarmboardContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IWebhookFunctions;

const CREDENTIAL = 'farmboardApi';

export interface FarmboardRequest {
  method: IHttpRequestMethods;
  /** built by `path`, which encodes IDs */
  path: string;
  query?: IDataObject;
  body?: IDataObject;
  headers?: Record<string, string>;
  /** the media type of the file that is asked for; by default, the response is a JSON object */
  fileType?: string;
  /** index of the input item, for errors */
  itemIndex?: number;
  /** the node's field names by request member, for errors */
  fieldNames?: Record<string, string>;
  /** maximum number of attempts, not counting those answered with 429; default 4 */
  maxAttempts?: number;
  /** time limit for all attempts in milliseconds, not counting pauses after a 429; default 15,000 */
  deadlineMs?: number;
  /** longest pause after a 429, in milliseconds; default 60,000 */
  maxPauseMs?: number;
}

export interface FarmboardAnswer {
  status: number;
  /** header names in lower case */
  headers: IDataObject;
  /** empty for a 204 and for a file */
  body: IDataObject;
  /** the file that was asked for */
  file?: Buffer;
}

export const NO_CONTENT: FarmboardAnswer = { status: 204, headers: {}, body: {} };

/** Outcome of one attempt: a response with any body, or a network error code. */
type Outcome = { status: number; headers: IDataObject; body: unknown } | { networkCode: string };

const DEFAULT_MAX_ATTEMPTS = 4;
const DEFAULT_DEADLINE_MS = 15_000;
const FIRST_PAUSE_MS = 300;
/** Rate limits are per minute. A longer pause becomes an error that states its length. */
const DEFAULT_MAX_PAUSE_MS = 60_000;
/** Limits repeated waits when other clients use up the account's rate limit each time. */
const MAX_PAUSES = 10;

/** A gateway gave up: the request may have been carried out. */
const ANSWER_LOST = new Set([502, 503, 504]);
/** Network errors before anything was sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether the service rejected the request without changes. A 503 from a proxy doesn't guarantee that. */
const isRejected = (outcome: Outcome): boolean =>
  'status' in outcome && (outcome.status === 429 || (outcome.status === 503 && codeOf(outcome) === 'unavailable'));

/** Whether the request may have been carried out: there was no response, or not the service's own. */
function isUncertain(outcome: Outcome): boolean {
  if ('networkCode' in outcome) return !NOT_SENT.has(outcome.networkCode);
  const { status } = outcome;
  return (status >= 500 && !isRejected(outcome)) || (status >= 200 && status < 300);
}

/**
 * Whether the response is final for the idempotency key: had an earlier attempt succeeded, its response would have been
 * repeated.
 */
const isFinalAnswer = ({ method, headers = {} }: FarmboardRequest, outcome: Outcome): boolean =>
  // only POST uses idempotency keys
  method === 'POST' &&
  headers['Idempotency-Key'] !== undefined &&
  'status' in outcome &&
  [404, 409, 413, 422].includes(outcome.status) &&
  codeOf(outcome) !== undefined;

const codeOf = ({ body }: { body: unknown }): unknown => (isRecord(body) ? body.code : undefined);

/** Encodes a path segment. `.` and `..` would change the path however they are encoded. */
function toSegment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new Error(`"${id}" isn't an ID`);
  return encodeURIComponent(id);
}

/** Builds a path from encoded IDs. */
export const path = (parts: TemplateStringsArray, ...ids: string[]): string =>
  parts.reduce((whole, part, i) => whole + toSegment(ids[i - 1]) + part);

/** Whether HTTP allows it as a header value. */
export const isHeaderValue = (value: string): boolean => /^[\x20-\x7e]*$/.test(value);

/** The normalized base URL of the credential, without trailing slashes. */
export async function readBaseUrl(context: FarmboardContext): Promise<string> {
  const { baseUrl, accessToken } = await context.getCredentials<{ baseUrl?: string; accessToken?: string }>(CREDENTIAL);
  if (!isHeaderValue(String(accessToken ?? '').trim())) {
    throw new NodeOperationError(context.getNode(), 'The access token of the Farmboard credential is not valid', {
      description: 'It starts with pat_, followed by letters and digits only. Paste it into the credential again.',
    });
  }
  const complete = completeBaseUrl(baseUrl);
  if (complete === undefined) {
    const { fault, remedy } = explainBaseUrl(baseUrl);
    throw new NodeOperationError(context.getNode(), `The Base URL of the Farmboard credential ${fault}`, {
      description: remedy,
    });
  }
  return complete;
}

/** Whether repeating the request has no further effect. */
function isRepeatable({ method, headers = {} }: FarmboardRequest): boolean {
  // after a successful write its If-Match version is outdated, so a repeat would get a 412
  if (headers['If-Match'] !== undefined) return false;
  return method !== 'POST' || headers['Idempotency-Key'] !== undefined;
}

/** Parses Retry-After (seconds or a date) to milliseconds. */
function readRetryAfter(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/**
 * Sends a request to Farmboard; only the credential test and the trigger's sample do without. Waits after a 429 with
 * Retry-After. Retries a 503 and lost responses (502, 504, broken connection) within the deadline, lost ones only if
 * repeating is safe.
 * @throws NodeApiError for responses other than 2xx and missing ones; `context.outcomeUnknown` is true if the request
 * may have been carried out anyway
 */
export async function farmboardRequest(context: FarmboardContext, request: FarmboardRequest): Promise<FarmboardAnswer> {
  const baseUrl = await readBaseUrl(context);
  const budget: Budget = { timeLeft: request.deadlineMs ?? DEFAULT_DEADLINE_MS, attempts: 0, pauses: 0 };
  let answerLost = false;

  for (;;) {
    const startedAt = Date.now();
    const outcome = await send(context, baseUrl, request, budget.timeLeft);
    budget.timeLeft -= Date.now() - startedAt;
    const answer = toAnswer(outcome);
    if (answer) return answer;
    // deleted by the attempt whose response was lost; only Farmboard's own 404 counts, gateways send 404 too
    if (answerLost && request.method === 'DELETE' && isDeleted(outcome)) return NO_CONTENT;
    answerLost = answerLost || isUncertain(outcome);

    const retryAfter = 'status' in outcome ? readRetryAfter(outcome.headers['retry-after']) : undefined;
    const wait = nextPause(request, outcome, retryAfter, budget);
    if (wait !== undefined) {
      await pause(context, wait);
      continue;
    }
    const outcomeUnknown = answerLost && !isFinalAnswer(request, outcome);
    throw toError(context, outcome, {
      baseUrl,
      request,
      itemIndex: request.itemIndex,
      outcomeUnknown,
      retryAfterMs: retryAfter,
    });
  }
}

/** What is left for a request: time in milliseconds, and what was used of its attempts and pauses. */
interface Budget {
  timeLeft: number;
  attempts: number;
  pauses: number;
}

/** Milliseconds to wait before the next attempt, taken from the budget; undefined if there is no next attempt. */
function nextPause(
  request: FarmboardRequest,
  outcome: Outcome,
  retryAfter: number | undefined,
  budget: Budget,
): number | undefined {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, maxPauseMs = DEFAULT_MAX_PAUSE_MS } = request;
  if (retryAfter !== undefined && isRateLimited(outcome) && maxAttempts > 1) {
    budget.pauses += 1;
    return retryAfter <= maxPauseMs && budget.pauses <= MAX_PAUSES ? retryAfter : undefined;
  }
  const wait = retryAfter ?? FIRST_PAUSE_MS * 2 ** budget.attempts;
  budget.attempts += 1;
  if (!mayRepeat(request, outcome) || budget.attempts >= maxAttempts || wait >= budget.timeLeft) return undefined;
  budget.timeLeft -= wait;
  return wait;
}

const isRateLimited = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 429;

const isDeleted = (outcome: Outcome): boolean =>
  'status' in outcome && outcome.status === 404 && codeOf(outcome) === 'not_found';

function mayRepeat(request: FarmboardRequest, outcome: Outcome): boolean {
  if ('networkCode' in outcome && outcome.networkCode === 'ERR_CANCELED') return false;
  const isTransient = 'networkCode' in outcome || ANSWER_LOST.has(outcome.status);
  return isRejected(outcome) || (isTransient && isRepeatable(request));
}

function toError(context: FarmboardContext, outcome: Outcome, details: ErrorDetails): NodeApiError {
  if ('networkCode' in outcome) return toNetworkError(context.getNode(), outcome.networkCode, details);
  const problem: Problem = isRecord(outcome.body) ? outcome.body : {};
  return toApiError(context.getNode(), outcome.status, problem, details);
}

/** The outcome if it is a successful Farmboard response, as opposed to a page of another program. */
function toAnswer(outcome: Outcome): FarmboardAnswer | undefined {
  if (!('status' in outcome) || outcome.status < 200 || outcome.status > 299) return undefined;
  const { status, headers, body } = outcome;
  if (status === 204) return { status, headers, body: {} };
  if (Buffer.isBuffer(body)) return { status, headers, body: {}, file: body };
  return isRecord(body) ? { status, headers, body } : undefined;
}

const isRecord = (value: unknown): value is IDataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The file if it has the wanted type, as opposed to a page of another program; otherwise the JSON of an error. */
function readFile(answer: { statusCode: number; headers: IDataObject; body: unknown }, fileType: string): unknown {
  const { statusCode, headers, body } = answer;
  const bytes = Buffer.from(body as ArrayBuffer);
  if (String(headers['content-type'] ?? '').startsWith(fileType)) return bytes;
  if (statusCode < 300) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** One attempt, limited to the remaining time. */
async function send(
  context: FarmboardContext,
  baseUrl: string,
  request: FarmboardRequest,
  timeLeft: number,
): Promise<Outcome> {
  const timeout = Math.max(1, Math.ceil(timeLeft));
  const deadline = AbortSignal.timeout(timeout);
  // the signal isn't enough: within an execution n8n replaces it with its own
  const timer = new Promise<Outcome>((resolve) => {
    deadline.addEventListener('abort', () => resolve({ networkCode: 'ETIMEDOUT' }), { once: true });
  });
  return await Promise.race([timer, sendHttpRequest(context, baseUrl, request, timeout, deadline)]);
}

async function sendHttpRequest(
  context: FarmboardContext,
  baseUrl: string,
  { method, path: where, query, body, headers, fileType }: FarmboardRequest,
  timeout: number,
  abortSignal: AbortSignal,
): Promise<Outcome> {
  try {
    const answer = (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
      method,
      url: `${baseUrl}${where}`,
      qs: query,
      arrayFormat: 'repeat',
      body,
      headers: { Accept: fileType ?? 'application/json', ...headers },
      ...(fileType === undefined ? { json: true } : { encoding: 'arraybuffer' }),
      // restarts with each received byte
      timeout,
      abortSignal,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      // a redirect must not send the token to another host
      disableFollowRedirect: true,
    })) as { statusCode: number; headers: IDataObject; body: unknown };
    const { statusCode: status, headers: answered } = answer;
    return { status, headers: answered, body: fileType === undefined ? answer.body : readFile(answer, fileType) };
  } catch (error) {
    // n8n's error contains the request and its token, so only the code is passed on
    return { networkCode: readNetworkCode(error) };
  }
}
