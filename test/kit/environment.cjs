// Where suites run. Each has its own modules, so what takes long to make and keeps nothing of a test is made here, once for
// all suites of a Jest worker.
const { TestEnvironment } = require('jest-environment-node');
const { checkerOf } = require('./checker.ts');
const { runOnPostgres } = require('./run-on-postgres.cjs');

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.CHECKER_OF = checkerOf;
    this.global.RUN_ON_POSTGRES = runOnPostgres;
    // only suites that drive a browser load it
    Object.defineProperty(this.global, 'PLAYWRIGHT', { get: () => require('playwright-core') });
  }
};
