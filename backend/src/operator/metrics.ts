import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolUse } from '../storage/pools.ts';
import type { DeliveryMetrics, OutboxDepth } from '../webhooks/delivery/attempt.ts';
import type { ObservedRequest } from './operator-routes.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const MAINTENANCE_TASKS = ['sweep', 'purge', 'backup'] as const;
export type MaintenanceTask = (typeof MAINTENANCE_TASKS)[number];

/** What each scrape measures. */
export interface MeasuredNow {
  depth: OutboxDepth;
  pools: PoolUse[];
  /** open console pages that listen at this process */
  listening: number;
  /** bytes that bodies of requests hold in this process */
  bodyBytes: number;
  /** undefined without scheduled backups */
  backups: { everyMs: number; last: { ageMs: number; bytes: number } | undefined } | undefined;
  /** bytes, by the folder on the disk: data or backups */
  disks: { folder: string; free: number; size: number }[];
  /** whether Redis can be used; undefined without it */
  hasRedis: boolean | undefined;
}

/**
 * Prometheus metrics. They belong to the process; only the outbox gauges are read from the database on each scrape and are
 * the same in every process. Metric names are listed in `docs/reference/metrics.md`; a test compares them.
 */
export function createMetrics(about: { version: string; role: string }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { info, requests, connections, waiting, listeners, bodies, unreadable } = registerProcess(registry);
  const { pending, largest, lag } = registerOutbox(registry);
  const setBackups = registerBackups(registry);
  const { diskFree, diskSize, redisUp } = registerSurroundings(registry);
  const { attempts, firstBytes, durations, sentAgain, lateOutcomes } = registerDeliveries(registry);
  info.set(about, 1);
  return {
    request({ method, route, status, seconds }: ObservedRequest): void {
      requests.observe({ method, route, status }, seconds);
    },
    setUnreadableSecrets: (count: number): void => unreadable.set(count),
    measureTask: registerMaintenance(registry),
    deliveries: {
      countEnded: (outcome: string): void => attempts.inc({ outcome }),
      observeFirstByte: (ms: number): void => firstBytes.observe(ms / 1000),
      observeDuration: (ms: number): void => durations.observe(ms / 1000),
      countSentAgain: (count: number): void => sentAgain.inc(count),
      countLate: (count: number): void => lateOutcomes.inc(count),
    } satisfies DeliveryMetrics,
    /** Renders the metrics page. @returns its text and media type */
    async page({
      depth,
      pools,
      listening,
      bodyBytes,
      backups,
      disks,
      hasRedis,
    }: MeasuredNow): Promise<{ type: string; text: string }> {
      listeners.set(listening);
      bodies.set(bodyBytes);
      pending.set({ state: 'pending' }, depth.pending);
      pending.set({ state: 'sending' }, depth.sending);
      largest.reset();
      for (const { accountId, deliveries } of depth.largest) largest.set({ account: accountId }, deliveries);
      lag.set(Math.max(0, depth.oldestMs ?? 0) / 1000);
      for (const { pool, inUse, idle, waiting: queued } of pools) {
        connections.set({ pool, state: 'in_use' }, inUse);
        connections.set({ pool, state: 'idle' }, idle);
        waiting.set({ pool }, queued);
      }
      if (backups) setBackups(backups);
      for (const { folder, free, size } of disks) {
        diskFree.set({ folder }, free);
        diskSize.set({ folder }, size);
      }
      if (hasRedis !== undefined) redisUp.set(Number(hasRedis));
      return { type: registry.contentType, text: await registry.metrics() };
    },
    /** Our own metrics, for the reference page. */
    list: async (): Promise<{ name: string; help: string }[]> =>
      (await registry.getMetricsAsJSON())
        .filter(({ name }) => name.startsWith('farmboard_'))
        .map(({ name, help }) => ({ name, help })),
  };
}

/** Registers the durations of maintenance. @returns wraps a task so that each run is measured, as failed if it rejects */
function registerMaintenance(registry: Registry) {
  const durations = new Histogram({
    name: 'farmboard_maintenance_duration_seconds',
    help: 'duration of each sweep, purge and scheduled backup in this process, by task and outcome: succeeded or failed',
    labelNames: ['task', 'outcome'] as const,
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800],
    registers: [registry],
  });
  // a series that began with its first failure would have no increase to alert on
  for (const task of MAINTENANCE_TASKS)
    for (const outcome of ['succeeded', 'failed']) durations.zero({ task, outcome });

  return <A extends unknown[], R>(task: MaintenanceTask, run: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      const end = durations.startTimer({ task });
      const running = run(...args);
      running.then(
        () => end({ outcome: 'succeeded' }),
        () => end({ outcome: 'failed' }),
      );
      return running;
    };
}

