import { findFaults } from '../../composition/find-faults.ts';
import { recountAll } from '../../storage/counters.ts';
import { checkFile } from '../../storage/transfer/backup.ts';
import type { CommandInput } from './command.ts';
import { hasOptionValue } from './copying.ts';
import { withFarmboard } from './with-farmboard.ts';

export async function check(input: CommandInput): Promise<void> {
  const recounts = hasOptionValue(input, 'counters', 'recount');
  await withFarmboard(async ({ storage }) => {
    if (recounts) await recountAll(storage);
    const damage = storage.file === undefined ? [] : await checkFile(storage);
    // what is damaged can't be read
    const faults = damage.length > 0 ? damage : await findFaults(storage);
    for (const fault of faults) console.log(fault);
    if (faults.length > 0) process.exitCode = 1;
    else console.log('No problems found.');
  });
}
