import { createLogger } from '../../../../common/src/logger.ts';
import { openAdministration } from '../../composition/administration.ts';
import { readConfig } from '../../config/config.ts';

type Administration = Awaited<ReturnType<typeof openAdministration>>;

/**
 * Runs a command on the database of the service, which may be running at the same time. Nothing is delivered from here:
 * the service's sweep finds committed events within 2 seconds. Logging is off, so standard output belongs to the
 * command.
 */
export async function withFarmboard(work: (farmboard: Administration) => Promise<void>): Promise<void> {
  const farmboard = await openAdministration(readConfig(), createLogger('silent'));
  try {
    await work(farmboard);
  } finally {
    await farmboard.close();
  }
}
