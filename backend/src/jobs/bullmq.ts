import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Logger } from '../../../common/src/logger.ts';
import type { Change } from '../shared/change.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import type { JobHandlers, Jobs, Live } from './jobs.ts';
import { createLive } from './live.ts';
import { createLocalQueue } from './local-queue.ts';
import { createMaintenance } from './maintenance.ts';
import { createRateLimits } from './rate-limits.ts';
import { createSignal, type Signal } from './signal.ts';

const QUEUE = 'channels';
const DRAIN = 'drain';

/**
 * Jobs of a killed worker are given up after the lock expires and one check, so its subscriptions continue well within
 * 15 s.
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/** Drains mostly wait for receivers, so many of them cost memory but little CPU. */
const DRAIN_CONCURRENCY = 500;
/** A subscription that always has more to send yields to other subscriptions after this. */
const SLICE_MS = 5_000;
/**
 * Redis counts as unavailable if it does not respond for this long. Wake-ups are then lost, and the sweep finds their
 * subscriptions.
 */
const RESPONSE_TIMEOUT_MS = 2_000;
/** How long a shutdown waits for Redis. */
const CLOSE_WITHIN_MS = 1_000;
/** A subscription that still waits this long after a wake-up is drained in this process. */
const STUCK_AFTER_MS = 5_000;

interface DrainJob {
  /** its id */
  subscription: string;
}

/** A Redis connection that reconnects forever and logs each connection loss once. */
function connect(url: string, logger: Logger, purpose: string, options: Record<string, unknown> = {}): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, 1_000),
    ...options,
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (!lost) logger.warn({ err: error, purpose }, 'lost the connection to Redis; reconnecting');
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) logger.info({ purpose }, 'reconnected to Redis');
    lost = false;
  });
  return redis;
}

export interface BullMqOptions {
  url: string;
  logger: Logger;
  /** prefix of every key, because deployments that share a Redis must not receive each other's wake-ups */
  prefix: string;
}

/** What the jobs of this process share. */
interface State {
  readonly logger: Logger;
  /** opens a connection that is closed at the end */
  readonly open: (purpose: string, options?: Record<string, unknown>) => Redis;
  readonly producer: Redis;
  readonly queue: Queue<DrainJob>;
  readonly wakeUpTopic: string;
  readonly changeTopic: string;
  /** drains of subscriptions that Redis does not wake */
  readonly localQueue: ReturnType<typeof createLocalQueue>;
  /** the running drains of each subscription */
  readonly active: Map<string, Set<Signal>>;
  /** the jobs of this process that are being run */
  readonly running: Set<Promise<void>>;
  /** since when every sweep has found the subscription waiting */
  readonly waitingSince: Map<string, number>;
  /** the last wake-up could not be sent */
  failing: boolean;
  stopped: boolean;
}

/**
 * Jobs over Redis, for any number of processes. A job contains only the id of a subscription to drain. Claims in the
 * database decide what is sent, so a job that is lost, duplicated or run by two workers does no harm, and without Redis
 * the workers rely on their sweeps.
 *
 * Each subscription has at most one active and one waiting job: a wake-up during a drain causes exactly one more run,
 * and also notifies the running drain by publish/subscribe.
 */
export function createBullMqJobs({ url, logger, prefix }: BullMqOptions): Jobs {
  const connections: Redis[] = [];
  const open: State['open'] = (purpose, options) => {
    const redis = connect(url, logger, purpose, options);
    connections.push(redis);
    return redis;
  };
  const state = createState(open, logger, prefix);
  const { queue, localQueue } = state;
  const maintenance = createMaintenance({ logger, wake: (subscriptionIds) => wakeStalled(state, subscriptionIds) });
  let worker: Worker<DrainJob> | undefined;

  return {
    wake: (subscriptionIds) => wake(state, subscriptionIds),
    live: createRedisLive(state),
    createRateLimit: createRateLimits({
      client: open('rate limits'),
      prefix: `${prefix}:`,
    }),
    // loaded on demand
    board: async (path) => (await import('./queue-dashboard.ts')).createBoard(queue, path),
    missing: () => (isHealthy(state) ? [] : ["Redis isn't responding; events wait for the sweep"]),
    start(handlers) {
      worker = startWorker(state, handlers, prefix);
      localQueue.start(handlers.drain);
      maintenance.start(handlers);
    },
    async stop() {
      state.stopped = true;
      // BullMQ waits for Redis, even if it is away
      const closed = Promise.all([worker?.close(), queue.close()]);
      await Promise.all([maintenance.stop(), localQueue.stop(), ...state.running]);
      await waitAtMost(CLOSE_WITHIN_MS, closed);
      for (const redis of connections) redis.disconnect();
    },
  };
}

function createState(open: State['open'], logger: Logger, prefix: string): State {
  // fail fast: the sweep finds lost wake-ups, and pending ones would pile up
  const producer = open('wake-ups', { commandTimeout: RESPONSE_TIMEOUT_MS });
  const state: State = {
    logger,
    open,
    producer,
    queue: new Queue<DrainJob>(QUEUE, { connection: producer, prefix }),
    wakeUpTopic: `${prefix}:woken`,
    changeTopic: `${prefix}:changed`,
    localQueue: createLocalQueue({ logger }),
    active: new Map(),
    running: new Set(),
    waitingSince: new Map(),
    failing: false,
    stopped: false,
  };
  state.queue.on('error', () => undefined);
  producer.on('ready', () => {
    state.failing = false;
  });
  return state;
}

