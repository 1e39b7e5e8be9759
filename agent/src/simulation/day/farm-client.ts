/** How the simulation reaches the farm: over HTTP, like every other client. */
export interface FarmClient {
  /** Calls the console API. @throws Error if it is refused */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Calls anything else of the server. @throws Error if it is refused */
  send<T>(path: string, init: { headers: Record<string, string>; body: string }): Promise<T>;
}

const TIMEOUT_MS = 20_000;

/**
 * @param server `http://host:port`
 * @param cookie a session of the console
 */
export function createFarmClient(server: string, cookie: string): FarmClient {
  async function ask<T>(method: string, path: string, headers: Record<string, string>, body?: string): Promise<T> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(server + path, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
  return {
    call: (method, path, body) =>
      ask(
        method,
        `/console/api${path}`,
        {
          Cookie: cookie,
          'Sec-Fetch-Site': 'same-origin',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        body === undefined ? undefined : JSON.stringify(body),
      ),
    send: (path, { headers, body }) => ask('POST', path, { 'Content-Type': 'application/json', ...headers }, body),
  };
}
