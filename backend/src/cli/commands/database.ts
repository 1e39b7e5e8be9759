import { findFaults } from '../../composition/find-faults.ts';
import { readConfig } from '../../config/config.ts';
import { MIGRATIONS, migrate } from '../../storage/migrate.ts';
import { openStorage } from '../../storage/open.ts';
import { hasSearchIndex, NO_SEARCH_INDEX } from '../../storage/search.ts';
import { backupTo } from '../../storage/transfer/backup.ts';
import { openExisting } from '../../storage/transfer/source.ts';
import { type CommandInput, UsageError } from './command.ts';
import { describeCopied, hasOptionValue, printTallies, withProgress } from './copying.ts';

export async function migrateDatabase(): Promise<void> {
  const storage = await openStorage(readConfig().database);
  try {
    const ran = await migrate(storage, (name) => console.log(`Running ${name}. This can take minutes…`));
    console.log(ran.length > 0 ? `Ran ${ran.join(', ')}.` : `Up to date: ${MIGRATIONS.at(-1)?.name}.`);
    if (!(await hasSearchIndex(storage.read))) console.log(`Note: ${NO_SEARCH_INDEX}`);
  } finally {
    await storage.close();
  }
}

export async function backup(input: CommandInput): Promise<void> {
  const [target] = input.words;
  if (target === undefined) throw new UsageError('Name the backup file: farmboard backup FILE');
  const acceptsFaults = hasOptionValue(input, 'faults', 'accept');
  endWithParent();
  // opened without migrating: a backup does not change its source
  const storage = await openExisting(readConfig().database);
  try {
    const tallies = await withProgress(input, (progress) =>
      backupTo(storage, target, acceptsFaults ? async () => [] : findFaults, progress),
    );
    printTallies(input, tallies);
    console.log(
      `Backed up ${describeCopied(tallies, target)} to ${target} and verified it. Store the secret key (SECRET_KEY or the key file) separately.`,
    );
  } finally {
    await storage.close();
  }
}

/** A scheduled backup ends with the service that started it. Without a channel to a parent, nothing happens. */
function endWithParent(): void {
  // exit() would wait for a statement of SQLite that can take minutes
  const end = () => process.kill(process.pid, 'SIGKILL');
  // undefined if there never was a channel
  if (process.connected === false) end();
  process.once('disconnect', end);
  process.channel?.unref();
}
