import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { createLogger, type Logger } from '../../common/src/logger.ts';
import { version } from '../../common/src/version.ts';
import { createFeatures } from './composition/features.ts';
import { type OpenedParts, type Overrides, openParts } from './composition/open.ts';
import { requireKeyFor } from './composition/secret-values.ts';
import type { Config } from './config/config.ts';
import { createApp, isTrustedProxy } from './http/app.ts';
import { type BodyBudget, createBodyBudget } from './http/body-budget.ts';
import { createCloser, limitConnections } from './http/connections.ts';
import { createFontCharacters } from './invoices/font-characters.ts';
import { createStripeProvider } from './invoices/payments/providers/stripe.ts';
import { checkBackupFolder, createBackupSchedule } from './operator/backups/backup-schedule.ts';
import { findLastBackup } from './operator/backups/backup-store.ts';
import { measureDisks } from './operator/disks.ts';
import type { Metrics } from './operator/metrics.ts';
import { BOARD_PATH } from './operator/operator-routes.ts';
import { SettingError } from './shared/setting-error.ts';
import { waitAtMost } from './shared/wait-at-most.ts';
import { query } from './storage/dialect.ts';
import { readPools } from './storage/pools.ts';
import { hasSearchIndex, NO_SEARCH_INDEX } from './storage/search.ts';
import { holdFile, type Wait } from './storage/service-lock.ts';
import { createGuard } from './webhooks/delivery/guard.ts';
import { createSender } from './webhooks/delivery/sender.ts';
import { webhookDocuments } from './webhooks/subscriptions/documents.ts';

/** How long a shutdown waits for requests and deliveries in progress: an attempt takes at most 10 s. */
const STOP_WITHIN_MS = 12_000;
/** How long a start waits for another service on the same SQLite file: longer than that one takes to stop. */
const WAIT_FOR_SERVICE_MS = 30_000;
/**
 * How long /readyz reports the shutdown before the server stops accepting connections; gives load balancers time to
 * drain.
 */
const STOP_DELAY_MS = 300;

/** How a server that listens on every address is reached from its own machine. */
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
]);

export type Farmboard = Awaited<ReturnType<typeof createFarmboard>>;

/** Builds all services without an HTTP server. The command line needs fewer: `openAdministration`. */
export async function createFarmboard(
  config: Config,
  logger: Logger,
  overrides: Overrides = {},
  wait: Partial<Wait> = {},
) {
  // validates its settings first, so that an invalid one does not leave a new database behind
  const guard = createGuard({
    allowedHosts: config.webhookAllowedHosts,
    signUp: config.signUp,
    ownServices: ownServices(config),
  });
  if (config.backups) checkBackupFolder(config.backups.folder);
  const findCharacters = createFontCharacters(config.invoiceFontFiles);
  if (config.invoiceFontFiles.length > 0) await findCharacters();
  const release = await holdDatabase(config, wait);
  const opened = await openParts(config, logger, overrides).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const { storage, canWrite } = opened;
  const close = () => opened.close().finally(release);
  try {
    if (!(await hasSearchIndex(storage.read))) logger.warn(NO_SEARCH_INDEX);
    const unreadable = await checkKey(opened);
    const metrics = await openMetrics(config);
    metrics?.setUnreadableSecrets(unreadable);
    const sender = createSender({ guard });
    const stripe = createStripeProvider();
    const parts = {
      ...opened,
      guard,
      sender: overrides.sender?.(sender) ?? sender,
      stripe: overrides.stripe?.(stripe) ?? stripe,
      metrics,
      findCharacters,
    };
    const run = (backup: () => Promise<number>) => backup();
    const measure = metrics?.measureTask('backup', run) ?? run;
    const backups = config.backups && createBackupSchedule({ storage, logger, settings: config.backups, measure });
    const features = createFeatures(parts);
    // without Redis this is the only process, so what an earlier one left is not running
    await features.simulations.retireOld(config.redisUrl === undefined);
    return { ...features, storage, canWrite, close, metrics, backups };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until no other service uses the database in a way that excludes this one. @returns lets others use it */
async function holdDatabase({ database, redisUrl }: Config, wait: Partial<Wait>): Promise<() => Promise<void>> {
  // on PostgreSQL, several processes need Redis
  if (database.engine === 'postgres' || database.file === ':memory:') return async () => undefined;
  const use = redisUrl === undefined ? 'alone' : 'shared';
  return holdFile(database.file, use, { atMost: WAIT_FOR_SERVICE_MS, report: () => undefined, ...wait });
}

/** @returns how many stored secrets the key doesn't open @throws SettingError if it opens none */
async function checkKey({ config, storage, hasKey, secretBox, logger }: OpenedParts): Promise<number> {
  const unreadable = await requireKeyFor(config, storage, hasKey ? secretBox : undefined);
  if (unreadable > 0)
    logger.warn(
      { unreadable },
      'Some stored secrets are encrypted with another key than SECRET_KEY or the key file, so they can\'t be used. If that key is lost, run "farmboard secret-key reset".',
    );
  return unreadable;
}

async function openMetrics({ operatorSecret, role }: Config): Promise<Metrics | undefined> {
  if (operatorSecret === undefined) return undefined;
  return (await import('./operator/metrics.ts')).createMetrics({ version, role });
}

/** The service's own database and Redis, to which webhooks must not be sent. */
function ownServices(config: Config): { host: string; port: number }[] {
  const at = (url: string, usualPort: number) => {
    const { hostname, port } = new URL(url);
    return { host: hostname, port: Number(port || usualPort) };
  };
  return [
    ...(config.database.engine === 'postgres' ? [at(config.database.url, 5432)] : []),
    ...(config.redisUrl ? [at(config.redisUrl, 6379)] : []),
  ];
}

export interface RunningServer {
  /** listen address, `http://host:port` */
  url: string;
  /** URL for people, no trailing slash */
  publicUrl: string;
  port: number;
  farmboard: Farmboard;
  /** Serves requests until clients have moved on, finishes deliveries in progress, and closes the database. */
  stop(): Promise<void>;
}

function listen(server: Server, config: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      const setting = error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' ? 'HOST' : 'PORT';
      const detail = error.code === 'EADDRINUSE' ? `port ${config.port} is in use by another program` : error.message;
      reject(new SettingError(setting, detail));
    });
    server.listen(config.port, config.host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : config.port);
    });
  });
}

