/**
 * Preload (`node --require`) in which everything takes less time: the wall clock runs CLOCK_SPEED times as fast since
 * CLOCK_ORIGIN (ms), and timers fire as much earlier.
 */
const SPEED = Number(process.env.CLOCK_SPEED);
const ORIGIN = Number(process.env.CLOCK_ORIGIN);
const RealDate = Date;
const now = () => Math.round(ORIGIN + (RealDate.now() - ORIGIN) * SPEED);

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  globalThis[name] = (callback, ms, ...given) => real(callback, ms / SPEED, ...given);
}
