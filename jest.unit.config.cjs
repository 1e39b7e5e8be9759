/** `npm run test:unit`: the suites beside the code, on SQLite in memory. Builds nothing and starts no service. */
const { transform } = require('./test/kit/transform.cjs');

module.exports = {
  rootDir: __dirname,
  roots: ['<rootDir>/agent/src', '<rootDir>/backend/src', '<rootDir>/backend/web/src', '<rootDir>/common/src'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['\\.postgres\\.test\\.ts$', '/jobs/bullmq\\.test\\.ts$'],
  testEnvironment: 'node',
  transform,
  // ends what hangs, also on a slow and busy machine
  testTimeout: 300_000,
  // Jest leaves one core unused, so that it would run all of them in one worker on two cores
  maxWorkers: '100%',
};
