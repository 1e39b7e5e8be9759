const Sequencer = require('@jest/test-sequencer').default;

const isBrowser = ({ path }) => path.includes('/test/browser/');

/** If one of these started last, it would run alone while the other workers are idle. */
const FIRST = [
  'nodes/actions',
  'nodes/triggers',
  'crash/kill',
  'delivery/isolation',
  'browser/hostile',
  'browser/every-page',
];
const rank = ({ path }) => (FIRST.some((name) => path.endsWith(`/${name}.test.ts`)) ? 0 : 1);

/** The browser suites run after everything else and beside each other only, because they take the most memory. */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests).sort((a, b) => rank(a) - rank(b));
    return [...sorted.filter((test) => !isBrowser(test)), ...sorted.filter(isBrowser)];
  }
};
