/** Of a limit. Beyond it, the counts that would end first are forgotten: about 30 MB. */
const MAX_COUNTED = 100_000;

interface Count {
  used: number;
  /** milliseconds */
  until: number;
}

/**
 * Counts uses per key in this process. The time of a count begins with its first use and is equal for all keys, so those
 * that were counted first end first, and the map is in that order.
 * @param maxCounted only tests set it
 */
export function createMemoryCounts(withinMs: number, maxCounted = MAX_COUNTED) {
  const counts = new Map<string, Count>();

  function find(key: string): Count | undefined {
    const found = counts.get(key);
    return found && found.until > Date.now() ? found : undefined;
  }

  function begin(key: string): Count {
    const now = Date.now();
    // one that has ended would keep its place
    counts.delete(key);
    for (const [oldest, { until }] of counts) {
      if (until > now && counts.size < maxCounted) break;
      counts.delete(oldest);
    }
    const count = { used: 0, until: now + withinMs };
    counts.set(key, count);
    return count;
  }

  return {
    /** @returns how often the key was used, and for how many ms that counts */
    read(key: string): { used: number; leftMs: number } {
      const { used = 0, until = Date.now() + withinMs } = find(key) ?? {};
      return { used, leftMs: until - Date.now() };
    },
    add(key: string): void {
      const count = find(key) ?? begin(key);
      count.used += 1;
    },
    /** A key whose only use is undone takes no place. */
    undo(key: string): void {
      const count = find(key);
      if (!count) return;
      count.used -= 1;
      if (count.used === 0) counts.delete(key);
    },
    reset: (key: string): void => void counts.delete(key),
    size: (): number => counts.size,
  };
}