const isHealthy = ({ producer, failing }: State): boolean => producer.status === 'ready' && !failing;

/** Notifies the drains of a subscription that run in this process. */
function notify({ active, localQueue }: State, subscriptionId: string): void {
  for (const signal of active.get(subscriptionId) ?? []) signal.notify();
  localQueue.notify(subscriptionId);
}

function wake(state: State, subscriptionIds: string[]): void {
  if (state.stopped || subscriptionIds.length === 0) return;
  for (const id of subscriptionIds) notify(state, id);
  const { queue, producer, wakeUpTopic, logger } = state;
  Promise.all([
    queue.addBulk(subscriptionIds.map(toJob)),
    producer.publish(wakeUpTopic, subscriptionIds.join(' ')),
  ]).then(
    () => {
      if (state.failing) logger.info('wake-ups go through Redis again');
      state.failing = false;
    },
    (error: unknown) => {
      if (!state.failing && !state.stopped)
        logger.warn({ err: error }, 'cannot send wake-ups through Redis; relying on the sweep');
      state.failing = true;
    },
  );
}

const toJob = (subscription: string) => ({
  name: DRAIN,
  data: { subscription },
  opts: {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    deduplication: { id: subscription, keepLastIfActive: true },
  },
});

/** Wakes subscriptions found by the sweep: over Redis, and in this process if that did not help. */
function wakeStalled(state: State, subscriptionIds: string[]): void {
  const { waitingSince, localQueue } = state;
  const now = Date.now();
  const found = new Set(subscriptionIds);
  for (const id of waitingSince.keys()) if (!found.has(id)) waitingSince.delete(id);
  const here = subscriptionIds.filter((id) => {
    const since = waitingSince.get(id) ?? now;
    const isStuck = now - since > STUCK_AFTER_MS;
    waitingSince.set(id, isStuck ? now : since);
    return isStuck || !isHealthy(state);
  });
  localQueue.wake(here);
  // even while Redis is unavailable: the first successful wake-up shows that it is back
  wake(state, subscriptionIds);
}

/** Listens for wake-ups and runs jobs. */
function startWorker(state: State, handlers: JobHandlers, prefix: string): Worker<DrainJob> {
  const connection = state.open('jobs');
  const listener = state.open('signals');
  listener.subscribe(state.wakeUpTopic).catch(() => undefined);
  listener.on('message', (_name: string, ids: string) => {
    for (const id of ids.split(' ')) notify(state, id);
  });
  function run(job: Job<DrainJob>): Promise<void> {
    const running = runJob(state, job, handlers);
    state.running.add(running);
    return running.finally(() => state.running.delete(running));
  }
  const worker = new Worker<DrainJob>(QUEUE, run, {
    connection,
    prefix,
    concurrency: DRAIN_CONCURRENCY,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: 0,
  });
  // BullMQ recovers by itself or the sweep finds the subscription; the connections log their losses
  worker.on('error', (error) => state.logger.debug({ err: error }, 'queue worker error'));
  return worker;
}

async function runJob(state: State, job: Job<DrainJob>, { drain }: JobHandlers): Promise<void> {
  // fetched after the stop; the sweep of another worker or of the next start finds the subscription
  if (state.stopped) return;
  const { active, logger } = state;
  const { subscription } = job.data;
  const endsAt = Date.now() + SLICE_MS;
  const signal = createSignal();
  const signalsOf = active.get(subscription) ?? new Set();
  active.set(subscription, signalsOf.add(signal));
  const isOver = () => Date.now() > endsAt;
  try {
    await drain(subscription, { stopping: () => state.stopped || isOver(), nextWake: signal.next });
  } catch (error) {
    // the sweep retries the subscription
    logger.error({ err: error, subscription_id: subscription }, 'failed to send the deliveries of a subscription');
  } finally {
    signalsOf.delete(signal);
    if (signalsOf.size === 0) active.delete(subscription);
  }
  if (isOver()) wake(state, [subscription]);
}

/** Live updates that reach the listeners of every process. */
function createRedisLive(state: State): Live {
  const { producer, changeTopic } = state;
  const live = createLive();
  let subscribed: Promise<unknown> | undefined;
  return {
    publishChange(account, change) {
      // local listeners are notified through Redis too, or directly while it is unavailable
      const here = () => live.publishChange(account, change);
      if (state.stopped) return;
      if (!isHealthy(state)) here();
      else producer.publish(changeTopic, JSON.stringify({ account, ...change })).catch(here);
    },
    async listen(account, onChange) {
      if (!state.stopped) subscribed ??= subscribeToChanges(state, live);
      await subscribed;
      return live.listen(account, onChange);
    },
    listeners: live.listeners,
  };
}

/** Passes on the changes of every process. Resolves when subscribed, or after RESPONSE_TIMEOUT_MS. */
function subscribeToChanges({ open, changeTopic }: State, live: Live): Promise<unknown> {
  const subscriber = open('live updates');
  subscriber.on('message', (_name: string, text: string) => {
    const { account, ...change } = JSON.parse(text) as Change & { account: string };
    live.publishChange(account, change);
  });
  // without Redis, a page gets the changes of this process, and the others once Redis responds again
  return waitAtMost(RESPONSE_TIMEOUT_MS, subscriber.subscribe(changeTopic));
}
