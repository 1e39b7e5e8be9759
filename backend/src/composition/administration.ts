import type { Logger } from '../../../common/src/logger.ts';
import type { Config } from '../config/config.ts';
import { createAccountServices } from './accounts.ts';
import { createLimits } from './limits.ts';
import { openParts } from './open.ts';
import { createSample } from './sample.ts';
import { createShared } from './shared.ts';

/** What the command line does on the database of the service. Without the routes it loads in half the time. */
export async function openAdministration(config: Config, logger: Logger) {
  const parts = await openParts(config, logger);
  const shared = createShared(parts);
  const { accounts, sessions } = createAccountServices(shared, parts, createLimits(parts.jobs, config).signIn);
  return { accounts, sessions, sample: createSample(shared, parts), storage: parts.storage, close: parts.close };
}
