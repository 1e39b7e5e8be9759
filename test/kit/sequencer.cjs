const Sequencer = require('@jest/test-sequencer').default;

const isBrowser = ({ path }) => path.includes('/test/browser/');

/** Minutes each: begun last, one of them would run alone while the other worker has nothing to do. */
const LONGEST = ['hostile', 'every-page'];
const rank = ({ path }) => (LONGEST.some((name) => path.endsWith(`/${name}.test.ts`)) ? 0 : 1);

/** Has a bar in milliseconds. Sorted by size it would run on both engines at once and take the time from itself. */
const isTimed = ({ path }) => path.endsWith('/delivery/isolation.test.ts');

/** The timed ones far from each other among the others. */
function partTimed(tests) {
  const parted = tests.filter((test) => !isTimed(test));
  const timed = tests.filter(isTimed);
  for (const [n, test] of timed.entries()) parted.splice(Math.floor((parted.length * n) / timed.length), 0, test);
  return parted;
}

/** A browser takes both cores: what counts milliseconds of the service runs before the browsers, not beside them. */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [
      ...partTimed(sorted.filter((test) => !isBrowser(test))),
      ...sorted.filter(isBrowser).sort((a, b) => rank(a) - rank(b)),
    ];
  }
};
