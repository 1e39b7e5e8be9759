/** Long enough for a busy machine: no test measures speed by waiting. */
export const PATIENCE_MS = 20_000;

/** Polls until the condition holds. @throws Error with the last value if it never does */
export async function eventually<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + Math.max(withinMs, PATIENCE_MS);
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`after ${Math.max(withinMs, PATIENCE_MS)} ms it is still ${JSON.stringify(seen)?.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Lets everything that is ready run, to show that something does not happen. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
}
