import type { components } from '../api-types.d';

export type Schemas = components['schemas'];
export type Session = Schemas['Session'];
export type ErrorCode = Schemas['Problem']['code'];

export interface List<T> {
  items: T[];
  total: number;
}

/** An error response (RFC 9457). The code is `unreachable` when there was no response at all. */
export class Problem extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  readonly faults: { pointer: string; detail: string }[];
  /** further members of the response, such as `available_grams` */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Partial<Schemas['Problem']>) {
    super(body.detail ?? body.title ?? '');
    this.status = status;
    this.code = body.code ?? 'unreachable';
    this.faults = body.errors ?? [];
    this.facts = { ...body };
  }
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

let askPassword: () => Promise<boolean> = async () => false;

/** Sets what asks for the password when a change needs it. @param ask resolves with whether it was entered */
export function onPasswordRequired(ask: () => Promise<boolean>): void {
  askPassword = ask;
}

/** Ends when the last request that replaces the session's cookie has ended, in this tab or another. */
let renewal: Promise<unknown> = Promise.resolve();

/**
 * Runs what replaces the session's cookie, after the last renewal. Requests wait for it, because the server refuses the
 * old cookie even before the browser has the new one.
 */
export function renew<T>(replaceCookie: () => Promise<T>): Promise<T> {
  const renewed = renewal.then(replaceCookie);
  renewal = renewed.catch(() => undefined);
  return renewed;
}

/** Where tabs tell each other of a renewal, while it lasts. */
export const RENEWAL = 'farmboard-renewal';
/** How long to wait for another tab, which may have been closed meanwhile. */
const OTHER_TAB_MS = 15_000;
let endOfOtherTab = () => {};

// a tab gets this event for changes by other tabs only
addEventListener('storage', ({ key, newValue }) => {
  if (key !== RENEWAL) return;
  if (newValue === null) return endOfOtherTab();
  const ended = new Promise<void>((resolve) => {
    endOfOtherTab = resolve;
    setTimeout(resolve, OTHER_TAB_MS);
  });
  renew(() => ended);
});

/** Sends one request to the console API. @throws Problem */
export async function request<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<{ answer: T; etag: string | null }> {
  await renewal;
  const lastRenewal = renewal;
  try {
    return await send<T>(method, path, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const wasRenewed = error.status === 401 && renewal !== lastRenewal;
    if (wasRenewed || (error.code === 'password_required' && (await askPassword())))
      return request(method, path, options);
    throw error;
  }
}

export async function send<T>(
  method: string,
  path: string,
  { body, headers = {}, signal }: RequestOptions,
): Promise<{ answer: T; etag: string | null }> {
  const response = await fetch(`/console/api${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new Problem(0, {});
  });
  const answer = response.status === 204 ? undefined : await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, answer);
  return { answer: answer as T, etag: response.headers.get('etag') };
}

/** Header that makes a repeated request take effect only once (key from `newKey`). */
export const idempotencyHeader = (key: string) => ({ 'Idempotency-Key': key });

export const get = async <T>(path: string, signal?: AbortSignal) => (await request<T>('GET', path, { signal })).answer;

const PER_PAGE = 200;

/** Reads every page of a list. Meant for lists of up to some hundreds of records. `path` may contain a query. */
export async function getAll<T extends { id: string }>(path: string, signal?: AbortSignal): Promise<List<T>> {
  const all = new Map<string, T>();
  // sorted by creation time, so records added meanwhile don't shift the pages
  const baseUrl = `${path}${path.includes('?') ? '&' : '?'}sort=created_at&per_page=${PER_PAGE}`;
  for (let page = 1, total = 1; (page - 1) * PER_PAGE < total; page++) {
    const list = await get<List<T>>(`${baseUrl}&page=${page}`, signal);
    total = list.total;
    for (const item of list.items) all.set(item.id, item);
  }
  return { items: [...all.values()], total: all.size };
}
