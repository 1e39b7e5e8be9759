import { setTimeout as rest } from 'node:timers/promises';

/** How many times as long as a work took it is rested after it. */
const REST = 3;
/** The longest rest, in milliseconds: what waited for the database took no time of this process. */
const MAX_REST_MS = 50;

/**
 * Does works one after the other, and rests after each: however many are asked for, at most a quarter of this process is
 * theirs.
 * @param most how many may wait
 */
export function createConcurrencyLimit(most: number) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** @returns undefined: too many wait already */
  return function inTurn<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (waiting >= most) return undefined;
    waiting += 1;
    let began = 0;
    const turn = last.then(() => {
      waiting -= 1;
      began = performance.now();
      return work();
    });
    const pause = () => rest(Math.min(REST * (performance.now() - began), MAX_REST_MS));
    last = turn.then(pause, pause);
    return turn;
  };
}
