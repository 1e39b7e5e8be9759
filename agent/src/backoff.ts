import { createBudget } from './budget.ts';

/** Waits for `ms`, or until the signal is aborted. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}

export interface Backoff {
  /** the next delay in ms, growing exponentially with jitter */
  next(): number;
  reset(): void;
}

export function createBackoff(minMs: number, maxMs: number, random: () => number = Math.random): Backoff {
  let base = minMs;
  return {
    next() {
      const wait = base * (0.5 + random() / 2);
      base = Math.min(base * 2, maxMs);
      return wait;
    },
    reset() {
      base = minMs;
    },
  };
}

/** What is logged of an error; a printer may choose its text. */
const MAX_REASON = 300;

/** One sentence for an error, including the cause that Node hides. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_REASON);
  // of each address of a host
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return explain(error.errors[0]);
  const { cause } = error;
  return cause instanceof Error ? explain(cause) : (error.message || error.name).slice(0, MAX_REASON);
}

/** Of the messages that wait in a queue: a printer sends a few in a second, with a few kB each. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** A shorter message counts as this much. */
const MIN_WAITING_BYTES = 8 * 1024;

export type Enqueue = (work: () => Promise<void> | void, bytes?: number) => void;

/**
 * Runs work in order, one at a time. The first failure, or too much waiting work, discards the rest and calls
 * `onError`.
 * @returns a function that gets the work and the length of the message it is about
 */
export function createSerialQueue(onError: (error: unknown) => void): Enqueue {
  const room = createBudget(MAX_WAITING_BYTES, 0, 'the printer sends messages faster than they can be processed');
  let last = Promise.resolve();
  let broken = false;
  const fail = (error: unknown) => {
    broken = true;
    onError(error);
  };
  return (work, bytes = 0) => {
    if (broken) return;
    const cost = Math.max(bytes, MIN_WAITING_BYTES);
    try {
      room.take(cost);
    } catch (error) {
      return fail(error);
    }
    last = last.then(async () => {
      room.give(cost);
      if (broken) return;
      try {
        await work();
      } catch (error) {
        fail(error);
      }
    });
  };
}
