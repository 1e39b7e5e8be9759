import type { Request, Response, Router } from 'express';
import { DomainError } from '../shared/errors.ts';
import { type ApiDeps, createApi } from './api.ts';
import { readCookie } from './cookie.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses state-changing requests from other sites (CSRF). Browsers set these headers and pages cannot forge them:
 * Sec-Fetch-Site on https and localhost, Origin on plain http in a LAN. A request with neither is refused.
 * @throws DomainError cross_site
 */
function refuseCrossSite(req: Request, { protocol, origin: own }: URL): void {
  if (SAFE_METHODS.has(req.method)) return;
  const { origin, host, 'sec-fetch-site': site } = req.headers;
  // the service may be reached under other names than its public URL, and a proxy may replace the Host header
  const isOwn = origin !== undefined && (origin === own || origin === `${protocol}//${host}`);
  if (site === undefined ? isOwn : site === 'same-origin') return;
  throw new DomainError('cross_site', "This request wasn't sent by this server's own console.");
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
