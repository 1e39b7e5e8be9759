/** Removes the oldest entries until at most `max` are left. */
export function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
