import { setTimeout as rest } from 'node:timers/promises';

/** How long to pause after a task, as a multiple of its duration. */
const REST = 3;
/** The longest pause, in milliseconds. A task that mostly waited for the database used little of this process. */
const MAX_REST_MS = 50;

/**
 * Runs tasks one after the other and pauses after each, so that they take at most a quarter of this process.
 * @param most how many tasks may wait
 */
export function createConcurrencyLimit(most: number) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** @returns undefined if too many tasks are waiting */
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
