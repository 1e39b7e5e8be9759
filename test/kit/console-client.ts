import { request } from 'node:http';
import type { components } from '../../backend/web/src/api-types.d.ts';
import type { Answer } from './checker.ts';
import { type Client, createClient } from './client.ts';
import { eventually } from './eventually.ts';
import { createEmptyDataFolder, type Env, farmboard, type Service, startService } from './service.ts';

export const PASSWORD = 'correct horse battery';
export const OWNER = { email: 'owner@farm.example', name: 'Test farm', password: PASSWORD };

export type SessionBody = components['schemas']['Session'];

export interface AskOptions {
  body?: unknown;
  /** Sent unchanged. */
  raw?: string | Uint8Array;
  /** In addition to the headers of a console page; undefined removes one. */
  headers?: Record<string, string | undefined>;
  /** The process to send the request to, if not the first. */
  origin?: string;
}

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/**
 * A console client that sends cookies and the headers of a browser, which fetch can't. Validates every response with
 * the console's OpenAPI document.
 */
export async function openBrowser({ origin }: Pick<Service, 'origin'>, { name = 'farmboard' } = {}) {
  const { document, check } = await CHECKER_OF(origin, '/console/api');
  const cookies = new Map<string, string>();

  function take(answer: Answer<unknown>): void {
    for (const set of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split('; ');
      const [key = '', value = ''] = pair.split('=');
      if (![name, `${name}-device`, `${name}-owner`].includes(key)) throw new Error(`a cookie of another name: ${set}`);
      const expires = attributes.find((attribute) => attribute.startsWith('Expires='))?.slice('Expires='.length) ?? '';
      if (Date.parse(expires) > Date.now()) cookies.set(key, value);
      else cookies.delete(key);
    }
  }

  async function ask<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: AskOptions = {},
  ): Promise<Answer<T>> {
    const { body, raw = body === undefined ? undefined : JSON.stringify(body) } = options;
    const headers = {
      'Sec-Fetch-Site': 'same-origin',
      'User-Agent': 'test browser',
      ...(cookies.size === 0 ? {} : { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
      ...(raw === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(raw) }),
      ...options.headers,
    };
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const answer = await new Promise<Answer<T>>((resolve, reject) => {
      const asked = request(`${options.origin ?? origin}/console/api${path}`, { method, headers: sent }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (more: string) => {
          text += more;
        });
        res.on('end', () => {
          const flat = Object.entries(res.headers).flatMap(([key, value]) =>
            [value ?? []].flat().map((one): [string, string] => [key, one]),
          );
          const isJson = res.headers['content-type']?.includes('json') ?? false;
          const parsed = (isJson && text !== '' ? JSON.parse(text) : undefined) as T;
          resolve({ status: res.statusCode as number, headers: new Headers(flat), body: parsed, text });
        });
        res.on('error', reject);
      });
      asked.on('error', reject);
      asked.end(raw);
    });
    check(method, path, answer);
    take(answer);
    return answer;
  }

  return {
    origin,
    document,
    ask,
    get: <T = Record<string, unknown>>(path: string, options?: AskOptions) => ask<T>('GET', path, options),
    post: <T = Record<string, unknown>>(path: string, body?: unknown, options?: AskOptions) =>
      ask<T>('POST', path, { ...options, body }),
    put: <T = Record<string, unknown>>(path: string, body?: unknown, options?: AskOptions) =>
      ask<T>('PUT', path, { ...options, body }),
    delete: <T = Record<string, unknown>>(path: string, options?: AskOptions) => ask<T>('DELETE', path, options),
    signIn: (email = OWNER.email, password = PASSWORD, options?: AskOptions) =>
      ask<SessionBody>('POST', '/session', { ...options, body: { email, password } }),
    /** Who is signed in. */
    async who(): Promise<string | null> {
      return (await ask<SessionBody>('GET', '/session')).body.person?.email ?? null;
    },
    /** The session. */
    cookie: () => cookies.get(name),
    setCookie(value: string | undefined): void {
      if (value === undefined) cookies.delete(name);
      else cookies.set(name, value);
    },
  };
}

/** The codes of the setup links that a process has printed. */
const codesIn = ({ log }: Pick<Service, 'log'>): string[] =>
  log.flatMap((line) => {
    const code = /\/console\/setup#(set_\w+)/.exec(line)?.[1];
    return code === undefined ? [] : [code];
  });

/** Waits for one, because it is printed just after the service listens. */
export const printedCodes = (service: Pick<Service, 'log'>): Promise<string[]> =>
  eventually(
    () => codesIn(service),
    (codes) => codes.length > 0,
  );

/** Creates the first owner by the printed setup link. */
export async function createFirstOwner(service: Service, options?: { name: string }): Promise<Browser> {
  const browser = await openBrowser(service, options);
  const [code] = await printedCodes(service);
  const made = await browser.post('/setup', { ...OWNER, code });
  expect(made.status).toBe(200);
  return browser;
}

export type TwoFarms = Awaited<ReturnType<typeof startTwoFarms>>;

/** A service with two accounts, signed in as owner and stranger, and a client with a token of the owner's account. */
export async function startTwoFarms(settings: Env = {}) {
  const folder = createEmptyDataFolder();
  const service = await startService({ ...folder.env, SIGN_UP: 'open', ...settings });
  const owner = await createFirstOwner(service);
  const { token } = (await owner.post('/tokens', { name: 'n8n' })).body;
  const client: Client = await createClient(service.origin, String(token));
  const stranger = await openBrowser(service);
  await stranger.post('/sign-up', { ...OWNER, email: 'other@farm.example', password: PASSWORD });

  /** Expects that every invariant holds. */
  async function stop(): Promise<void> {
    expect(await farmboard(['check'], folder.env)).toMatchObject({ code: 0 });
    expect(await service.stop()).toBe(0);
    folder.remove();
  }
  return { folder, service, owner, client, stranger, stop };
}
