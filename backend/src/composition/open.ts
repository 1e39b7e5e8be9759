import { createSecretBox, createSigner } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import type { Config } from '../config/config.ts';
import { checkSecretKey, createSecretKey, findOrCreateSecretKey, findSecretKey } from '../config/secret-key.ts';
import type { PaymentProvider } from '../invoices/payments/providers/provider.ts';
import { createInProcessJobs } from '../jobs/in-process.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { migrate, readDeployment } from '../storage/migrate.ts';
import { openStorage, type Storage } from '../storage/open.ts';
import { trackWrites } from '../storage/track-writes.ts';
import type { Sender } from '../webhooks/delivery/sender.ts';
import { countSecrets } from './secret-values.ts';

/**
 * Wraps parts of the service: each function gets a part and returns its replacement. Used by crash tests to stop the
 * process at an exact step.
 */
export interface Overrides {
  storage?(storage: Storage): Storage;
  jobs?(jobs: Jobs): Jobs;
  sender?(sender: Sender): Sender;
  stripe?(stripe: PaymentProvider): PaymentProvider;
}

/** An attempt takes at most 10 s; what is not recorded by then is recorded as `interrupted` by the next process. */
const STOP_JOBS_WITHIN_MS = 11_000;

export type OpenedParts = Awaited<ReturnType<typeof openParts>>;

/** Opens what the server and every command need: the database, upgraded to this release, its keys, and the jobs. */
export async function openParts(config: Config, logger: Logger, overrides: Overrides = {}) {
  checkSecretKey(config);
  const opened = await openStorage(config.database, logger);
  const { storage, canWrite } = trackWrites(overrides.storage?.(opened) ?? opened);
  try {
    const migrated = await migrate(storage, (migration) =>
      logger.info({ migration }, 'upgrading the database while it is in use; this can take minutes'),
    );
    if (migrated.length > 0) logger.info({ migrations: migrated }, 'upgraded the database schema');
    const hasKey =
      findSecretKey(config.secretKey, storage.file) !== undefined ||
      (await countSecrets(storage.read)).unreadable === 0;
    // Only the service needs the key. A new one in the key file, beside values of another, would look like the right one.
    const key = hasKey ? findOrCreateSecretKey(config, storage.file) : createSecretKey();
    const openedJobs = await openJobs(config, storage, logger);
    const jobs = overrides.jobs?.(openedJobs) ?? openedJobs;
    return {
      config,
      logger,
      storage,
      canWrite,
      jobs,
      /** false: the key of the stored secrets is missing, and this one opens none */
      hasKey,
      secretBox: createSecretBox(key),
      signForms: createSigner(key, 'public forms'),
      signDevices: createSigner(key, 'devices'),
      async close(): Promise<void> {
        await waitAtMost(STOP_JOBS_WITHIN_MS, jobs.stop());
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Loads BullMQ on demand: alone, it takes longer to load than everything else at startup. */
async function openJobs({ redisUrl }: Config, storage: Storage, logger: Logger): Promise<Jobs> {
  if (redisUrl === undefined) return createInProcessJobs({ logger });
  const { createBullMqJobs } = await import('../jobs/bullmq.ts');
  return createBullMqJobs({ url: redisUrl, logger, prefix: `farmboard:${await readDeployment(storage)}` });
}
