import type { Request, Router } from 'express';
import { DomainError } from '../errors.ts';
import { type ApiDeps, createApi } from './api.ts';
import { readCookie } from './cookie.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A page of another site must not act in the name of who is signed in here. Browsers say where a request comes from: by
 * Sec-Fetch-Site on https and localhost, by Origin on plain http in a LAN. One that changes something and says neither is no
 * page of ours.
 * @throws DomainError unauthorized
 */
function refuseOtherSites(req: Request): void {
  if (SAFE_METHODS.has(req.method)) return;
  const site = req.headers['sec-fetch-site'];
  const { origin, host } = req.headers;
  const isOurs = site === undefined ? origin !== undefined && hostOf(origin) === host : site === 'same-origin';
  if (!isOurs) throw new DomainError('unauthorized', 'This request does not come from a page of this Farmboard.');
}

function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
}

export interface ConsoleDeps extends Omit<ApiDeps, 'authenticate' | 'admit'> {
  https: boolean;
  authenticateSession(token: string | undefined): ReturnType<ApiDeps['authenticate']>;
}

/** The owner's door: the routes of the interface and those only an owner has, behind the session's cookie. */
export const createConsole = ({ https, authenticateSession, ...deps }: ConsoleDeps): Router =>
  createApi({
    ...deps,
    admit: refuseOtherSites,
    authenticate: (headers) => authenticateSession(readCookie(headers.cookie, https)),
  });
