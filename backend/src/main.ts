import { setMaxListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createPasswords } from './accounts/passwords.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createAccountService } from './accounts/service.ts';
import { ownerRoutes, sessionRoutes } from './accounts/session-routes.ts';
import { deleteSessionsBefore } from './accounts/session-store.ts';
import { createSessionService } from './accounts/sessions.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Config, SettingError } from './config.ts';
import { createSecretBox, type SecretBox } from './crypto.ts';
import { createOutbox, type Outbox } from './events/outbox.ts';
import { eventRoutes } from './events/routes.ts';
import { deleteEventsBefore, insertEvent, listEvents } from './events/store.ts';
import { listUseByMaterial } from './filaments/figures-store.ts';
import { filamentOwnerRoutes } from './filaments/owner-routes.ts';
import { createFilamentOwnerService } from './filaments/owner-service.ts';
import { filamentRoutes } from './filaments/routes.ts';
import { createFilamentService } from './filaments/service.ts';
import { createApp } from './http/app.ts';
import { createCloser } from './http/connections.ts';
import { figureRoutes } from './http/figures.ts';
import { liveRoutes } from './http/live.ts';
import { BOARD_PATH } from './http/operator.ts';
import { summaryRoutes } from './http/summary.ts';
import { createOnce, KEY_LIFETIME_MS } from './idempotency/once.ts';
import { deleteKeysBefore } from './idempotency/store.ts';
import { gatherBusy } from './jobs/gather.ts';
import { createInProcessJobs } from './jobs/in-process.ts';
import type { Announce, Jobs } from './jobs/jobs.ts';
import { createLogger, type Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { createOrderFigures } from './orders/figures.ts';
import { orderRoutes } from './orders/routes.ts';
import { createOrderService } from './orders/service.ts';
import { printerOwnerRoutes } from './printers/owner-routes.ts';
import { createPrinterOwnerService } from './printers/owner-service.ts';
import { printerRoutes } from './printers/routes.ts';
import { createPrinterService, type PrinterService } from './printers/service.ts';
import { sampleRoutes } from './sample/owner-routes.ts';
import { createSampleService } from './sample/service.ts';
import { checkSecretKey, readSecretKey } from './secret-key.ts';
import { query } from './storage/dialect.ts';
import { migrate, readDeployment } from './storage/migrate.ts';
import { openStorage, type Storage, type Tx } from './storage/open.ts';
import { version } from './version.ts';
import { webhookDocuments } from './webhooks/documents.ts';
import { createDrain } from './webhooks/drain.ts';
import { listFailingChannels } from './webhooks/figures-store.ts';
import { createGuard, type Guard } from './webhooks/guard.ts';
import { createEventLog } from './webhooks/log.ts';
import { webhookOwnerRoutes } from './webhooks/owner-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { createSender, type Sender } from './webhooks/sender.ts';
import { createWebhookService } from './webhooks/service.ts';
import { HISTORY_LENGTH } from './webhooks/subscription.ts';
import { createSweep, createWorkerName } from './webhooks/sweep.ts';

const EVENT_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** How long a stop waits for requests and deliveries under way: an attempt takes at most 10 s. */
const STOP_WITHIN_MS = 12_000;
/** How long a stopping service says so before its door closes: whoever stands before it looks for another meanwhile. */
const NOTICE_MS = 300;

export type Farmboard = Awaited<ReturnType<typeof createFarmboard>>;

/**
 * Puts something between a part and those who use it: each is given the part and returns what is used in its place.
 * Tests of crashes end or stop the process there, at an exact step; the service itself hands in none.
 */
export interface Between {
  storage?(storage: Storage): Storage;
  jobs?(jobs: Jobs): Jobs;
  sender?(sender: Sender): Sender;
}

/** Everything the service can do, wired together and without a door: what the server and the command line share. */
export async function createFarmboard(config: Config, logger: Logger, between: Between = {}) {
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
    if (migrated.length > 0) logger.info({ migrations: migrated }, 'the database is up to date');
    const { key, isNew } = readSecretKey(config, storage.file);
    if (isNew && (await query(storage.read, 'SELECT id FROM subscriptions LIMIT 1')).length > 0) {
      logger.warn(
        'The secret key was not found and a new one was made: the webhook channels in this database were sealed with another and cannot be opened. Put the old key back, or make the channels anew.',
      );
    }
    const metrics = await openMetrics(config);
    const jobs = await openJobs(config, storage, logger);
    const sender = createSender({ guard });
    const parts = {
      logger,
      storage,
      guard,
      secretBox: createSecretBox(key),
      jobs: between.jobs?.(jobs) ?? jobs,
      sender: between.sender?.(sender) ?? sender,
      metrics,
      config,
    };
    return { ...wire(parts), storage, metrics };
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
  return (await import('./metrics.ts')).createMetrics({ version, role });
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

interface Parts {
  logger: Logger;
  storage: Storage;
  guard: Guard;
  secretBox: SecretBox;
  jobs: Jobs;
  sender: Sender;
  metrics: Metrics | undefined;
  config: Config;
}

/** A storage whose transactions are all this one, so that many changes become one. */
const joined = (storage: Storage, tx: Tx): Storage => ({ ...storage, inTransaction: (work) => work(tx) });

/** The book: orders, stock and printers, which know of each other. */
function wireBook({
  storage,
  clock,
  outbox,
  announce,
  printers,
}: {
  storage: Storage;
  clock: Clock;
  outbox: Outbox;
  announce: Announce;
  printers: PrinterService;
}) {
  const once = createOnce({ storage, clock });
  const shared = { announce, storage, clock, once };
  const orders = createOrderService({ ...shared, append: outbox.append, printerExists: printers.exists });
  const printerOwner = createPrinterOwnerService({ ...shared, printerChanged: orders.printerChanged });
  const stock = {
    ...shared,
    append: outbox.append,
    recordConsumption: orders.recordConsumption,
    orderExists: orders.orderExists,
  };
  const filaments = createFilamentService({ ...stock, printerExists: printers.exists });
  const filamentOwner = createFilamentOwnerService(stock);
  return { orders, filaments, printerOwner, filamentOwner };
}

function wire({ logger, storage, guard, secretBox, jobs, sender, metrics, config }: Parts) {
  const { signUp, publicUrl } = config;
  const clock = systemClock;
  const worker = createWorkerName();
  const once = createOnce({ storage, clock });
  const announce = gatherBusy(jobs.live.announce);
  const outbox = createOutbox({ wake: jobs.wake, announce });

  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords });
  const sessions = createSessionService({ storage, clock, logger, passwords, accounts, signUp });
  const printers = createPrinterService({ storage });
  const { orders, filaments, printerOwner, filamentOwner } = wireBook({ storage, clock, outbox, announce, printers });
  const sample = createSampleService({
    storage,
    clock,
    within: (tx, clock) => wireBook({ storage: joined(storage, tx), clock, outbox, announce, printers }),
  });
  const webhooks = createWebhookService({
    announce,
    storage,
    clock,
    once,
    guard,
    secretBox,
    worker,
    wake: jobs.wake,
    metrics: metrics?.deliveries,
    insertEvent,
  });

  const handlers = {
    drain: createDrain({ storage, clock, sender, secretBox, worker, logger, metrics: metrics?.deliveries, announce }),
    sweep: createSweep({ storage, clock, worker, logger, metrics: metrics?.deliveries, announce }),
    async purge() {
      const now = clock();
      await storage.inTransaction(async ({ db }) => {
        await deleteEventsBefore(db, now - EVENT_LIFETIME_MS, HISTORY_LENGTH);
        await deleteKeysBefore(db, now - KEY_LIFETIME_MS);
        await deleteSessionsBefore(db, now);
      });
    },
  };

  const routes = [
    ...orderRoutes(orders),
    ...filamentRoutes(filaments),
    ...printerRoutes(printers),
    ...webhookRoutes(webhooks),
    ...eventRoutes({ list: (accountId, event, page) => listEvents(storage.read, accountId, event, page) }),
    ...accountRoutes(),
    ...summaryRoutes({ orders: orders.counts, filaments: filaments.counts, printers: printers.counts }),
  ];

  const https = publicUrl?.startsWith('https:') ?? false;
  const consoleDoor = {
    openRoutes: sessionRoutes({ sessions, https }),
    routes: [
      // before the interface's own: /filaments/usage would be taken for the id of a filament
      ...filamentOwnerRoutes(filamentOwner),
      ...routes,
      ...printerOwnerRoutes(printerOwner),
      ...ownerRoutes({ sessions, accounts, https }),
      ...webhookOwnerRoutes(createEventLog({ storage, secretBox })),
      ...liveRoutes(jobs.live),
      ...sampleRoutes(sample),
      ...figureRoutes({
        clock,
        orders: createOrderFigures({ storage }),
        materials: (accountId, span, most) => listUseByMaterial(storage.read, accountId, span, most),
        failingChannels: (accountId) => listFailingChannels(storage.read, accountId),
      }),
    ],
    authenticateSession: sessions.authenticate,
  };

  return {
    accounts,
    sessions,
    consoleDoor,
    orders,
    printers,
    filaments,
    sample,
    webhooks,
    routes,
    jobs,
    handlers,
    guard,
  };
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
      const detail = error.code === 'EADDRINUSE' ? `${config.port} is in use by another program` : error.message;
      reject(new SettingError(setting, detail));
    });
    server.listen(config.port, config.host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : config.port);
    });
  });
}

async function openOperatorDoor(secret: string | undefined, { metrics, jobs, webhooks }: Farmboard) {
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
  between: Between = {},
): Promise<RunningServer> {
  const farmboard = await createFarmboard(config, logger, between);
  const { storage, jobs } = farmboard;
  const operator = await openOperatorDoor(config.operatorSecret, farmboard);
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
  const app = createApp({
    serves: config.role === 'worker' ? 'health' : 'everything',
    routes: farmboard.routes,
    webhooks: webhookDocuments(),
    authenticate: ({ authorization }) => farmboard.accounts.authenticate(authorization),
    console: farmboard.consoleDoor,
    trustedProxies: config.trustedProxies,
    stopping: stop.signal,
    rateLimitPerMinute: config.rateLimitPerMinute,
    publicUrl,
    version,
    logger,
    async checkReady() {
      if (stopping) throw new Error('The service is stopping.');
      await query(storage.read, 'SELECT 1').catch(() => {
        throw new Error('The database does not answer.');
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
