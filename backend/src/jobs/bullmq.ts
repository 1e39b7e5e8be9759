import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Logger } from '../shared/logger.ts';
import type { Change, JobHandlers, Jobs } from './jobs.ts';
import { createLive } from './live.ts';
import { createLocalQueue } from './local-queue.ts';
import { createMaintenance } from './maintenance.ts';
import { createSignal, type Signal } from './signal.ts';

const QUEUE = 'channels';
const DRAIN = 'drain';

/** A killed worker's jobs are given up after the lock and one look: its channels move again well within 15 s. */
const LOCK_MS = 6_000;
const STALLED_LOOK_MS = 3_000;
/** Drains mostly wait for receivers: so many of them cost memory, not time. */
const DRAINS_AT_ONCE = 500;
/** A channel that always has more makes place for the others after this, and goes to the end of the line. */
const SLICE_MS = 5_000;
/** Redis that does not answer for this long counts as gone: wake-ups are lost, the sweep finds what they meant. */
const ANSWER_WITHIN_MS = 2_000;
/** A channel that waits this long although it was woken is drained here, whatever Redis says. */
const STUCK_AFTER_MS = 5_000;

interface DrainJob {
  channel: string;
}

/** A Redis connection that never gives up and whose errors are one line in the log each time it is lost. */
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
  /** namespace of every key: deployments that share a Redis must not take one another's wake-ups */
  prefix: string;
}

/**
 * Jobs over Redis, for any number of processes. A job says "drain this channel" and holds its id, nothing else. It is an
 * alarm clock only: what is sent is decided by claims in the database, so a job that is lost, doubled or run by two workers
 * does no harm, and without Redis the workers go on by what their sweeps find.
 *
 * One job of a channel is active and at most one waits: a wake-up while a drain runs makes exactly one more run follow, and
 * is told to the running one over publish/subscribe.
 */
