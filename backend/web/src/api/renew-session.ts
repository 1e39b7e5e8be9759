import { RENEWAL, renew, send } from './client';

/**
 * Sends a request whose response replaces the session's cookie, and makes those of all tabs wait for it.
 * @throws Problem
 */
export const renewSession = (method: string, path: string, body: unknown): Promise<unknown> =>
  renew(() => {
    tellOtherTabs();
    return send(method, path, { body }).finally(() => localStorage.removeItem(RENEWAL));
  });

function tellOtherTabs(): void {
  try {
    localStorage.setItem(RENEWAL, String(Date.now()));
  } catch {
    // the storage is full: other tabs may have to sign in again
  }
}
