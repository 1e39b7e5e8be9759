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
import { completeBaseUrl } from './base-url';
import { type ErrorDetails, type Problem, readNetworkCode, toApiError, toNetworkError } from './errors';
import { pause } from './pause';

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
  /** how often it may be sent in all, not counting what a 429 turned away; default 4 */
  tries?: number;
  /** milliseconds for all tries together, not counting the pauses that a 429 asks for; default 15,000 */
  deadline?: number;
  /** the longest pause, in milliseconds, that a 429 may ask for; default 60,000 */
  maxPause?: number;
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
const DEFAULT_DEADLINE_MS = 15_000;
const FIRST_PAUSE_MS = 300;
/** The service counts requests by the minute. A longer pause becomes an error that says how long. */
const DEFAULT_MAX_PAUSE_MS = 60_000;
/** Others may use up the rate limit of the account each time this request's turn has come. */
const MAX_PAUSES = 10;

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

/** `{base_url}` of the credential, completed and without slashes at its end. */
export async function readBaseUrl(context: FarmboardContext): Promise<string> {
  const { baseUrl, accessToken } = await context.getCredentials<{ baseUrl?: string; accessToken?: string }>(CREDENTIAL);
  if (!isHeaderValue(String(accessToken ?? '').trim())) {
    throw new NodeOperationError(context.getNode(), 'The access token of the Farmboard credential is not valid', {
      description: 'It starts with pat_, followed by letters and digits only. Paste it into the credential again.',
    });
  }
  const complete = completeBaseUrl(baseUrl);
  if (complete === undefined) {
    throw new NodeOperationError(context.getNode(), 'The Base URL of the Farmboard credential is not a web address', {
      description: 'Enter an address such as http://localhost:3000/api/v1.',
    });
  }
  return complete;
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
 * A 429 with Retry-After is waited out. Other refusals to take the request on (503) and lost answers (502, 504, a broken
 * connection) are tried again within the deadline, a lost answer only where repeating is safe.
 *
 * @throws NodeApiError for every answer that is not 2xx and when there is none; its `context.outcomeUnknown` is true where
 *   the request may have been carried out all the same
 */
export async function farmboardRequest(context: FarmboardContext, request: FarmboardRequest): Promise<FarmboardAnswer> {
  const baseUrl = await readBaseUrl(context);
  const { tries = DEFAULT_TRIES, deadline = DEFAULT_DEADLINE_MS, maxPause = DEFAULT_MAX_PAUSE_MS } = request;
  let timeLeft = deadline;
  let attempts = 0;
  let pauses = 0;
  let answerLost = false;

  for (;;) {
    const startedAt = Date.now();
    const outcome = await send(context, baseUrl, request, timeLeft);
    timeLeft -= Date.now() - startedAt;
    const answer = toAnswer(outcome);
    if (answer) return answer;
    // it was deleted by the try whose answer was lost: Farmboard's own word for it, a gateway says 404 too
    if (answerLost && request.method === 'DELETE' && isGone(outcome)) return NO_CONTENT;
    answerLost = answerLost || isUncertain(outcome);

    const retryAfter = 'status' in outcome ? readRetryAfter(outcome.headers['retry-after']) : undefined;
    if (retryAfter !== undefined && isRateLimited(outcome) && tries > 1) {
      pauses += 1;
      if (retryAfter <= maxPause && pauses <= MAX_PAUSES) {
        await pause(context, retryAfter);
        continue;
      }
    } else {
      const wait = retryAfter ?? FIRST_PAUSE_MS * 2 ** attempts;
      attempts += 1;
      if (mayRepeat(request, outcome) && attempts < tries && wait < timeLeft) {
        timeLeft -= wait;
        await pause(context, wait);
        continue;
      }
    }
    const outcomeUnknown = answerLost && !isVerdict(request, outcome);
    throw toError(context, outcome, {
      baseUrl,
      request,
      itemIndex: request.itemIndex,
      outcomeUnknown,
      retryAfterMs: retryAfter,
    });
  }
}

const isRateLimited = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 429;

const isGone = (outcome: Outcome): boolean =>
  'status' in outcome && outcome.status === 404 && codeOf(outcome) === 'not_found';

function mayRepeat(request: FarmboardRequest, outcome: Outcome): boolean {
  if ('networkCode' in outcome && outcome.networkCode === 'ERR_CANCELED') return false;
  const isTransient = 'networkCode' in outcome || ANSWER_LOST.has(outcome.status);
  return isTurnedAway(outcome) || (isTransient && isRepeatable(request));
}

function toError(context: FarmboardContext, outcome: Outcome, details: ErrorDetails): NodeApiError {
  if ('networkCode' in outcome) return toNetworkError(context.getNode(), outcome.networkCode, details);
  const problem: Problem = isRecord(outcome.body) ? outcome.body : {};
  return toApiError(context.getNode(), outcome.status, problem, details);
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

/** One attempt, which ends when the time left for it is over. */
async function send(
  context: FarmboardContext,
  baseUrl: string,
  request: FarmboardRequest,
  timeLeft: number,
): Promise<Outcome> {
  const timeout = Math.max(1, Math.ceil(timeLeft));
  const deadline = AbortSignal.timeout(timeout);
  // the signal alone isn't enough: in executions n8n replaces it with its own
  const late = new Promise<Outcome>((resolve) => {
    deadline.addEventListener('abort', () => resolve({ networkCode: 'ETIMEDOUT' }), { once: true });
  });
  return await Promise.race([late, ask(context, baseUrl, request, timeout, deadline)]);
}

async function ask(
  context: FarmboardContext,
  baseUrl: string,
  { method, path: where, query, body, headers }: FarmboardRequest,
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
      headers: { Accept: 'application/json', ...headers },
      json: true,
      // restarts with each byte that arrives
      timeout,
      abortSignal,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      // the token must not follow to wherever a redirect leads
      disableFollowRedirect: true,
    })) as { statusCode: number; headers: IDataObject; body: unknown };
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  } catch (error) {
    // what n8n throws holds the request and with it the token: only the code goes on
    return { networkCode: readNetworkCode(error) };
  }
}
