import type { Redis } from 'ioredis';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { CreateRateLimit, Usage } from '../shared/rate-limit.ts';
import { createMemoryCounts } from './memory-counts.ts';

/** How long a request waits for its rate limit before this process counts by itself. */
const RESPONSE_TIMEOUT_MS = 500;
/** After a failure, Redis is not asked again for this long, so that requests don't wait for it one by one. */
const REDIS_PAUSE_MS = 2_000;

export interface RateLimitRedis {
  client: Redis;
  /** prefix of every key */
  prefix: string;
}

/** Creates the rate limits of this process. @param redis undefined: this process counts by itself */
export function createRateLimits(redis?: RateLimitRedis): CreateRateLimit {
  let pausedUntil = 0;

  return (name, { max, withinMs }) => {
    const memory = createMemoryCounts(withinMs);
    const options = { keyPrefix: `${redis?.prefix}limit:${name}`, points: max, duration: withinMs / 1000 };
    const shared =
      redis && new RateLimiterRedis({ ...options, storeClient: redis.client, rejectIfRedisNotReady: true });

    async function ask<T>(work: (limiter: RateLimiterRedis) => Promise<T>, here: () => T): Promise<T> {
      if (!shared || Date.now() < pausedUntil) return here();
      try {
        return await withinTimeout(work(shared));
      } catch {
        pausedUntil = Date.now() + REDIS_PAUSE_MS;
        return here();
      }
    }

    function toUsage({ used, leftMs }: { used: number; leftMs: number }): Usage {
      return {
        used,
        isOver: used > max,
        remaining: Math.max(0, max - used),
        retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
      };
    }
    const fromRedis = (result: RateLimiterRes | null): Usage =>
      toUsage({ used: Math.max(0, result?.consumedPoints ?? 0), leftMs: result?.msBeforeNext ?? withinMs });
    const readHere = (key: string): Usage => toUsage(memory.read(key));

    return {
      max,
      withinMs,
      // unlike `consume`, these don't reject above the limit
      count: (key) =>
        ask(
          async (limiter) => fromRedis(await limiter.penalty(key, 1)),
          () => {
            memory.add(key);
            return readHere(key);
          },
        ),
      read: (key) =>
        ask(
          async (limiter) => fromRedis(await limiter.get(key)),
          () => readHere(key),
        ),
      undo: (key) =>
        ask(
          async (limiter) => void (await limiter.reward(key, 1)),
          () => memory.undo(key),
        ),
      reset: (key) =>
        ask(
          async (limiter) => void (await limiter.delete(key)),
          () => memory.reset(key),
        ),
    };
  };
}

/** @throws Error if the work takes too long */
async function withinTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error('Redis does not respond'));
    // a response that this process was too busy to read is read before the immediate runs
    timer = setTimeout(() => setImmediate(fail), RESPONSE_TIMEOUT_MS);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
