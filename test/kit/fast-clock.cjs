/**
 * Preload (`node --require`) in which everything takes less time: the wall clock runs CLOCK_SPEED times as fast since
 * CLOCK_ORIGIN (ms), and timers fire as much earlier.
 */
const { setWallClock } = require('./wall-clock.cjs');

const SPEED = Number(process.env.CLOCK_SPEED);
const ORIGIN = Number(process.env.CLOCK_ORIGIN);
const realNow = Date.now;
setWallClock(() => Math.round(ORIGIN + (realNow() - ORIGIN) * SPEED));

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  globalThis[name] = (callback, ms, ...given) => real(callback, ms / SPEED, ...given);
}
