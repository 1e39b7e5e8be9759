import { resolve } from 'node:path';

export type FastClock = ReturnType<typeof createFastClock>;

/** A clock that runs `speed` times as fast from now on, for the test and for the processes with its settings. */
export function createFastClock(speed: number) {
  const origin = Date.now();
  return {
    speed,
    /** ms */
    now: () => origin + (Date.now() - origin) * speed,
    /** ms since the clock was created */
    elapsed: () => (Date.now() - origin) * speed,
    sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms / speed)),
    env: {
      NODE_OPTIONS: `--require ${resolve(__dirname, 'fast-clock.cjs')}`,
      CLOCK_ORIGIN: String(origin),
      CLOCK_SPEED: String(speed),
    },
  };
}
