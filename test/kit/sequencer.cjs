const Sequencer = require('@jest/test-sequencer').default;

const isBrowser = ({ path }) => path.includes('/test/browser/');

/** Begun last, one of them would run alone while the other workers have nothing to do. */
const FIRST = [
  'nodes/actions',
  'nodes/triggers',
  'crash/kill',
  'delivery/isolation',
  'browser/hostile',
  'browser/every-page',
];
const rank = ({ path }) => (FIRST.some((name) => path.endsWith(`/${name}.test.ts`)) ? 0 : 1);

/** The browsers one after the other behind everything else, beside each other only: they take the most memory. */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests).sort((a, b) => rank(a) - rank(b));
    return [...sorted.filter((test) => !isBrowser(test)), ...sorted.filter(isBrowser)];
  }
};
