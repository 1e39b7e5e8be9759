// Prints at the end of a run which engines it left out.
const { enginesThatAnswer, missing } = require('./engines.cjs');

module.exports = class EnginesReporter {
  async onRunComplete() {
    const engines = await enginesThatAnswer();
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
    const namesOf = (wanted) => Object.keys(suites).filter((name) => suites[name] === wanted);
    process.stderr.write(`\nEngines tested: ${namesOf(true).join('; ')}.\n`);
    if (namesOf(false).length > 0) {
      const reason = `Not usable on this machine: ${missing(engines).join(', ')}.`;
      process.stderr.write(`Left out: ${namesOf(false).join('; ')}. ${reason}\n`);
    }
  }
};
