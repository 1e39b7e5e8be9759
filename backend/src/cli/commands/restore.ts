import { realpathSync } from 'node:fs';
import { deleteAllSessions } from '../../accounts/session-store.ts';
import { findFaults } from '../../composition/find-faults.ts';
import type { LostSecrets } from '../../composition/secret-values.ts';
import { type Config, type Database, readConfig } from '../../config/config.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { requireConsistent } from '../../storage/transfer/backup.ts';
import { copyDatabase, type Progress, type TableTally } from '../../storage/transfer/copy.ts';
import { openBackup } from '../../storage/transfer/source.ts';
import { interruptAll } from '../../webhooks/delivery/transitions.ts';
import { type CommandInput, UsageError } from './command.ts';
import {
  clearLostIn,
  describeCopied,
  hasOptionValue,
  printTallies,
  reportLost,
  requireKey,
  withProgress,
} from './copying.ts';

/** Whether the database is this file, also through links. */
export function isFile(database: Database, path: string): boolean {
  if (database.engine !== 'sqlite') return false;
  try {
    return realpathSync(database.file) === realpathSync(path);
  } catch {
    return false;
  }
}

/** `farmboard restore FILE`: copies a backup into the empty database at DATABASE_URL. */
export async function restore(input: CommandInput): Promise<void> {
  const [file] = input.words;
  if (file === undefined) throw new UsageError('Name the backup file: farmboard restore FILE');
  const config = readConfig();
  const acceptsFaults = hasOptionValue(input, 'faults', 'accept');
  const hasLostKey = hasOptionValue(input, 'key', 'lost');
  if (isFile(config.database, file))
    throw new UsageError(`DATABASE_URL points to ${file} itself; use a different database.`);
  const source = await openBackup(file);
  try {
    const { tallies, interrupted, lost } = await withProgress(input, async (progress) => {
      progress(`verifying ${file}`);
      await requireConsistent(source, file, acceptsFaults ? async () => [] : findFaults);
      if (!hasLostKey) await requireKey(source, config.database, config);
      return restoreFrom(source, config, hasLostKey, progress);
    });
    printTallies(input, tallies);
    if (lost) reportLost(lost);
    const { database } = config;
    const place = database.engine === 'sqlite' ? database.file : 'the PostgreSQL database at DATABASE_URL';
    console.log(`Restored ${describeCopied(tallies, file)} from ${file} to ${place} and verified it.`);
    if (interrupted > 0) {
      console.log(
        `${interrupted} deliveries were unfinished when the backup was made. They may have been sent since, so they are marked failed (interrupted) and won't be sent again. Receivers can fetch them with GET /webhook-subscriptions/{id}/events.`,
      );
    }
  } finally {
    await source.close();
  }
}

interface Restored {
  tallies: TableTally[];
  /** how many deliveries were unfinished */
  interrupted: number;
  /** for a lost key */
  lost: LostSecrets | undefined;
}

async function restoreFrom(
  source: Storage,
  config: Config,
  hasLostKey: boolean,
  progress: Progress,
): Promise<Restored> {
  const target = await openStorage(config.database);
  let interrupted = 0;
  let lost: LostSecrets | undefined;
  try {
    const tallies = await copyDatabase(source, target, progress, async (db) => {
      interrupted = await interruptAll(db);
      // sessions that have ended since and used setup links must not become valid again
      await deleteAllSessions(db);
      if (hasLostKey) lost = await clearLostIn(db, config.database, config);
    });
    return { tallies, interrupted, lost };
  } finally {
    await target.close();
  }
}
