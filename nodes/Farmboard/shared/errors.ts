import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** An error response of Farmboard (RFC 9457); every member may be missing. */
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
  /** the request may have been carried out anyway */
  outcomeUnknown?: boolean;
  retryAfterMs?: number;
}

interface ErrorText {
  message: string;
  /** how to fix it */
  remedy: string;
}

const RESOURCE_NAMES: Record<string, string> = {
  'print-jobs': 'order',
  printers: 'printer',
  filaments: 'filament',
  leads: 'lead',
  invoices: 'invoice',
  'webhook-subscriptions': 'webhook',
};

const CHECK_BASE_URL =
  'Check the Base URL of the credential. It ends with /api/v1, for example http://localhost:3000/api/v1.';

/** Texts for errors that are fixed in n8n or by choosing other values. Other errors explain themselves. */
const ERROR_TEXTS: Record<string, (problem: Problem, details: ErrorDetails) => ErrorText> = {
  unauthorized: () => ({
    message: 'Farmboard did not accept the access token',
    remedy:
      'It is mistyped, revoked or expired. Create a new one in the account settings (or with "npx farmboard token create") and update the credential.',
  }),
  read_only_token: () => ({
    message: 'The access token can only read',
    remedy: 'Nothing was changed. Create a token with full access in the account settings and update the credential.',
  }),
  not_found: (_problem, { request, baseUrl }) => {
    const [, collection, id] = request.path.split('/');
    // Farmboard also answers this for unknown paths
    if (id === undefined || !/\/api\/v1$/.test(baseUrl)) {
      return { message: `Not found: ${baseUrl}/${collection}`, remedy: CHECK_BASE_URL };
    }
    const name = RESOURCE_NAMES[collection] ?? 'record';
    return {
      message: `There is no ${name} with the ID ${decodeURIComponent(id)}`,
      remedy: `It was deleted, or it belongs to a different account than the access token. Choose the ${name} from the list, or check where the ID comes from.`,
    };
  },
  insufficient_stock: (problem) => ({
    message: `Not enough filament: ${problem.requested_grams} g requested, ${problem.available_grams} g available`,
    remedy:
      problem.can_overdraw === false
        ? 'Nothing was deducted. The filament has no batch, so Allow Overdraw does not help: add one with Filament > Add Batch, or choose another filament.'
        : 'Nothing was deducted. Add a batch, choose another filament, or turn on Allow Overdraw to deduct it anyway.',
  }),
  unknown_workflow_status: (problem, { request }) => ({
    message: `"${String(request.body?.workflow_status)}" is not a workflow status`,
    remedy: `The order was not changed. Use one of: ${listOf(problem.allowed)}.`,
  }),
  unknown_event: (problem) => ({
    // without the list of events, which follows
    message: String(problem.detail ?? 'There is an unknown event name').replace(/: it must be one of .*$/s, ''),
    remedy: `Use only these names: ${listOf(problem.allowed)}.`,
  }),
  channel_limit_reached: () => ({
    message: 'All 10 webhook channels of this Farmboard account are in use',
    remedy:
      'Each published Farmboard Trigger uses one, and so does each trigger that is listening for a test event. Delete a channel you no longer need (Webhook > Get Many lists them by name), or use one trigger for several events.',
  }),
  client_key_in_use: () => ({
    message: 'The channel of this trigger was created by another publish at the same moment',
    remedy: 'Publish the workflow again.',
  }),
  external_id_in_use: () => ({
    message: 'There is an order with this source and external ID already',
    remedy: 'Nothing was written. Update that order instead.',
  }),
  blocked_address: (problem, { request }) => ({
    message: `Farmboard is not allowed to send webhooks to ${String(request.body?.url ?? 'this address')}`,
    remedy:
      `${problem.detail ?? ''} Ask the operator of Farmboard to allow the address with WEBHOOK_ALLOWED_HOSTS, or give n8n a public address: set WEBHOOK_URL on the n8n server and publish the workflow again.`.trim(),
  }),
  precondition_failed: (_problem, { request }) => {
    const name = RESOURCE_NAMES[request.path.split('/')[1]] ?? 'record';
    return {
      message: `The ${name} has changed since it was read`,
      remedy: `Nothing was written. Get the ${name} again (with Include ETag), check what changed, and send the new ETag.`,
    };
  },
  version_conflict: () => ({
    message: 'The record was changed by someone else at the same moment',
    remedy: 'Nothing was written. Run it again, or turn on Retry On Fail in the node settings.',
  }),
  idempotency_conflict: () => ({
    message: 'This Idempotency Key was already used for a different request',
    remedy: 'Nothing was written. A key identifies one request for 30 days: use another key, or remove the option.',
  }),
  rate_limited: (_problem, { retryAfterMs }) => ({
    message: 'Farmboard received too many requests',
    remedy: `Try again ${inSeconds(retryAfterMs)}. Use the Batching option to send requests more slowly, or raise RATE_LIMIT_PER_MINUTE on the Farmboard server.`,
  }),
  unavailable: (_problem, { retryAfterMs }) => ({
    message: 'Farmboard cannot answer right now',
    remedy: `Try again ${inSeconds(retryAfterMs)}. If the problem persists, check its log and /readyz.`,
  }),
};

const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : 'the documented ones');

const inSeconds = (ms: number | undefined): string =>
  ms === undefined ? 'later' : `in ${Math.max(1, Math.ceil(ms / 1000))} seconds`;