/** Read from the database on each scrape. */
function registerOutbox(registry: Registry) {
  const registers = [registry];
  return {
    pending: new Gauge({
      name: 'farmboard_outbox_deliveries',
      help: 'unfinished deliveries in the database, by state: pending or sending',
      labelNames: ['state'] as const,
      registers,
    }),
    largest: new Gauge({
      name: 'farmboard_outbox_account_deliveries',
      help: 'unfinished deliveries in the database of the accounts with the most, at most 10, by account ID',
      labelNames: ['account'] as const,
      registers,
    }),
    lag: new Gauge({
      name: 'farmboard_outbox_lag_seconds',
      help: 'age of the oldest pending delivery in the database; 0 when none is pending',
      registers,
    }),
  };
}

/** Read from the database on each scrape. Without scheduled backups, none of them has a value. */
function registerBackups(registry: Registry) {
  const registers = [registry];
  const age = new Gauge({
    name: 'farmboard_backup_age_seconds',
    help: 'age of the last good scheduled backup; +Inf before the first one',
    registers,
  });
  const size = new Gauge({
    name: 'farmboard_backup_size_bytes',
    help: 'size of the last good scheduled backup',
    registers,
  });
  const interval = new Gauge({
    name: 'farmboard_backup_interval_seconds',
    help: 'how often a scheduled backup is made (BACKUP_EVERY)',
    registers,
  });
  for (const gauge of [age, size, interval]) gauge.remove();
  return ({ everyMs, last }: NonNullable<MeasuredNow['backups']>): void => {
    age.set(last ? last.ageMs / 1000 : Number.POSITIVE_INFINITY);
    size.set(last?.bytes ?? 0);
    interval.set(everyMs / 1000);
  };
}

/** What this process needs around it. Without Redis, its gauge has no value. */
function registerSurroundings(registry: Registry) {
  const registers = [registry];
  const labelNames = ['folder'] as const;
  const redisUp = new Gauge({
    name: 'farmboard_redis_up',
    help: '1 while this process can use Redis, 0 while it is away; no value without REDIS_URL',
    registers,
  });
  redisUp.remove();
  return {
    diskFree: new Gauge({
      name: 'farmboard_disk_free_bytes',
      help: 'space that this process can still use on the disk of a folder: data (of the SQLite file) or backups',
      labelNames,
      registers,
    }),
    diskSize: new Gauge({
      name: 'farmboard_disk_size_bytes',
      help: 'size of the disk of a folder: data (of the SQLite file) or backups',
      labelNames,
      registers,
    }),
    redisUp,
  };
}

/** What this process has sent. */
function registerDeliveries(registry: Registry) {
  const registers = [registry];
  return {
    attempts: new Counter({
      name: 'farmboard_delivery_attempts_total',
      help: 'finished deliveries, by outcome: succeeded, or the error of the attempt',
      labelNames: ['outcome'] as const,
      registers,
    }),
    firstBytes: new Histogram({
      name: 'farmboard_delivery_first_byte_seconds',
      help: 'time from the commit of a change, or from the request of a test or a resend, to the first byte of its delivery',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 3600],
      registers,
    }),
    durations: new Histogram({
      name: 'farmboard_delivery_attempt_duration_seconds',
      help: 'time from the first byte of a delivery to the end of the response',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    sentAgain: new Counter({
      name: 'farmboard_deliveries_sent_again_total',
      help: 'claims of a delivery that had already been attempted; anything but 0 is a bug in Farmboard',
      registers,
    }),
    lateOutcomes: new Counter({
      name: 'farmboard_late_outcomes_total',
      help: 'outcomes that arrived after the claim expired and the attempt was recorded as interrupted',
      registers,
    }),
  };
}

/** The process itself and what it serves. */
function registerProcess(registry: Registry) {
  const registers = [registry];
  return {
    info: new Gauge({
      name: 'farmboard_info',
      help: 'always 1; labels give the version and role of this process',
      labelNames: ['version', 'role'] as const,
      registers,
    }),
    requests: new Histogram({
      name: 'farmboard_http_request_duration_seconds',
      help: 'time from a request to the end of its response, by method, route and status; _count is the number of requests',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    connections: new Gauge({
      name: 'farmboard_database_connections',
      help: 'open database connections of this process, by pool (reader and writer on SQLite, all on PostgreSQL) and state: in_use or idle',
      labelNames: ['pool', 'state'] as const,
      registers,
    }),
    waiting: new Gauge({
      name: 'farmboard_database_waiting',
      help: 'statements and transactions of this process that wait for a database connection, by pool; on SQLite, writer is the queue of writes',
      labelNames: ['pool'] as const,
      registers,
    }),
    listeners: new Gauge({
      name: 'farmboard_live_listeners',
      help: 'open console pages listening for changes at this process',
      registers,
    }),
    bodies: new Gauge({
      name: 'farmboard_request_body_bytes',
      help: 'memory that bodies of requests hold in this process: arriving, parsed and not yet responded to',
      registers,
    }),
    unreadable: new Gauge({
      name: 'farmboard_unreadable_secrets',
      help: "stored secrets that the SECRET_KEY of this process didn't open when it started",
      registers,
    }),
  };
}
