/** Counters for `npm run test:profile`; unused in other runs. */
export function count(what: 'services' | 'commands' | 'databases'): void {
  const { FARMBOARD_COUNTS: counts } = globalThis as { FARMBOARD_COUNTS?: Record<string, number> };
  if (counts) counts[what] = (counts[what] ?? 0) + 1;
}
