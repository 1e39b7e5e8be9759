import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** The body of an error answer (RFC 9457), as far as it is one of Farmboard's. */
export interface Problem extends IDataObject {
  title?: string;
  detail?: string;
  /** stable; listed in Farmboard's `docs/reference/errors.md` */
  code?: string;
  errors?: Array<{ pointer: string; detail: string }>;
  request_id?: string;
}

export interface ErrorDetails {
  baseUrl: string;
  request: { method: string; path: string; body?: IDataObject; fieldNames?: Record<string, string> };
  itemIndex?: number;
  /** the request may have been carried out all the same */
  outcomeUnknown?: boolean;
  retryAfterMs?: number;
}

interface Words {
  message: string;
  /** how to get unstuck */
  way: string;
}

const RESOURCE_NAMES: Record<string, string> = {
  'print-jobs': 'order',
  printers: 'printer',
  filaments: 'filament',
  'webhook-subscriptions': 'webhook',
};

const CHECK_BASE_URL =
  'Check the Base URL of the credential: it ends with /api/v1, as in http://localhost:3000/api/v1.';

/** Words for the errors whose remedy lies in n8n or in the choice of values. Others say themselves what to do. */
const WORDS: Record<string, (problem: Problem, details: ErrorDetails) => Words> = {
  unauthorized: () => ({
    message: 'Farmboard did not accept the access token',
    way: 'It is mistyped, revoked or expired. Make a new one in the account settings (or with "npx farmboard token create") and put it into the credential.',
  }),
  not_found: (_problem, { request, baseUrl }) => {
    const [, collection, id] = request.path.split('/');
    // Farmboard answers so at addresses that it does not have, too
    if (id === undefined || !/\/api\/v1$/.test(baseUrl)) {
      return { message: `There is nothing at ${baseUrl}/${collection}`, way: CHECK_BASE_URL };
    }
    const name = RESOURCE_NAMES[collection] ?? 'record';
    return {
      message: `There is no ${name} with the ID ${decodeURIComponent(id)}`,
      way: `It was deleted, or it belongs to another account than the access token. Choose the ${name} from the list, or check where the ID comes from.`,
    };
  },
  insufficient_stock: (problem) => ({
    message: `Not enough filament: ${problem.requested_grams} g wanted, ${problem.available_grams} g there`,
    way: 'Nothing was deducted. Add a batch, choose another filament, or turn on Allow Overdraw to book it all the same.',
  }),
  unknown_workflow_status: (problem, { request }) => ({
    message: `"${String(request.body?.workflow_status)}" is not a workflow status`,
    way: `The order was not changed. Use one of: ${listOf(problem.allowed)}.`,
  }),
  unknown_event: (problem) => ({
    message: String(problem.detail ?? 'There is an unknown event name'),
    way: `Use names out of: ${listOf(problem.allowed)}.`,
  }),
  channel_limit_reached: () => ({
    message: 'All 10 webhook channels of this Farmboard account are taken',
    way: 'Each active Farmboard Trigger takes one, and so does each one listening for a test event. Delete a channel that is no longer needed (Webhook > Get Many shows them by name), or use one trigger for several events.',
  }),
  blocked_address: (problem, { request }) => ({
    message: `Farmboard may not send webhooks to ${String(request.body?.url ?? 'this address')}`,
    way: `${problem.detail ?? ''} Either the operator of Farmboard allows it with WEBHOOK_ALLOWED_HOSTS, or n8n gets a public address: set WEBHOOK_URL where n8n runs, then publish the workflow again.`.trim(),
  }),
  precondition_failed: () => ({
    message: 'The order has been changed since it was read',
    way: 'Nothing was written. Get the order again (with Include ETag), look at what changed, and send the new ETag.',
  }),
  version_conflict: () => ({
    message: 'Others changed the same record at the same moment',
    way: 'Nothing was written. Run it again; Retry On Fail in the node settings does so by itself.',
  }),
  idempotency_conflict: () => ({
    message: 'This Idempotency Key was used for a different request',
    way: 'Nothing was written. A key stands for one request for 24 hours: use another one, or leave the option out.',
  }),
  rate_limited: (_problem, { retryAfterMs }) => ({
    message: 'Farmboard asks for a pause: too many requests',
    way: `Try again ${inSeconds(retryAfterMs)}. Send fewer items at once, or raise RATE_LIMIT_PER_MINUTE where Farmboard runs.`,
  }),
  unavailable: (_problem, { retryAfterMs }) => ({
    message: 'Farmboard cannot answer just now',
    way: `Try again ${inSeconds(retryAfterMs)}. If it lasts, look at its log and at /readyz.`,
  }),
};

const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : 'the documented ones');

