import type { Logger } from '../../../common/src/logger.ts';

/** What is logged about access, by the name that its lines have as `security`. */
const DONE = {
  account_created: 'created an account',
  signed_in: 'signed in',
  signed_out: 'signed out',
  sessions_ended: 'ended sessions',
  password_confirmed: 'entered the password again',
  password_changed: 'changed the password',
  token_created: 'created an access token',
  token_revoked: 'revoked an access token',
  agent_created: 'created an agent',
  agent_revoked: 'revoked an agent',
} as const;
const REFUSED = {
  sign_in_refused: 'refused a sign-in',
  sign_up_refused: 'refused a sign-up',
  password_refused: 'refused a password',
  request_refused: 'refused a request',
  notification_refused: 'refused a payment notification',
} as const;

type Facts = Record<string, string | number | undefined>;

/** Logs something that only the owner of an account can have done. */
export function logDone(logger: Logger, security: keyof typeof DONE, facts: Facts): void {
  logger.info({ security, ...facts }, DONE[security]);
}

/** Anyone can cause refusals, so of each kind only this many lines are written in WINDOW_MS; the rest are counted. */
const MAX_LINES = 30;
const WINDOW_MS = 60_000;

interface Window {
  until: number;
  lines: number;
  dropped: number;
}

/** By logger: the current window of each kind. */
const windows = new WeakMap<Logger, Map<string, Window>>();

/** Logs a refusal, with the number of refusals of this kind that were left out before it. */
export function logRefused(logger: Logger, security: keyof typeof REFUSED, facts: Facts): void {
  const ofLogger = windows.get(logger) ?? new Map<string, Window>();
  windows.set(logger, ofLogger);
  const now = performance.now();
  const last = ofLogger.get(security);
  const window = last && now < last.until ? last : { until: now + WINDOW_MS, lines: 0, dropped: last?.dropped ?? 0 };
  ofLogger.set(security, window);
  if (window.lines === MAX_LINES) {
    window.dropped += 1;
    return;
  }
  window.lines += 1;
  const leftOut = window.dropped > 0 ? { left_out: window.dropped } : {};
  window.dropped = 0;
  logger.warn({ security, ...facts, ...leftOut }, REFUSED[security]);
}
