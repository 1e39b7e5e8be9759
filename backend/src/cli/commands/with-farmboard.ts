import { readConfig } from '../../config/config.ts';
import { createFarmboard, type Farmboard } from '../../main.ts';
import { createLogger } from '../../shared/logger.ts';

/**
 * Runs a command on the database of the service, which may be running at the same time. Nothing is delivered from here:
 * the service's sweep finds committed events within 2 seconds. Logging is off, so standard output belongs to the
 * command.
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
