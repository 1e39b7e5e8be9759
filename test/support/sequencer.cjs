const Sequencer = require('@jest/test-sequencer').default;

const isBrowser = ({ path }) => path.includes('/test/browser/');

/** A browser takes both cores: what counts milliseconds of the service runs before the browsers, not beside them. */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter((test) => !isBrowser(test)), ...sorted.filter(isBrowser)];
  }
};
