import { createHash, randomBytes } from 'node:crypto';

/** A `WWW-Authenticate: Digest …` challenge of RFC 7616, 2617 or 2069. */
export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: 'MD5' | 'SHA-256';
  isSession: boolean;
  /** false: the server implements RFC 2069, without quality of protection */
  hasQop: boolean;
}

/** Those of printers have about 200 characters; a printer could have the agent read a long one again at every poll. */
const MAX_LENGTH = 2_000;

/** name=value and name="value with \" in it", separated by commas */
const PARAMETER = /\b([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** Parses the first supported challenge. @returns null if there is none, or the header is too long */
export function readChallenge(header: string): Challenge | null {
  if (header.length > MAX_LENGTH) return null;
  // one header may contain several challenges, each starting with its scheme
  for (const part of header.split(/(?:^|,)\s*(?=(?:digest|basic|bearer)\s)/i)) {
    if (!/^\s*digest\s/i.test(part)) continue;
    const values = new Map<string, string>();
    for (const [, name = '', quoted, plain] of part.matchAll(PARAMETER)) {
      values.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
    }
    const [, algorithm, session] = /^(MD5|SHA-256)(-sess)?$/i.exec(values.get('algorithm') ?? 'MD5') ?? [];
    const [realm, nonce, qop] = [values.get('realm'), values.get('nonce'), values.get('qop')];
    const offers = qop?.split(',').map((one) => one.trim().toLowerCase());
    if (algorithm === undefined || realm === undefined || nonce === undefined) continue;
    if (offers !== undefined && !offers.includes('auth')) continue;
    return {
      realm,
      nonce,
      opaque: values.get('opaque'),
      algorithm: algorithm.toUpperCase() as Challenge['algorithm'],
      isSession: session !== undefined,
      hasQop: offers !== undefined,
    };
  }
  return null;
}

export interface Answer {
  user: string;
  password: string;
  method: string;
  /** path and query, as in the request line */
  uri: string;
  /** number of requests with this nonce, from 1 */
  count: number;
  cnonce?: string;
}

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;

/** The `Authorization` header that answers a challenge (RFC 7616 §3.4). */
export function answerChallenge(challenge: Challenge, answer: Answer): string {
  const { realm, nonce, opaque, algorithm, isSession, hasQop } = challenge;
  const { user, password, method, uri } = answer;
  const cnonce = answer.cnonce ?? randomBytes(16).toString('hex');
  const hash = (text: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex');
  const secret = hash(`${user}:${realm}:${password}`);
  const a1 = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
  const a2 = hash(`${method}:${uri}`);
  const nc = answer.count.toString(16).padStart(8, '0');
  const response = hash(hasQop ? `${a1}:${nonce}:${nc}:${cnonce}:auth:${a2}` : `${a1}:${nonce}:${a2}`);
  return [
    `Digest username=${quoted(user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `algorithm=${algorithm}${isSession ? '-sess' : ''}`,
    ...(hasQop ? ['qop=auth', `nc=${nc}`] : []),
    ...(hasQop || isSession ? [`cnonce=${quoted(cnonce)}`] : []),
    `response=${quoted(response)}`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(', ');
}