/** The node's field name for a JSON pointer: `/low_stock_threshold_grams` → `Low Stock Threshold Grams`. */
function toFieldName(pointer: string, fieldNames: Record<string, string> = {}): string {
  const name = pointer.replace(/^(query|header)?\//, '').split('/')[0];
  const words = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return fieldNames[name] ?? words.join(' ');
}

function toErrorText(status: number, problem: Problem, details: ErrorDetails): ErrorText {
  if (problem.code !== undefined && ERROR_TEXTS[problem.code]) return ERROR_TEXTS[problem.code](problem, details);
  if (problem.code === undefined) return toForeignErrorText(status, details);
  const faults = problem.errors ?? [];
  if (faults.length > 0) {
    const { method, fieldNames } = details.request;
    const lines = faults.map(({ pointer, detail }) => `${toFieldName(pointer, fieldNames)}: ${detail}`);
    const rest = method === 'GET' ? 'Change the value in the node.' : 'Nothing was written.';
    return { message: lines[0], remedy: [...lines.slice(1), rest].join('\n') };
  }
  return { message: problem.title ?? `Farmboard answered with status ${status}`, remedy: problem.detail ?? '' };
}

/** A response that isn't from Farmboard: from a proxy or another program at this address. */
function toForeignErrorText(status: number, { baseUrl, retryAfterMs }: ErrorDetails): ErrorText {
  if (status === 429 || status === 502 || status === 503 || status === 504) {
    return {
      message: `Farmboard cannot be reached right now (status ${status} from ${baseUrl})`,
      remedy: `Try again ${inSeconds(retryAfterMs)}, or turn on Retry On Fail in the node settings.`,
    };
  }
  if (status >= 300 && status < 400) {
    return {
      message: `${baseUrl} redirects to another address`,
      remedy: 'Enter the address it redirects to in the credential.',
    };
  }
  return { message: `There is no Farmboard at ${baseUrl} (status ${status})`, remedy: CHECK_BASE_URL };
}

const NETWORK_REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was closed without an answer',
  ECONNABORTED: 'it did not answer in time',
  ETIMEDOUT: 'it did not answer in time',
  ESOCKETTIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ERR_INVALID_URL: 'the address is not valid',
  ERR_CANCELED: 'the execution was stopped',
  EPROTO: 'it does not use HTTPS; try an address that starts with http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use HTTPS; try an address that starts with http://',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by an authority that n8n trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by an authority that n8n trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by an authority that n8n trusts',
};

/** Readable reasons for a missing response. */
export const toNetworkReason = (networkCode: string): string => NETWORK_REASONS[networkCode] ?? networkCode;

/**
 * The code of a network error, such as ECONNREFUSED. Nothing else is used, because the rest of the error contains the
 * request and its token.
 */
export function readNetworkCode(error: unknown): string {
  const { code, httpCode, cause } = (error ?? {}) as { code?: unknown; httpCode?: unknown; cause?: { code?: unknown } };
  const found = [cause?.code, code, httpCode].find((one) => typeof one === 'string' && /^[A-Z][A-Z0-9_]+$/.test(one));
  return (found as string | undefined) ?? 'UNKNOWN';
}

function build(
  node: INode,
  code: string,
  status: string | undefined,
  errorText: ErrorText,
  details: ErrorDetails,
  id?: string,
) {
  const unknown = details.outcomeUnknown && details.request.method !== 'GET';
  const description = [
    errorText.remedy,
    unknown ? 'The change may still have been made: check before you send it again by hand.' : '',
    id === undefined ? '' : `Request ID: ${id}`,
  ];
  const clean: JsonObject = { message: errorText.message, code, ...(id === undefined ? {} : { request_id: id }) };
  const error = new NodeApiError(node, clean, {
    message: errorText.message,
    description: description.filter((line) => line !== '').join('\n'),
    ...(status === undefined ? {} : { httpCode: status }),
    itemIndex: details.itemIndex,
  });
  // n8n replaces messages that contain the name of a system error, even within a host name
  error.message = errorText.message;
  error.context.code = code;
  error.context.outcomeUnknown = Boolean(details.outcomeUnknown);
  return error;
}

/** Converts an error response to an error for the workflow's author. Never contains request headers. */
export function toApiError(node: INode, status: number, problem: Problem, details: ErrorDetails): NodeApiError {
  const errorText = toErrorText(status, problem, details);
  return build(node, problem.code ?? `http_${status}`, String(status), errorText, details, problem.request_id);
}

/** Converts a missing response to an error. */
export function toNetworkError(node: INode, networkCode: string, details: ErrorDetails): NodeApiError {
  const loopback = /^https?:\/\/(localhost|127\.|\[::1\])/i.test(details.baseUrl);
  const errorText = {
    message: `Farmboard cannot be reached at ${details.baseUrl}: ${toNetworkReason(networkCode)}`,
    remedy: loopback
      ? 'Check that Farmboard is running. If n8n runs in a container, "localhost" is the container itself: use the name or address of the host in the Base URL.'
      : 'Check that Farmboard is running and that the Base URL of the credential is correct.',
  };
  return build(node, networkCode, undefined, errorText, details);
}

/** Whether an error is a Farmboard response with this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof NodeApiError && error.context.code === code;

/** The same error for another of the items that a request was sent for. */
export function toErrorOf(node: INode, error: unknown, itemIndex: number): Error {
  if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) return error as Error;
  const copy = new NodeOperationError(node, error.message, { description: error.description ?? undefined, itemIndex });
  copy.context.code = error.context.code;
  return copy;
}

/** Whether an error is Farmboard's "record not found" response. */
export const isNotFound = (error: unknown): boolean => isCode(error, 'not_found');

/** Whether the failed request may have been carried out. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof NodeApiError && error.context.outcomeUnknown === true;

/** Error for an invalid field value: names the field, the problem and the fix. */
export const toFieldError = (node: INode, field: string, fault: string, remedy: string, itemIndex?: number) =>
  new NodeOperationError(node, `${field}: ${fault}`, { description: remedy, itemIndex });
