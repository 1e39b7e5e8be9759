import { hostname } from 'node:os';
import type { PublishChange } from '../../jobs/jobs.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Db } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { DeliveryMetrics } from './attempt.ts';
import { interrupt, listClaims, listWaitingChannels } from './delivery-store.ts';

/** Names this start of this process, in a form from which another process of the same host can tell whether it lives. */
export const createWorkerName = (): string => `${hostname()}/${process.pid}/${newId()}`;

/** Whether a worker is certainly dead. On another host nobody can tell, so its claims must run out first. */
function isDead(worker: string, self: string): boolean {
  if (worker === self) return false;
  const [host, pid] = worker.split('/');
  if (host !== hostname()) return false;
  // this very process number, but not this start: whoever held it before is gone
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

/** Workers that may be sending at this moment. */
export async function findBusyWorkers(db: Db, now: number): Promise<string[]> {
  const claims = await listClaims(db);
  return claims.filter(({ worker, until }) => until >= now && !isDead(worker, '')).map(({ worker }) => worker);
}

/** A wake-up that should have come this long ago is taken for lost. */
const LOST_AFTER_MS = 1_000;

/**
 * Finds what no wake-up reached: pending deliveries whose process ended or whose signal was lost, and attempts whose worker
 * died under way. Reads first and writes only when there is something to mend.
 * @returns the channels to wake
 */
export function createSweep(deps: {
  storage: Storage;
  clock: Clock;
  worker: string;
  logger: Logger;
  metrics?: DeliveryMetrics | undefined;
  /** tells open pages */
  publishChange?: PublishChange | undefined;
}) {
  const { storage, clock, worker: self, logger, metrics } = deps;
  return async function sweep(): Promise<string[]> {
    const now = clock();
    const channels = new Set(await listWaitingChannels(storage.read, now - LOST_AFTER_MS));
    for (const { worker, until } of await listClaims(storage.read)) {
      const dead = isDead(worker, self);
      if (!dead && until >= now) continue;
      const freed = await storage.inTransaction(({ db }) => interrupt(db, worker, dead ? undefined : now, now));
      metrics?.ended('interrupted', freed.length);
      logger.warn({ worker, attempts: freed.length }, 'marked attempts of a stopped process as interrupted');
      for (const { channelId, accountId } of freed) {
        channels.add(channelId);
        deps.publishChange?.(accountId, { kind: 'delivery', id: channelId });
      }
    }
    return [...channels];
  };
}
