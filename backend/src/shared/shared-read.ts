/**
 * Lets callers that wait for the same read share one. A caller never joins a read that has already begun, so what it
 * gets was read after it asked, as if it had read alone: nothing is cached, and nothing can be stale.
 */
export function createSharedRead<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  /** reads that begin when the running one of their key ends */
  const next = new Map<string, Promise<T>>();

  function begin(key: string): Promise<T> {
    next.delete(key);
    const result = read(key);
    running.set(key, result);
    const end = () => {
      if (running.get(key) === result) running.delete(key);
    };
    result.then(end, end);
    return result;
  }

  return (key) => {
    const current = running.get(key);
    if (!current) return begin(key);
    let waiting = next.get(key);
    if (!waiting) {
      waiting = current.then(
        () => begin(key),
        () => begin(key),
      );
      next.set(key, waiting);
    }
    return waiting;
  };
}
