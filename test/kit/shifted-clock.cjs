/**
 * Preload (`node --require`) that sets this process's wall clock CLOCK_SHIFT_MS ahead, or behind if negative, like a
 * machine whose clock is wrong. The monotonic clock and timers are unchanged.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = Date;
const now = () => RealDate.now() + shift;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