async function openOperatorRouter(
  { operatorSecret: secret, backups, redisUrl }: Config,
  { metrics, jobs, webhooks, storage }: Farmboard,
  bodies: BodyBudget,
) {
  if (secret === undefined || metrics === undefined) return undefined;
  return {
    secret,
    metrics,
    async page() {
      // first, because counting the outbox needs a connection too
      const pools = readPools(storage);
      return metrics.page({
        pools,
        depth: await webhooks.outboxDepth(),
        listening: jobs.live.listeners(),
        bodyBytes: bodies.held(),
        disks: await measureDisks({
          data: storage.file && dirname(storage.file),
          backups: backups?.folder,
        }),
        hasRedis: redisUrl === undefined ? undefined : jobs.missing().length === 0,
        backups: backups && { everyMs: backups.everyMs, last: await findLastBackup(storage.read) },
      });
    },
    board: await jobs.board?.(BOARD_PATH),
  };
}

/** @returns the parts that are missing @throws Error that says why requests can't be served */
async function checkReady({ storage, canWrite, jobs }: Farmboard): Promise<string[]> {
  await query(storage.read, 'SELECT 1').catch(() => {
    throw new Error("The database isn't responding.");
  });
  if (!(await canWrite())) throw new Error('Nothing can be written to the database. Is its disk full?');
  return jobs.missing();
}

function createHttpServer(): Server {
  const server = createServer();
  // longer than the idle timeout of common proxies and clients, so that they close idle connections first
  server.keepAliveTimeout = 65_000;
  // a file of 20 MB at 1 Mbit/s
  server.requestTimeout = 180_000;
  return server;
}

/** Starts the service: storage, HTTP server, deliveries. @throws SettingError naming the invalid setting */
export async function startServer(
  config: Config,
  logger: Logger = createLogger(config.logLevel),
  overrides: Overrides = {},
  wait: Partial<Wait> = {},
): Promise<RunningServer> {
  const farmboard = await createFarmboard(config, logger, overrides, wait);
  const { jobs, limits, backups } = farmboard;
  const bodies = createBodyBudget();
  const operator = await openOperatorRouter(config, farmboard, bodies);
  let stopping = false;
  const stop = new AbortController();
  // every open page adds a listener
  setMaxListeners(0, stop.signal);

  const server = createHttpServer();
  let port: number;
  try {
    port = await listen(server, config);
  } catch (error) {
    await farmboard.close();
    throw error;
  }
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}`;
  const publicUrl = config.publicUrl ?? url;
  farmboard.address.publicUrl = publicUrl;
  farmboard.address.local = `http://${ANY_ADDRESS.get(config.host) ?? host}:${port}`;
  farmboard.guard.refuse({ host: config.host, port });
  const app = createApp({
    serves: config.role === 'worker' ? 'health' : 'everything',
    routes: farmboard.routes,
    webhooks: webhookDocuments(),
    authenticate: ({ authorization }) => farmboard.accounts.authenticate(authorization),
    console: { ...farmboard.consoleApi, rateLimit: limits.console, failedAuthLimit: limits.failedAuth },
    apis: farmboard.apis,
    pages: farmboard.pages,
    trustedProxies: config.trustedProxies,
    bodies,
    stopping: stop.signal,
    rateLimit: limits.api,
    failedAuthLimit: limits.failedAuth,
    corsAllowedOrigins: config.corsAllowedOrigins,
    publicUrl,
    version,
    accessLogSample: config.accessLogSample,
    logger,
    async checkReady() {
      if (stopping) throw new Error('The service is shutting down.');
      return checkReady(farmboard);
    },
    operator,
  });
  limitConnections(server, (address) => isTrustedProxy(app, address));
  const closer = createCloser(server);
  server.on('request', app);
  if (config.role !== 'api') {
    jobs.start(farmboard.handlers);
    backups?.start();
  }

  return {
    url,
    publicUrl,
    port,
    farmboard,
    async stop() {
      stopping = true;
      // only /readyz changes at first, so requests that still arrive are served
      await Promise.all([new Promise((resolve) => setTimeout(resolve, STOP_DELAY_MS)), farmboard.simulations.stop()]);
      // streams do not end by themselves
      stop.abort();
      // deliveries last: a request in progress may wait for one
      await Promise.all([closer.close(STOP_WITHIN_MS), backups && waitAtMost(STOP_WITHIN_MS, backups.stop())]);
      await farmboard.close();
    },
  };
}
