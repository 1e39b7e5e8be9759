import { setTimeout as sleep } from 'node:timers/promises';

/** How long to pause after a task, as a multiple of its duration. */
const PAUSE_FACTOR = 3;
/** The longest pause, in milliseconds. A task that mostly waited for the database used little of this process. */
const MAX_PAUSE_MS = 50;

/**
 * Runs tasks one after the other and pauses after each, so that they take at most a quarter of this process.
 * @param maxWaiting how many tasks may wait
 */
export function createConcurrencyLimit(maxWaiting: number) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** @returns undefined if too many tasks are waiting */
  return function runLimited<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (waiting >= maxWaiting) return undefined;
    waiting += 1;
    let began = 0;
    const result = last.then(() => {
      waiting -= 1;
      began = performance.now();
      return work();
    });
    const pause = () => sleep(Math.min(PAUSE_FACTOR * (performance.now() - began), MAX_PAUSE_MS));
    last = result.then(pause, pause);
    return result;
  };
}
