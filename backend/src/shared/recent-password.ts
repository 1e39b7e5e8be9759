import { DomainError } from './errors.ts';

/** How long after the password was entered sensitive changes don't ask for it. */
const RECENT_MS = 10 * 60_000;

/** Who asks for a change. */
export interface Caller {
  /** ms; when the password was last entered in this session; null: never asked for it, as with a token or on the command line */
  passwordCheckedAt: number | null;
}

/**
 * Called by each service method that gives access, sends events to a new place or decides where money goes, so that no
 * route to it can do without, and before anything else, so that a refused request uses up nothing.
 * @param now ms
 * @throws DomainError password_required
 */
export function requireRecentPassword({ passwordCheckedAt }: Caller, now: number): void {
  if (passwordCheckedAt === null || passwordCheckedAt > now - RECENT_MS) return;
  throw new DomainError('password_required', 'Enter your password again to make this change.');
}
