/** Waits, but no longer than until the signal. Never rejects. */
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
  /** how long to wait now, milliseconds; longer each time, with jitter, so that many do not come back at once */
  next(): number;
  reset(): void;
}

export function createBackoff(leastMs: number, mostMs: number, random: () => number = Math.random): Backoff {
  let base = leastMs;
  return {
    next() {
      const wait = base * (0.5 + random() / 2);
      base = Math.min(base * 2, mostMs);
      return wait;
    },
    reset() {
      base = leastMs;
    },
  };
}

/** One sentence of an error, with what undici and node hide in its cause. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no response in time';
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return explain(cause.errors[0]);
  return cause instanceof Error ? explain(cause) : error.message || error.name;
}

/** Does one thing after the other, in the order in which they were given. The first that fails ends the line. */
export function createLine(onError: (error: unknown) => void): (work: () => Promise<void> | void) => void {
  let last = Promise.resolve();
  let broken = false;
  return (work) => {
    last = last.then(async () => {
      if (broken) return;
      try {
        await work();
      } catch (error) {
        broken = true;
        onError(error);
      }
    });
  };
}
