import type { Clock } from '../shared/clock.ts';
import { DomainError } from '../shared/errors.ts';

/** Bounds memory if a client sends thousands of different keys. */
const MAX_KEYS = 10_000;

export type AttemptLimiter = ReturnType<typeof createAttemptLimiter>;

/** Limits attempts per key in this process: at most `max` within `withinMs`. */
export function createAttemptLimiter({ clock, max, withinMs }: { clock: Clock; max: number; withinMs: number }) {
  const times = new Map<string, number[]>();
  const recent = (key: string): number[] => (times.get(key) ?? []).filter((at) => at > clock() - withinMs);

  return {
    /** @throws DomainError rate_limited with the time until the next attempt is allowed */
    check(key: string): void {
      const [oldest, ...others] = recent(key);
      if (oldest === undefined || others.length + 1 < max) return;
      const retryAfter = Math.max(1, Math.ceil((oldest + withinMs - clock()) / 1000));
      const minutes = Math.ceil(retryAfter / 60);
      throw new DomainError('rate_limited', `Too many attempts. Try again in ${minutes} min.`, { retryAfter });
    },

    /**
     * Counts an attempt before it is made, so that concurrent attempts count too. @returns a function that undoes it
     */
    record(key: string): () => void {
      const at = clock();
      const counted = [...recent(key), at];
      times.delete(key);
      times.set(key, counted);
      const [first] = times.keys();
      if (times.size > MAX_KEYS && first !== undefined) times.delete(first);
      return () => {
        const now = times.get(key) ?? [];
        const index = now.indexOf(at);
        if (index >= 0) now.splice(index, 1);
      };
    },

    forget: (key: string): boolean => times.delete(key),
  };
}