export function createBullMqJobs({ url, logger, prefix }: BullMqOptions): Jobs {
  // a wake-up that Redis does not take is given up soon: the sweep finds what it meant, and hanging ones would pile up
  const producer = connect(url, logger, 'wake-ups', { commandTimeout: ANSWER_WITHIN_MS });
  const queue = new Queue<DrainJob>(QUEUE, { connection: producer, prefix });
  const wakeUpTopic = `${prefix}:woken`;
  const changeTopic = `${prefix}:changed`;
  const live = createLive();
  let subscribed: Promise<unknown> | undefined;
  const localQueue = createLocalQueue({ logger });
  const maintenance = createMaintenance({ logger, wake: wakeStalled });
  /** since when a channel was found waiting by every sweep */
  const waitingSince = new Map<string, number>();
  const active = new Map<string, Set<Signal>>();
  let worker: Worker<DrainJob> | undefined;
  const connections = [producer];
  let failing = false;
  let stopped = false;

  queue.on('error', () => undefined);
  producer.on('ready', () => {
    failing = false;
  });

  const isHealthy = () => producer.status === 'ready' && !failing;

  function notify(channelId: string): void {
    for (const signal of active.get(channelId) ?? []) signal.notify();
    localQueue.ring(channelId);
  }

  function wake(channelIds: string[]): void {
    if (stopped || channelIds.length === 0) return;
    for (const id of channelIds) notify(id);
    const jobs = channelIds.map((channel) => ({
      name: DRAIN,
      data: { channel },
      opts: {
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: true,
        deduplication: { id: channel, keepLastIfActive: true },
      },
    }));
    Promise.all([queue.addBulk(jobs), producer.publish(wakeUpTopic, channelIds.join(' '))]).then(
      () => {
        if (failing) logger.info('wake-ups go through Redis again');
        failing = false;
      },
      (error: unknown) => {
        if (!failing && !stopped)
          logger.warn({ err: error }, 'cannot send wake-ups through Redis; relying on the sweep');
        failing = true;
      },
    );
  }

  /** For what the sweep found: over Redis, and where that does not help in this process. */
  function wakeStalled(channelIds: string[]): void {
    const now = Date.now();
    const found = new Set(channelIds);
    for (const id of waitingSince.keys()) if (!found.has(id)) waitingSince.delete(id);
    const here = channelIds.filter((id) => {
      const since = waitingSince.get(id) ?? now;
      const isStuck = now - since > STUCK_AFTER_MS;
      waitingSince.set(id, isStuck ? now : since);
      return isStuck || !isHealthy();
    });
    localQueue.wake(here);
    // also while Redis is away: the first wake-up that reaches it again tells that it is back
    wake(channelIds);
  }

  async function process(job: Job<DrainJob>, { drain }: JobHandlers): Promise<void> {
    // handed over between the last job and the stop; the sweep of another worker, or of the next start, finds what it means
    if (stopped) return;
    const { channel } = job.data;
    const endsAt = Date.now() + SLICE_MS;
    const signal = createSignal();
    const signalsOf = active.get(channel) ?? new Set();
    active.set(channel, signalsOf.add(signal));
    const isOver = () => Date.now() > endsAt;
    try {
      await drain(channel, { stopping: () => stopped || isOver(), nextWake: signal.next });
    } catch (error) {
      // the sweep will come back to the channel; here there is nobody to tell but the log
      logger.error({ err: error, subscription_id: channel }, 'failed to send the deliveries of a channel');
    } finally {
      signalsOf.delete(signal);
      if (signalsOf.size === 0) active.delete(channel);
    }
    if (isOver()) wake([channel]);
  }

  /** Begun with the first page that listens: what other processes announce is heard here too. Resolves when it is. */
  function subscribeToChanges(): Promise<unknown> {
    if (subscribed) return subscribed;
    if (stopped) return Promise.resolve();
    const subscriber = connect(url, logger, 'live updates');
    connections.push(subscriber);
    // without Redis a page hears what happens here, and the rest once it answers again
    const soon = new Promise((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS).unref());
    subscribed = Promise.race([subscriber.subscribe(changeTopic).catch(() => undefined), soon]);
    subscriber.on('message', (_name: string, text: string) => {
      const { account, ...change } = JSON.parse(text) as Change & { account: string };
      live.publishChange(account, change);
    });
    return subscribed;
  }

  return {
    wake,
    live: {
      publishChange(account, change) {
        // those who listen here hear it over Redis too, or now where it is away
        const here = () => live.publishChange(account, change);
        if (stopped) return;
        if (!isHealthy()) here();
        else producer.publish(changeTopic, JSON.stringify({ account, ...change })).catch(here);
      },
      async listen(account, onChange) {
        await subscribeToChanges();
        return live.listen(account, onChange);
      },
      listeners: live.listeners,
    },
    // loaded only where it is asked for
    board: async (path) => (await import('./queue-dashboard.ts')).createBoard(queue, path),
    missing: () => (isHealthy() ? [] : ["Redis isn't responding; events wait for the sweep"]),
    start(handlers) {
      const commands = connect(url, logger, 'jobs');
      const listener = connect(url, logger, 'signals');
      connections.push(commands, listener);
      listener.subscribe(wakeUpTopic).catch(() => undefined);
      listener.on('message', (_name: string, ids: string) => {
        for (const id of ids.split(' ')) notify(id);
      });
      worker = new Worker<DrainJob>(QUEUE, (job) => process(job, handlers), {
        connection: commands,
        prefix,
        concurrency: DRAINS_AT_ONCE,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_LOOK_MS,
        maxStalledCount: 0,
      });
      // what goes wrong between BullMQ and Redis mends itself or is found by the sweep; the connections log their losses
      worker.on('error', (error) => logger.debug({ err: error }, 'queue worker error'));
      localQueue.start(handlers.drain);
      maintenance.start(handlers);
    },
    async stop() {
      stopped = true;
      await Promise.all([maintenance.stop(), localQueue.stop(), worker?.close()]);
      await queue.close();
      for (const redis of connections) redis.disconnect();
    },
  };
}
