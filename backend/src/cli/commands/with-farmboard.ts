import { readConfig } from '../../config/config.ts';
import { createFarmboard, type Farmboard } from '../../main.ts';
import { createLogger } from '../../shared/logger.ts';

/**
 * Runs a command on the same database as the service, which may be running beside it. Nothing is delivered from here: the
 * service finds what a command commits within 2 seconds. Only warnings are logged, and standard output is the command's own.
 */
export async function withFarmboard(work: (farmboard: Farmboard) => Promise<void>): Promise<void> {
  const farmboard = await createFarmboard(readConfig(), createLogger('silent'));
  try {
    await work(farmboard);
  } finally {
    await farmboard.jobs.stop();
    await farmboard.storage.close();
  }
}
