const { default: Sequencer } = require('@jest/test-sequencer');
const hosts = require('./hosts.json');

/**
 * Runs all suites in one n8n, then all in the next: starting one takes 10 seconds, and two at once need much memory.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const rank = ({ context }) => hosts.findIndex(({ name }) => name === context.config.displayName.name);
    return [...tests].sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
  }
};
