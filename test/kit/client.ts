import type { Answer, checkerOf } from './checker.ts';

declare global {
  // provided by the environment (`environment.cjs`)
  var CHECKER_OF: typeof checkerOf;
}

export interface CallOptions {
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; for anything else use `raw`. */
  body?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

export type Client = Awaited<ReturnType<typeof createClient>>;

export async function toAnswer<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const body = (isJson && text !== '' ? JSON.parse(text) : undefined) as T;
  return { status: response.status, headers: response.headers, body, text };
}

/** A client with a token that validates every response with the API's OpenAPI document. */
export async function createClient(
  origin: string,
  defaultToken: string,
  basePath: '/api/v1' | '/agent/v1' = '/api/v1',
) {
  const baseUrl = `${origin}${basePath}`;
  const { document, check, checkPushed } = await CHECKER_OF(origin, basePath);

  async function call<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer<T>> {
    const { token = defaultToken, headers = {}, body, raw, signal } = options;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      redirect: 'manual',
      signal: signal ?? null,
    });
    const answer = await toAnswer<T>(response);
    check(method, path, answer);
    return answer;
  }

  return {
    baseUrl,
    document,
    call,
    /** For requests made by other means. @throws Error when the response is not as documented */
    check,
    checkPushed,
    get: <T = Record<string, unknown>>(path: string, options?: CallOptions) => call<T>('GET', path, options),
    post: <T = Record<string, unknown>>(path: string, body?: unknown, options?: CallOptions) =>
      call<T>('POST', path, { ...options, body }),
    put: <T = Record<string, unknown>>(path: string, body?: unknown, options?: CallOptions) =>
      call<T>('PUT', path, { ...options, body }),
    delete: <T = Record<string, unknown>>(path: string, options?: CallOptions) => call<T>('DELETE', path, options),
  };
}
