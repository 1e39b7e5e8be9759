// Says in the last lines which engines the run left out.
const { enginesThatAnswer } = require('./engines.cjs');

module.exports = class EnginesReporter {
  async onRunComplete() {
    const { postgres, redis } = await enginesThatAnswer();
    const tested = ['SQLite with jobs in process', ...(postgres && redis ? ['PostgreSQL with Redis'] : [])];
    process.stderr.write(`\nEngines tested: ${tested.join('; ')}.\n`);
    if (!postgres || !redis) {
      const missing = [postgres ? [] : ['PostgreSQL'], redis ? [] : ['Redis']].flat().join(', ');
      process.stderr.write(`Left out: PostgreSQL with Redis. Not usable on this machine: ${missing}.\n`);
    }
  }
};