const inSeconds = (ms: number | undefined): string =>
  ms === undefined ? 'later' : `in ${Math.max(1, Math.ceil(ms / 1000))} seconds`;

/** `/low_stock_threshold_grams` as the node's fields call it: `Low Stock Threshold Grams`. */
function toFieldName(pointer: string, fieldNames: Record<string, string> = {}): string {
  const name = pointer.replace(/^(query|header)?\//, '').split('/')[0];
  const words = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return fieldNames[name] ?? words.join(' ');
}

function toWords(status: number, problem: Problem, details: ErrorDetails): Words {
  if (problem.code !== undefined && WORDS[problem.code]) return WORDS[problem.code](problem, details);
  if (problem.code === undefined) return toForeignWords(status, details);
  const faults = problem.errors ?? [];
  if (faults.length > 0) {
    const { method, fieldNames } = details.request;
    const told = faults.map(({ pointer, detail }) => `${toFieldName(pointer, fieldNames)}: ${detail}`);
    const rest = method === 'GET' ? 'Change the value in the node.' : 'Nothing was written.';
    return { message: told[0], way: [...told.slice(1), rest].join('\n') };
  }
  return { message: problem.title ?? `Farmboard answered ${status}`, way: problem.detail ?? '' };
}

/** An answer that Farmboard did not write: of a proxy before it, or of another program at the address. */
function toForeignWords(status: number, { baseUrl, retryAfterMs }: ErrorDetails): Words {
  if (status === 429 || status === 502 || status === 503 || status === 504) {
    const message = `Farmboard cannot be reached just now (${status} at ${baseUrl})`;
    return {
      message,
      way: `Try again ${inSeconds(retryAfterMs)}; Retry On Fail in the node settings does so by itself.`,
    };
  }
  if (status >= 300 && status < 400) {
    return {
      message: `${baseUrl} leads on to another address`,
      way: 'Put the address it leads to into the credential.',
    };
  }
  return { message: `${baseUrl} does not answer as Farmboard does (status ${status})`, way: CHECK_BASE_URL };
}

const NETWORK_WORDS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was closed before an answer',
  ECONNABORTED: 'no answer in time',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ERR_CANCELED: 'the execution was stopped',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by an authority that n8n trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by an authority that n8n trusts',
};

function build(
  node: INode,
  code: string,
  status: string | undefined,
  words: Words,
  details: ErrorDetails,
  id?: string,
) {
  const unknown = details.outcomeUnknown && details.request.method !== 'GET';
  const description = [
    words.way,
    unknown ? 'The change may have been carried out all the same: look before you send it again by hand.' : '',
    id === undefined ? '' : `Request ID: ${id}`,
  ];
  const clean: JsonObject = { message: words.message, code, ...(id === undefined ? {} : { request_id: id }) };
  const error = new NodeApiError(node, clean, {
    message: words.message,
    description: description.filter((line) => line !== '').join('\n'),
    ...(status === undefined ? {} : { httpCode: status }),
    itemIndex: details.itemIndex,
  });
  // n8n replaces a text in which it finds the name of a system error, such as one in a host name
  error.message = words.message;
  error.context.code = code;
  error.context.outcomeUnknown = Boolean(details.outcomeUnknown);
  return error;
}

/** An answer that says no, in words for whoever builds the workflow. Never holds a header of the request. */
export function toApiError(node: INode, status: number, problem: Problem, details: ErrorDetails): NodeApiError {
  const words = toWords(status, problem, details);
  return build(node, problem.code ?? `http_${status}`, String(status), words, details, problem.request_id);
}

/** No answer at all. */
export function toNetworkError(node: INode, networkCode: string, details: ErrorDetails): NodeApiError {
  const reason = NETWORK_WORDS[networkCode] ?? networkCode;
  const loopback = /^https?:\/\/(localhost|127\.|\[::1\])/i.test(details.baseUrl);
  const words = {
    message: `Farmboard cannot be reached at ${details.baseUrl}: ${reason}`,
    way: loopback
      ? 'Check that it runs. Where n8n runs in a container, "localhost" is the container itself: put the name or address of the host into the Base URL.'
      : 'Check that it runs and that the Base URL of the credential is right.',
  };
  return build(node, networkCode, undefined, words, details);
}

/** Whether an error is Farmboard's answer that the record does not exist. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof NodeApiError && error.context.code === 'not_found';

/** Whether the request that ended with this error may have been carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof NodeApiError && error.context.outcomeUnknown === true;

/** A wrong value in a field of the node: which field, what is wrong, what is right. */
export const toFieldError = (node: INode, field: string, fault: string, way: string, itemIndex?: number) =>
  new NodeOperationError(node, `${field}: ${fault}`, { description: way, itemIndex });
