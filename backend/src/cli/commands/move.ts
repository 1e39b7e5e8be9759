import type { LostSecrets } from '../../composition/secret-values.ts';
import { readConfig, readDatabase } from '../../config/config.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { requireCurrentSchema } from '../../storage/schema.ts';
import { copyDatabase } from '../../storage/transfer/copy.ts';
import { openExclusively } from '../../storage/transfer/source.ts';
import { findBusyWorkers } from '../../webhooks/delivery/sweep.ts';
import { type CommandInput, required, UsageError } from './command.ts';
import {
  clearLostIn,
  describeCopied,
  hasOptionValue,
  printTallies,
  reportLost,
  requireKey,
  withProgress,
} from './copying.ts';
import { isFile } from './restore.ts';

/** `farmboard move --from URL --to URL`: copies everything from the database of a stopped service to an empty one. */
export async function move(input: CommandInput): Promise<void> {
  const from = readDatabase('--from', required(input, 'from'));
  const to = readDatabase('--to', required(input, 'to'));
  const config = readConfig();
  const hasLostKey = hasOptionValue(input, 'key', 'lost');
  if (from.engine === 'sqlite' && isFile(to, from.file)) throw new UsageError('--from and --to are the same file.');
  const source = await openExclusively(from, '--from');
  try {
    await requireCurrentSchema(source.read, 'The database at --from');
    await requireNoBusyWorkers(source);
    if (!hasLostKey) await requireKey(source, to, config);
    const target = await openStorage(to, undefined, '--to');
    try {
      let lost: LostSecrets | undefined;
      const tallies = await withProgress(input, (progress) =>
        copyDatabase(source, target, progress, async (db) => {
          if (hasLostKey) lost = await clearLostIn(db, to, config);
        }),
      );
      printTallies(input, tallies);
      if (lost) reportLost(lost);
      console.log(`Moved ${describeCopied(tallies)} with all other data and verified it.`);
    } finally {
      await target.close();
    }
    console.log(
      'From now on, start the service with the new database only. Started with the old one, it would resend events that are pending in both. Archive or delete the old database.',
    );
  } finally {
    await source.close();
  }
}

/** @throws UsageError if a delivery is under way */
export async function requireNoBusyWorkers(source: Storage): Promise<void> {
  const [worker] = await findBusyWorkers(source.read);
  if (worker) {
    throw new UsageError(
      `A worker is still sending deliveries from this database (${worker.split('/', 2).join('/')}). Stop the service first.`,
    );
  }
}
