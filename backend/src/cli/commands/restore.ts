import { realpathSync } from 'node:fs';
import { deleteAllSessions } from '../../accounts/session-store.ts';
import type { LostSecrets } from '../../composition/secret-values.ts';
import { type Database, readConfig } from '../../config/config.ts';
import { openStorage } from '../../storage/open.ts';
import { requireConsistent } from '../../storage/transfer/backup.ts';
import { copyDatabase } from '../../storage/transfer/copy.ts';
import { openBackup } from '../../storage/transfer/source.ts';
import { interruptAll } from '../../webhooks/delivery/transitions.ts';
import { type CommandInput, UsageError } from './command.ts';
import {
  clearLostIn,
  findFaults,
  hasOptionValue,
  printTallies,
  reportLost,
  reportProgress,
  requireKey,
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
    reportProgress(`verifying ${file}`);
    await requireConsistent(source, file, acceptsFaults ? async () => [] : findFaults);
    if (!hasLostKey) await requireKey(source, config.database, config);
    const target = await openStorage(config.database);
    let interrupted = 0;
    let lost: LostSecrets | undefined;
    try {
      const tallies = await copyDatabase(source, target, reportProgress, async (db) => {
        interrupted = await interruptAll(db);
        // sessions that have ended since and used setup links must not become valid again
        await deleteAllSessions(db);
        if (hasLostKey) lost = await clearLostIn(db, config.database, config);
      });
      printTallies(tallies);
    } finally {
      await target.close();
    }
    if (lost) reportLost(lost);
    console.log(`Restored ${file} and verified it.`);
    if (interrupted > 0) {
      console.log(
        `${interrupted} deliveries were unfinished when the backup was made. They may have been sent since, so they are marked failed (interrupted) and won't be sent again. Receivers can fetch them with GET /webhook-subscriptions/{id}/events.`,
      );
    }
  } finally {
    await source.close();
  }
}
