import { addressScope } from './address-scope';

/**
 * The Base URL of a credential as requests need it. People type `farm.lan:3000`, or copy the address of the console: a
 * missing scheme and a missing `/api/v1` are added. Any other path stays, for a proxy may serve the API under it.
 *
 * @returns undefined when it is no web address
 */
export function completeBaseUrl(value: unknown): string | undefined {
  const text = String(value ?? '').trim();
  const isComplete = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  // a name without a dot or a port may be anything, so that only what looks like a host is completed
  if (!isComplete && !/^(\[[0-9a-f:]+\]|localhost|[^/:]+\.[^/:]+|[^/:]+(?=:\d))(:\d+)?(\/|$)/i.test(text))
    return undefined;
  const scheme = addressScope(`http://${text}`) === 'public' ? 'https' : 'http';
  const url = (isComplete ? text : `${scheme}://${text}`).replace(/\/+$/, '');
  const [, origin, path] = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)$/i.exec(url.replace(/\/console(\/.*)?$/, '')) ?? [];
  if (origin === undefined) return undefined;
  return path === '' || path === '/api' ? `${origin}/api/v1` : url;
}
