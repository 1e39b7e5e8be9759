import type { Clock } from '../shared/clock.ts';
import { DomainError } from '../shared/errors.ts';

/** Whoever invents keys by the thousand must not fill the memory. */
const MAX_KEYS = 10_000;

/** Counts tries by key, in this process: so many within the time, and no more. */
export function createAttemptLimiter({ clock, most, withinMs }: { clock: Clock; most: number; withinMs: number }) {
  const times = new Map<string, number[]>();
  const recent = (key: string): number[] => (times.get(key) ?? []).filter((at) => at > clock() - withinMs);

  return {
    /** @throws DomainError rate_limited, with the time until there is one left */
    check(key: string): void {
      const [oldest, ...others] = recent(key);
      if (oldest === undefined || others.length + 1 < most) return;
      const retryAfter = Math.max(1, Math.ceil((oldest + withinMs - clock()) / 1000));
      const minutes = Math.ceil(retryAfter / 60);
      throw new DomainError('rate_limited', `Too many attempts. Try again in ${minutes} min.`, { retryAfter });
    },

    /** Counts one, before it is made: of many at once each counts. @returns what takes it back */
    note(key: string): () => void {
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
