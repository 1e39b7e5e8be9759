import { addressScope } from './address-scope';

/** Far more than an address has. It bounds what the patterns below search. */
const MAX_LENGTH = 2_000;

/**
 * Normalizes the Base URL of a credential. Adds a missing scheme (`farm.lan:3000`) and replaces the console's path by
 * `/api/v1`. Any other path is kept, because a proxy may serve the API under it.
 * @returns undefined if it isn't a web address
 */
export function completeBaseUrl(value: unknown): string | undefined {
  const text = String(value ?? '').trim();
  if (text.length > MAX_LENGTH) return undefined;
  const isComplete = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  // a name without a dot or port is ambiguous, so only what looks like a host is completed
  if (!isComplete && !/^(\[[0-9a-f:]+\]|localhost|[^/:]+\.[^/:]+|[^/:]+(?=:\d))(:\d+)?(\/|$)/i.test(text))
    return undefined;
  const scheme = addressScope(`http://${text}`) === 'public' ? 'https' : 'http';
  const url = (isComplete ? text : `${scheme}://${text}`).replace(/(?<!\/)\/+$/, '');
  const [, origin, path] = /^(https?:\/\/[^/?#\s]+)([^?#\s]*)$/i.exec(url.replace(/\/console(\/.*)?$/, '')) ?? [];
  if (origin === undefined) return undefined;
  return path === '' || path === '/api' ? `${origin}/api/v1` : url;
}
