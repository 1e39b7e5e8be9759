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

/** One sentence for an error, including the cause that undici and Node hide. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no response in time';
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return explain(cause.errors[0]);
  return cause instanceof Error ? explain(cause) : error.message || error.name;
}

/** Work waiting in a queue: a printer sends a few messages per second. */
const MAX_WAITING = 1_000;

/**
 * Runs work in order, one at a time. The first failure, or too much waiting work, discards the rest and calls
 * `onError`.
 */
export function createSerialQueue(onError: (error: unknown) => void): (work: () => Promise<void> | void) => void {
  let last = Promise.resolve();
  let broken = false;
  let waiting = 0;
  const fail = (error: unknown) => {
    broken = true;
    onError(error);
  };
  return (work) => {
    if (broken) return;
    if (waiting === MAX_WAITING) return fail(new Error('the printer sends messages faster than they can be processed'));
    waiting += 1;
    last = last.then(async () => {
      waiting -= 1;
      if (broken) return;
      try {
        await work();
      } catch (error) {
        fail(error);
      }
    });
  };
}
