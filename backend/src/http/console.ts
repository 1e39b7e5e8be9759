import { isIP } from 'node:net';
import type { Request, Response, Router } from 'express';
import { parseUrl } from '../../../common/src/url.ts';
import { DomainError } from '../shared/errors.ts';
import { type ApiDeps, createApi } from './api.ts';
import { readCookie } from './cookie.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether an origin has a name that only this service can have: that of its public URL, localhost or an IP address. Any
 * other name may belong to a site that makes it resolve to this service (DNS rebinding).
 */
function isOwnName(origin: string, { hostname }: URL): boolean {
  const name = parseUrl(origin)?.hostname ?? '';
  return name === hostname || name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/**
 * Refuses state-changing requests from other sites (CSRF). Browsers set these headers and pages cannot forge them:
 * Sec-Fetch-Site on https and localhost, Origin on plain http in a LAN. A request with neither is refused.
 * @throws DomainError cross_site
 */
function refuseCrossSite(req: Request, own: URL): void {
  if (SAFE_METHODS.has(req.method)) return;
  const { origin, host, 'sec-fetch-site': site } = req.headers;
  if (site === 'same-origin' || (site === undefined && origin === own.origin)) return;
  // the service may be reached at other addresses than its public URL, and a proxy may replace the Host header
  if (site !== undefined || origin === undefined || origin !== `${own.protocol}//${host}`)
    throw new DomainError('cross_site', "This request wasn't sent by this server's own console.");
  if (!isOwnName(origin, own))
    throw new DomainError(
      'cross_site',
      `${origin} isn't the address of this server. Set PUBLIC_URL to the address at which you open the console.`,
    );
}

export interface ConsoleDeps extends Omit<ApiDeps, 'authenticate' | 'admit'> {
  publicUrl: string;
  authenticateSession(token: string | undefined): ReturnType<ApiDeps['authenticate']>;
}

/** The console API: the automation routes and those for owners only, authenticated by the session cookie. */
export function createConsole({ publicUrl, authenticateSession, ...deps }: ConsoleDeps): Router {
  const own = new URL(publicUrl);
  const https = publicUrl.startsWith('https:');
  return createApi({
    ...deps,
    admit(req: Request, res: Response) {
      // responses must not be shown to the next user of the same browser
      res.setHeader('Cache-Control', 'no-store');
      refuseCrossSite(req, own);
    },
    authenticate: (headers) => authenticateSession(readCookie(headers.cookie, https)),
  });
}
