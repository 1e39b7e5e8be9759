import type { Request } from 'express';
import type { Logger } from '../../../common/src/logger.ts';
import type { Actor } from '../accounts/token.ts';
import { DomainError, type ErrorCode } from '../shared/errors.ts';
import { logRefused } from '../shared/security-log.ts';
import { clientOf } from './client.ts';

const REFUSALS: readonly ErrorCode[] = [
  'unauthorized',
  'cross_site',
  'password_required',
  'read_only_token',
  'rate_limited',
];

export const isCrossSite = (error: unknown): boolean => error instanceof DomainError && error.code === 'cross_site';

/** Logs an error that refuses a request because of who sent it. Its path isn't logged, because paths contain IDs. */
export function logRefusal(logger: Logger, req: Request, error: unknown, actor?: Actor): void {
  if (!(error instanceof DomainError && REFUSALS.includes(error.code))) return;
  logRefused(logger, 'request_refused', {
    code: error.code,
    // says what was wrong with the credential, without its value
    reason: error.code === 'unauthorized' ? error.message : undefined,
    method: req.method,
    // none for the operator's pages
    api: req.baseUrl || undefined,
    account_id: actor?.accountId,
    token_id: actor?.tokenId,
    client: clientOf(req),
    request_id: String(req.res?.getHeader('X-Request-Id')),
  });
}
