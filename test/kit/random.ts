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

/** The seed of this run: the value of the variable, or a new one. Print it, so that a failure can be reproduced. */
export const seedFrom = (variable: string): number =>
  Number(process.env[variable] ?? Math.floor(Math.random() * 2_147_483_647));
