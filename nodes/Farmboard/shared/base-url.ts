import { addressScope } from './address-scope';

/** Far more than an address has. It bounds what the patterns below search. */
const MAX_LENGTH = 2_000;

const EXAMPLE = 'Enter an address such as http://localhost:3000/api/v1.';

/** A host with an optional port, as in a URL. Not `%`, which no host name has and which may hide another character. */
const HOST = '(?:\\[[0-9a-f:.]+\\]|[^\\s/?#@:%\\\\[\\]]+)(?::\\d{1,5})?';

const ADDRESS = new RegExp(`^(https?://${HOST})(/[^?#\\s]*)?$`, 'i');

/** The text with its percent-encoded and look-alike characters resolved, such as those of `@`. */
function resolveCharacters(text: string): string {
  const decoded = text.replace(/%([0-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  return decoded.normalize('NFKC');
}

/** Anywhere, not only in the host: a path may be an address, too. A backslash is a slash to most programs. */
const hasCredentials = (text: string): boolean => /[@\\]/.test(resolveCharacters(text));

const hasToken = (text: string): boolean => /(pat|agt|ses)_[0-9a-z]{8}/i.test(resolveCharacters(text));

/**
 * Normalizes the Base URL of a credential. Adds a missing scheme (`farm.lan:3000`) and replaces the console's path by
 * `/api/v1`. Any other path is kept, because a proxy may serve the API under it.
 * @returns undefined if it isn't a web address, or contains a password or token, which errors would repeat
 */
export function completeBaseUrl(value: unknown): string | undefined {
  const text = String(value ?? '').trim();
  if (text.length > MAX_LENGTH || hasCredentials(text) || hasToken(text)) return undefined;
  const isComplete = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  // a name without a dot or port is ambiguous, so only what looks like a host is completed
  if (!isComplete && !/^(\[[0-9a-f:]+\]|localhost|[^/:]+\.[^/:]+|[^/:]+(?=:\d))(:\d+)?(\/|$)/i.test(text))
    return undefined;
  const scheme = addressScope(`http://${text}`) === 'public' ? 'https' : 'http';
  const url = (isComplete ? text : `${scheme}://${text}`).replace(/(?<!\/)\/+$/, '');
  const [, origin, path = ''] = ADDRESS.exec(url.replace(/\/console(\/.*)?$/, '')) ?? [];
  if (origin === undefined) return undefined;
  return path === '' || path === '/api' ? `${origin}/api/v1` : url;
}

/** Why `completeBaseUrl` refuses a text. Doesn't repeat it, because it may contain a secret. */
export function explainBaseUrl(value: unknown): { fault: string; remedy: string } {
  const text = String(value ?? '').slice(0, MAX_LENGTH);
  if (hasToken(text)) {
    return { fault: 'contains an access token', remedy: `Move it to the field Access Token. ${EXAMPLE}` };
  }
  if (hasCredentials(text)) {
    return {
      fault: 'must not contain a user name, a password, "@" or "\\"',
      remedy: `Farmboard needs only the access token, in its own field. ${EXAMPLE}`,
    };
  }
  return { fault: 'is not a web address', remedy: EXAMPLE };
}
