import { mkdtempSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../../common/src/logger.ts';
import type { BackupSettings } from '../../config/config.ts';
import { newId } from '../../shared/ids.ts';
import { SettingError } from '../../shared/setting-error.ts';
import { readDeployment } from '../../storage/migrate.ts';
import type { Storage } from '../../storage/open.ts';
import { backupNames, deleteOld, deleteParts, runBackup } from './backup-files.ts';
import { claimBackup, endClaim, renewClaim } from './backup-store.ts';

/** How often each process looks whether a backup is due. */
const LOOK_EVERY_MS = 10_000;
const RENEW_EVERY_MS = 10_000;

export interface BackupScheduleDeps {
  storage: Storage;
  logger: Logger;
  settings: BackupSettings;
  measure(run: () => Promise<number>): Promise<number>;
}

/** @throws SettingError if no backup could be written to the folder */
export function checkBackupFolder(folder: string): void {
  try {
    // permissions alone say nothing about read-only file systems
    rmdirSync(mkdtempSync(join(folder, '.farmboard-')));
  } catch (error) {
    const detail = `${folder} must be an existing folder that this user can write to (${(error as NodeJS.ErrnoException).code})`;
    throw new SettingError('BACKUP_FOLDER', detail);
  }
}

/**
 * Makes a verified backup in each interval, in one of the processes that share the database, and then deletes the oldest
 * ones. One that was missed while the service was down, or failed, is made up for.
 */
export function createBackupSchedule(deps: BackupScheduleDeps) {
  const { storage, logger, settings } = deps;
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let failing = false;

  async function look(): Promise<void> {
    try {
      const claim = newId();
      const startedAt = await claimBackup(storage, claim, settings.everyMs);
      if (startedAt !== undefined) await makeBackup(deps, claim, startedAt, stop.signal);
      failing = false;
    } catch (error) {
      // log only the first failure of an outage
      if (!failing) logger.error({ err: error }, 'the state of scheduled backups cannot be read or written; retrying');
      failing = true;
    }
  }

  function schedule(delay: number): void {
    timer = setTimeout(() => {
      looking = look().finally(() => {
        if (!stop.signal.aborted) schedule(Math.min(LOOK_EVERY_MS, settings.everyMs / 2));
      });
    }, delay);
    timer.unref();
  }

  return {
    start: () => schedule(0),
    /** Ends a backup in progress; the next start makes it. */
    async stop(): Promise<void> {
      stop.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

async function makeBackup(
  deps: BackupScheduleDeps,
  claim: string,
  startedAt: number,
  stop: AbortSignal,
): Promise<void> {
  const { storage, logger, settings } = deps;
  const { folder, keep } = settings;
  const names = backupNames(await readDeployment(storage));
  const name = names.nameAt(startedAt);
  const file = join(folder, name);
  const began = performance.now();
  let bytes: number;
  try {
    bytes = await runWhileClaimed(deps, claim, stop, async (signal) => {
      await deleteParts(folder, names);
      return runBackup(file, signal);
    });
  } catch (error) {
    await deleteParts(folder, names).catch(() => undefined);
    if (stop.aborted) logger.info({ file }, 'the scheduled backup was interrupted; the next start makes it');
    else logger.error({ err: error, file }, 'the scheduled backup failed; retrying in 15 minutes at the latest');
    return endClaim(storage, claim, stop.aborted ? 'interrupted' : 'failed');
  }
  const duration_ms = Math.round(performance.now() - began);
  await endClaim(storage, claim, { bytes });
  const deleted = await deleteOld(folder, names, keep, name).catch((error: unknown) =>
    logger.warn({ err: error, folder }, 'old scheduled backups cannot be deleted'),
  );
  logger.info({ file, bytes, duration_ms, deleted }, 'the scheduled backup was made and verified');
}

/** Renews the claim during a run, and ends the run if another process took it over. */
async function runWhileClaimed(
  { storage, measure }: BackupScheduleDeps,
  claim: string,
  stop: AbortSignal,
  run: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const lost = new AbortController();
  const renew = () =>
    renewClaim(storage, claim).then(
      (isOurs) => isOurs || lost.abort(),
      // the next renewal is before the claim ends
      () => undefined,
    );
  const renewal = setInterval(renew, RENEW_EVERY_MS);
  try {
    return await measure(() => run(AbortSignal.any([stop, lost.signal])));
  } finally {
    clearInterval(renewal);
  }
}
