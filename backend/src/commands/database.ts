import { readConfig } from '../config.ts';
import { backupTo, checkFile } from '../storage/backup.ts';
import { MIGRATIONS, migrate } from '../storage/migrate.ts';
import { openStorage } from '../storage/open.ts';
import { type CommandInput, UsageError } from './command.ts';
import { withFarmboard } from './with-farmboard.ts';

export async function migrateDatabase(): Promise<void> {
  const storage = await openStorage(readConfig().database);
  try {
    const ran = await migrate(storage);
    console.log(ran.length > 0 ? `Ran ${ran.join(', ')}.` : `Up to date: ${MIGRATIONS.at(-1)?.name}.`);
  } finally {
    await storage.close();
  }
}

export async function backup({ words }: CommandInput): Promise<void> {
  const [target] = words;
  if (target === undefined) throw new UsageError('Say where to: farmboard backup FILE');
  await withFarmboard(async ({ storage }) => {
    await backupTo(storage, target);
    console.log(`Wrote and verified ${target}. Keep the key file (SECRET_KEY) apart from it.`);
  });
}

export async function check(): Promise<void> {
  await withFarmboard(async ({ storage, filaments, webhooks }) => {
    const faults = [
      ...(storage.file === undefined ? [] : await checkFile(storage)),
      ...(await filaments.check(storage.read)),
      ...(await webhooks.check()),
    ];
    for (const fault of faults) console.log(fault);
    if (faults.length > 0) process.exitCode = 1;
    else console.log('All stored invariants hold.');
  });
}
