/** A seeded generator (mulberry32): the same seed gives the same choices on every machine. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  /** A whole number from `min` to `max`, both included. */
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return { next, between, pick: <T>(list: readonly T[]): T => list[between(0, list.length - 1)] as T };
}
