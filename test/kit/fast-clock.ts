import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';

export type FastClock = ReturnType<typeof createFastClock>;

/** Load per core while the suites run side by side, for which the speeds are chosen. */
const USUAL_LOAD = 4;

/**
 * A clock that runs `usualSpeed` times as fast from now on, for the test and for the processes with its settings; slower
 * on a machine that is busier than usual, because what takes a second there takes longer.
 */
export function createFastClock(usualSpeed: number) {
  const [load = 0] = loadavg();
  const speed = usualSpeed / Math.max(1, load / cpus().length / USUAL_LOAD);
  const origin = Date.now();
  return {
    usualSpeed,
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
