import type { Request, Response, Router } from 'express';
import { DomainError } from '../shared/errors.ts';
import { type ApiDeps, createApi } from './api.ts';
import { readCookie } from './cookie.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A page of another site must not act in the name of who is signed in here. Browsers say where a request comes from, and no
 * page can make them say otherwise: by Sec-Fetch-Site on https and localhost, by Origin on plain http in a LAN. What
 * changes something and says neither is no page of ours.
 * @throws DomainError cross_site
 */
function refuseOtherSites(req: Request, { protocol, origin: own }: URL): void {
  if (SAFE_METHODS.has(req.method)) return;
  const { origin, host, 'sec-fetch-site': site } = req.headers;
  // the service is reached by other names than its public one too; a proxy may have put another host in place of what was asked
  const isOwn = origin !== undefined && (origin === own || origin === `${protocol}//${host}`);
  if (site === undefined ? isOwn : site === 'same-origin') return;
  throw new DomainError('cross_site', "This request wasn't sent by this server's own console.");
}

export interface ConsoleDeps extends Omit<ApiDeps, 'authenticate' | 'admit'> {
  publicUrl: string;
  authenticateSession(token: string | undefined): ReturnType<ApiDeps['authenticate']>;
}

/** The owner's door: the routes of the interface and those only an owner has, behind the session's cookie. */
export function createConsole({ publicUrl, authenticateSession, ...deps }: ConsoleDeps): Router {
  const own = new URL(publicUrl);
  const https = publicUrl.startsWith('https:');
  return createApi({
    ...deps,
    admit(req: Request, res: Response) {
      // what a person sees must not be shown to the next one at the same browser
      res.setHeader('Cache-Control', 'no-store');
      refuseOtherSites(req, own);
    },
    authenticate: (headers) => authenticateSession(readCookie(headers.cookie, https)),
  });
}
