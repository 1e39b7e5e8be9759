import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createFeatures } from './composition/features.ts';
import { type Config, SettingError } from './config/config.ts';
import { checkSecretKey, readSecretKey } from './config/secret-key.ts';
import { createApp } from './http/app.ts';
import { createCloser } from './http/connections.ts';
import type { PaymentProvider } from './invoices/payments/providers/provider.ts';
import { createStripeProvider } from './invoices/payments/providers/stripe.ts';
import { createInProcessJobs } from './jobs/in-process.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Metrics } from './operator/metrics.ts';
import { BOARD_PATH } from './operator/operator-routes.ts';
import { systemClock } from './shared/clock.ts';
import { createSecretBox, createSigner } from './shared/crypto.ts';
import { createLogger, type Logger } from './shared/logger.ts';
import { version } from './shared/version.ts';
import { query } from './storage/dialect.ts';
import { migrate, readDeployment } from './storage/migrate.ts';
import { openStorage, type Storage } from './storage/open.ts';
import { createGuard } from './webhooks/delivery/guard.ts';
import { createSender, type Sender } from './webhooks/delivery/sender.ts';
import { webhookDocuments } from './webhooks/subscriptions/documents.ts';

/** How long a stop waits for requests and deliveries under way: an attempt takes at most 10 s. */
const STOP_WITHIN_MS = 12_000;
/** How long a stopping service says so before its door closes: whoever stands before it looks for another meanwhile. */
const NOTICE_MS = 300;

export type Farmboard = Awaited<ReturnType<typeof createFarmboard>>;

/**
 * Puts something between a part and those who use it: each is given the part and returns what is used in its place.
 * Tests of crashes end or stop the process there, at an exact step; the service itself hands in none.
 */
export interface Overrides {
  storage?(storage: Storage): Storage;
  jobs?(jobs: Jobs): Jobs;
  sender?(sender: Sender): Sender;
  stripe?(stripe: PaymentProvider): PaymentProvider;
}

/** Everything the service can do, wired together and without a door: what the server and the command line share. */
export async function createFarmboard(config: Config, logger: Logger, between: Overrides = {}) {
  // settings first: a start that one of them stops should not leave a database behind
  const guard = createGuard({
    allowedHosts: config.webhookAllowedHosts,
    signUp: config.signUp,
    ownServices: ownServices(config),
  });
  checkSecretKey(config);
  const opened = await openStorage(config.database, logger);
  const storage = between.storage?.(opened) ?? opened;
  try {
    const migrated = await migrate(storage);
    if (migrated.length > 0) logger.info({ migrations: migrated }, 'upgraded the database schema');
    const { key, isNew } = readSecretKey(config, storage.file);
    if (isNew && (await query(storage.read, 'SELECT id FROM subscriptions LIMIT 1')).length > 0) {
      logger.warn(
        "The secret key was not found, so a new one was created. The webhook channels in this database are encrypted with the old key and can't be used. Restore the old key, or create the channels again.",
      );
    }
    const metrics = await openMetrics(config);
    const jobs = await openJobs(config, storage, logger);
    const sender = createSender({ guard });
    const stripe = createStripeProvider();
    const parts = {
      logger,
      storage,
      guard,
      secretBox: createSecretBox(key),
      signForms: createSigner(key, 'public forms'),
      jobs: between.jobs?.(jobs) ?? jobs,
      sender: between.sender?.(sender) ?? sender,
      stripe: between.stripe?.(stripe) ?? stripe,
      metrics,
      config,
    };
    return { ...createFeatures(parts), storage, metrics };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

// What a start on the embedded default does not need is not loaded either: BullMQ alone takes longer than all the rest.

async function openJobs({ redisUrl }: Config, storage: Storage, logger: Logger): Promise<Jobs> {
  if (redisUrl === undefined) return createInProcessJobs({ logger });
  const { createBullMqJobs } = await import('./jobs/bullmq.ts');
  return createBullMqJobs({ url: redisUrl, logger, prefix: `farmboard:${await readDeployment(storage)}` });
}

async function openMetrics({ operatorSecret, role }: Config): Promise<Metrics | undefined> {
  if (operatorSecret === undefined) return undefined;
  return (await import('./operator/metrics.ts')).createMetrics({ version, role });
}

/** The service's own database and Redis: no webhook may be sent there. */
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
  /** where it listens, `http://host:port` */
  url: string;
  /** where people reach it, no trailing slash */
  publicUrl: string;
  port: number;
  farmboard: Farmboard;
  /** Answers what is asked until clients know better, finishes the deliveries under way, closes the database. */
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

async function openOperatorRouter(secret: string | undefined, { metrics, jobs, webhooks }: Farmboard) {
  if (secret === undefined || metrics === undefined) return undefined;
  return {
    secret,
    metrics,
    page: async () => metrics.page(await webhooks.outboxDepth(), jobs.live.listeners(), systemClock()),
    board: await jobs.board?.(BOARD_PATH),
  };
}

/** Starts the service: storage, doors, deliveries. @throws SettingError naming the setting that stands in the way */
export async function startServer(
  config: Config,
  logger: Logger = createLogger(config.logLevel),
  between: Overrides = {},
): Promise<RunningServer> {
  const farmboard = await createFarmboard(config, logger, between);
  const { storage, jobs } = farmboard;
  const operator = await openOperatorRouter(config.operatorSecret, farmboard);
  let stopping = false;
  const stop = new AbortController();
  // every open page listens to it
  setMaxListeners(0, stop.signal);

  const server = createServer();
  // longer than the idle time of usual proxies and clients, so that it is they who close an idle connection
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 30_000;
  let port: number;
  try {
    port = await listen(server, config);
  } catch (error) {
    await jobs.stop();
    await storage.close();
    throw error;
  }
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}`;
  const publicUrl = config.publicUrl ?? url;
  farmboard.address.publicUrl = publicUrl;
  const app = createApp({
    serves: config.role === 'worker' ? 'health' : 'everything',
    routes: farmboard.routes,
    webhooks: webhookDocuments(),
    authenticate: ({ authorization }) => farmboard.accounts.authenticate(authorization),
    console: farmboard.consoleDoor,
    publicRouters: farmboard.publicRouters,
    trustedProxies: config.trustedProxies,
    stopping: stop.signal,
    rateLimitPerMinute: config.rateLimitPerMinute,
    corsAllowedOrigins: config.corsAllowedOrigins,
    publicUrl,
    version,
    logger,
    async checkReady() {
      if (stopping) throw new Error('The service is shutting down.');
      await query(storage.read, 'SELECT 1').catch(() => {
        throw new Error("The database isn't responding.");
      });
      return jobs.missing();
    },
    operator,
  });
  const closer = createCloser(server);
  server.on('request', app);
  if (config.role !== 'api') jobs.start(farmboard.handlers);

  return {
    url,
    publicUrl,
    port,
    farmboard,
    async stop() {
      stopping = true;
      // as ever, but for what is said at /readyz: on an open door nothing is broken by those who still come
      await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
      // streams would never end by themselves
      stop.abort();
      // deliveries last: a request being answered may wait for one
      await closer.close(STOP_WITHIN_MS);
      await jobs.stop();
      await storage.close();
    },
  };
}
