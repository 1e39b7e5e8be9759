import { hostname } from 'node:os';
import type { Logger } from '../../../../common/src/logger.ts';
import type { PublishChange } from '../../shared/change.ts';
import { newId } from '../../shared/ids.ts';
import { type DatabaseClock, type Db, databaseTime } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { DeliveryMetrics } from './attempt.ts';
import { interrupt, listClaims, listWaitingSubscriptions } from './delivery-store.ts';
import { reportEnded } from './transitions.ts';

/** Names this start of this process so that another process on the same host can check whether it is alive. */
export const createWorkerName = (): string => `${hostname()}/${process.pid}/${newId()}`;

/** Whether a worker is certainly dead. A worker on another host cannot be checked; its claims must expire. */
function isDead(worker: string, self: string): boolean {
  if (worker === self) return false;
  const [host, pid] = worker.split('/');
  if (host !== hostname()) return false;
  // our process id but an earlier start, which has ended
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

/** Workers that may be sending now. */
export async function findBusyWorkers(db: Db): Promise<string[]> {
  const claims = await listClaims(db);
  return claims.filter(({ worker, expiresIn }) => expiresIn >= 0 && !isDead(worker, '')).map(({ worker }) => worker);
}

/** A wake-up is considered lost if a delivery is pending for longer than this. */
const LOST_AFTER_MS = 1_000;

/**
 * Finds what no wake-up reached: pending deliveries whose process stopped or whose wake-up was lost, and attempts whose
 * worker died. Reads first and writes only if something was interrupted.
 * @returns the ids of subscriptions to wake
 */
export function createSweep(deps: {
  storage: Storage;
  databaseClock?: DatabaseClock | undefined;
  worker: string;
  logger: Logger;
  metrics?: DeliveryMetrics | undefined;
  /** notifies open pages */
  publishChange: PublishChange;
}) {
  const { storage, databaseClock = databaseTime, worker: self, logger } = deps;
  return async function sweep(): Promise<string[]> {
    const now = databaseClock(storage.read);
    const subscriptions = new Set(await listWaitingSubscriptions(storage.read, LOST_AFTER_MS, now));
    for (const { worker, expiresIn } of await listClaims(storage.read, now)) {
      const dead = isDead(worker, self);
      if (!dead && expiresIn >= 0) continue;
      const interrupted = await storage.inTransaction(({ db }) => interrupt(db, worker, dead ? 'all' : 'expired', now));
      logger.warn({ worker, attempts: interrupted.length }, 'marked attempts of a stopped process as interrupted');
      reportEnded(deps, interrupted);
      for (const { subscriptionId, accountId } of interrupted) {
        subscriptions.add(subscriptionId);
        deps.publishChange(accountId, { kind: 'delivery', id: subscriptionId });
      }
    }
    return [...subscriptions];
  };
}
