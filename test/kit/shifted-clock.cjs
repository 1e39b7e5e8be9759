/**
 * Preload (`node --require`) that sets this process's wall clock CLOCK_SHIFT_MS ahead, or behind if negative, like a
 * machine whose clock is wrong. The monotonic clock and timers are unchanged. With CLOCK_SHIFT_FILE the shift is read from
 * that file at each use, so that a test can correct the clock.
 */
const { readFileSync } = require('node:fs');
const { setWallClock } = require('./wall-clock.cjs');

const { CLOCK_SHIFT_MS, CLOCK_SHIFT_FILE } = process.env;
const shift = () => Number(CLOCK_SHIFT_FILE === undefined ? CLOCK_SHIFT_MS : readFileSync(CLOCK_SHIFT_FILE, 'utf8'));
const realNow = Date.now;
setWallClock(() => realNow() + shift());
