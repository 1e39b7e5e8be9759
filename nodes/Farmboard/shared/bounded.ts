/** Takes the oldest entries out until at most `most` are left: memory that cannot grow without end. */
export function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return;
    entries.delete(oldest);
  }
}
