// Prints at the end of a run which engines it left out, and why.
const { enginesThatAnswer, missing } = require('./engines.cjs');

/** What `npm test` runs; `.ci/run` runs the rest, too. */
const EMBEDDED = ['SQLite with jobs in process', 'the console in Chromium', 'the receiver in PHP', 'the n8n package'];

module.exports = class EnginesReporter {
  /**
   * @param {unknown} _config
   * @param {{ isQuick?: boolean }} options whether the long suites and the other engines are left to `.ci/run`
   */
  constructor(_config, { isQuick = false }) {
    this.isQuick = isQuick;
  }

  async onRunComplete() {
    const found = await enginesThatAnswer();
    // not needed, so never the reason for leaving something out
    const engines = this.isQuick ? { ...found, postgres: true, redis: true, nginx: true, compiler: true } : found;
    const suites = {
      'SQLite with jobs in process': true,
      'PostgreSQL with Redis': engines.postgres && engines.redis,
      'the proxy': engines.nginx,
      'power loss and a full disk': engines.compiler,
      'the console in Chromium': engines.chromium,
      'the receiver in PHP': engines.php,
      'the n8n package': engines.n8n,
      'the topology of docker-compose.yml': engines.postgres && engines.redis && engines.nginx,
    };
    const wanted = this.isQuick ? EMBEDDED : Object.keys(suites);
    const tested = wanted.filter((name) => suites[name]);
    const unusable = wanted.filter((name) => !suites[name]);
    process.stderr.write(`\nEngines tested: ${tested.join('; ')}.\n`);
    if (unusable.length > 0) {
      const reason = `Not usable on this machine: ${missing(engines).join(', ')}.`;
      process.stderr.write(`Left out: ${unusable.join('; ')}. ${reason}\n`);
    }
    if (this.isQuick)
      process.stderr.write(
        'Left to .ci/run: long suites and other engines. FARMBOARD_TEST_ENGINES=all npm test runs all.\n',
      );
  }
};
