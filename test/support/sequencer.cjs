const Sequencer = require('@jest/test-sequencer').default;

const isBrowser = ({ path }) => path.includes('/test/browser/');

/** Minutes each: begun last, one of them would run alone while the other worker has nothing to do. */
const LONGEST = ['hostile', 'every-page'];
const rank = ({ path }) => (LONGEST.some((name) => path.endsWith(`/${name}.test.ts`)) ? 0 : 1);

/** A browser takes both cores: what counts milliseconds of the service runs before the browsers, not beside them. */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [
      ...sorted.filter((test) => !isBrowser(test)),
      ...sorted.filter(isBrowser).sort((a, b) => rank(a) - rank(b)),
    ];
  }
};
