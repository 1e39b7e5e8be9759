/** Long enough for a busy machine: no test measures speed by waiting. */
export const PATIENCE_MS = 60_000;

/** Polls until the condition holds, which may take `PATIENCE_MS` unless it is known to take longer. @throws Error with the last value if it never does */
export async function eventually<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const began = Date.now();
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    const waited = Date.now() - began;
    if (waited > withinMs) throw new Error(`after ${withinMs} ms it is still ${JSON.stringify(seen)?.slice(0, 500)}`);
    // each look costs the processor what the others wait for
    await new Promise((resolve) => setTimeout(resolve, Math.min(10 + waited / 20, 50)));
  }
}

/** Lets everything that is ready run, to show that something does not happen. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the value is the expected one, which may be a matcher. Fails with the difference. */
export async function expectSoon<T>(look: () => Promise<T> | T, expected: unknown): Promise<void> {
  const isExpected = (seen: unknown): boolean => {
    try {
      expect(seen).toEqual(expected);
      return true;
    } catch {
      return false;
    }
  };
  const seen = await eventually(look, isExpected).catch(look);
  expect(seen).toEqual(expected);
}
