import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import type { CreateRateLimit, Usage } from '../shared/rate-limit.ts';

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
    const options = { keyPrefix: `${redis?.prefix ?? ''}limit:${name}`, points: max, duration: withinMs / 1000 };
    const memory = new RateLimiterMemory(options);
    const shared =
      redis && new RateLimiterRedis({ ...options, storeClient: redis.client, rejectIfRedisNotReady: true });

    async function ask<T>(work: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> {
      if (!shared || Date.now() < pausedUntil) return work(memory);
      try {
        return await withinTimeout(work(shared));
      } catch {
        pausedUntil = Date.now() + REDIS_PAUSE_MS;
        return work(memory);
      }
    }

    function toUsage(result: RateLimiterRes | null): Usage {
      const used = Math.max(0, result?.consumedPoints ?? 0);
      const resetMs = result?.msBeforeNext ?? withinMs;
      return {
        used,
        isOver: used > max,
        remaining: Math.max(0, max - used),
        retryAfter: Math.max(1, Math.ceil(resetMs / 1000)),
      };
    }

    return {
      max,
      withinMs,
      // unlike `consume`, these don't reject above the limit
      count: async (key) => toUsage(await ask((limiter) => limiter.penalty(key, 1))),
      read: async (key) => toUsage(await ask((limiter) => limiter.get(key))),
      undo: async (key) => void (await ask((limiter) => limiter.reward(key, 1))),
      reset: async (key) => void (await ask((limiter) => limiter.delete(key))),
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
