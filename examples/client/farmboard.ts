// A typed client of Farmboard's API, meant to be copied. Paths, parameters and fields are those of api.d.ts, which is made
// from your service's document.
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

type Problem = components['schemas']['Problem'];

/** A refused request. Base your logic on `problem.code`. */
export class FarmboardError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'FarmboardError';
    this.problem = problem;
  }
}

/** With a key of its own, a POST that is sent again has no further effect. */
const keys: Middleware = {
  onRequest({ request }) {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    return request;
  },
};

const refusals: Middleware = {
  async onResponse({ request, response }) {
    if (response.status < 400) return;
    if (response.headers.get('Content-Type')?.startsWith('application/problem+json'))
      throw new FarmboardError(await response.json());
    throw new Error(`${request.method} ${request.url}: ${response.status} ${response.statusText}`);
  },
};

const MAX_ATTEMPTS = 5;

/** Without a response, a request may have been carried out: deleting again would be 404, and an old `If-Match` 412. */
const isHarmlessAgain = ({ method, headers, signal }: Request): boolean =>
  method !== 'DELETE' && !headers.has('If-Match') && !signal.aborted;

/** Retries 429, 503 and, where it does no harm, a lost connection; waits as `Retry-After` says. */
async function send(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MAX_ATTEMPTS;
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (isLast || !isHarmlessAgain(request)) throw error;
    });
    if (response && (isLast || ![429, 503].includes(response.status))) return response;
    const seconds = Number(response?.headers.get('Retry-After')) || 2 ** (attempt - 1);
    await response?.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

export function createFarmboard({ url, token }: { url: string; token: string }) {
  const farmboard = createClient<paths>({
    baseUrl: `${url}/api/v1`,
    // an unknown status is an error instead of a reset
    headers: { Authorization: `Bearer ${token}`, Prefer: 'handling=strict' },
    fetch: send,
  });
  farmboard.use(keys, refusals);
  return farmboard;
}

/** The body of a response. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** All records of a list, each once, whatever is created and deleted meanwhile. */
export async function* itemsOf<T>(
  getPage: (cursor?: string) => Promise<{ data?: { items: T[] }; response: Response }>,
): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { data, response } = await getPage(cursor);
    yield* data?.items ?? [];
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
    cursor = next && (new URL(next, response.url).searchParams.get('cursor') ?? undefined);
  } while (cursor);
}
