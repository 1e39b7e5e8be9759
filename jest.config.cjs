/**
 * One configuration for every suite: unit tests beside the code, and what crosses rooms under test/. What the engine of
 * storage can change runs once for each engine that is there: SQLite with jobs in process always, PostgreSQL with Redis
 * where they answer. The console is driven in Chromium where there is one. What was left out is said at the end;
 * FARMBOARD_TEST_ENGINES=all makes a missing one a failure.
 * `*.sqlite.test.ts` and `*.postgres.test.ts` run with the one or the other alone.
 */
const { enginesThatAnswer } = require('./test/kit/engines.cjs');
const { transform } = require('./test/kit/transform.cjs');

const common = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform,
};

/** What must hold on PostgreSQL with Redis as well, and what only is with them. */
const ON_POSTGRES = [
  '<rootDir>/test/contract/**/*.test.ts',
  '<rootDir>/test/console/**/*.test.ts',
  '<rootDir>/test/delivery/**/*.test.ts',
  // several processes on PostgreSQL and Redis
  '<rootDir>/test/cluster/**/*.test.ts',
  // a killed and a stopping service
  '<rootDir>/test/crash/kill-matrix.test.ts',
  '<rootDir>/test/service/stop.test.ts',
  '<rootDir>/backend/src/**/*.postgres.test.ts',
  '<rootDir>/test/operations/**/*.test.ts',
  '<rootDir>/backend/src/storage/copy.test.ts',
  '<rootDir>/backend/src/{accounts,filaments,idempotency,invoices,orders,printers,webhooks}/**/*.test.ts',
];

module.exports = async () => {
  const { postgres, redis, nginx, chromium } = await enginesThatAnswer();
  return {
    globalSetup: '<rootDir>/test/kit/global-setup.cjs',
    globalTeardown: '<rootDir>/test/kit/global-teardown.cjs',
    reporters: ['default', '<rootDir>/test/kit/engines-reporter.cjs'],
    testSequencer: '<rootDir>/test/kit/sequencer.cjs',
    maxWorkers: 2,
    testTimeout: 30_000,
    projects: [
      {
        ...common,
        displayName: 'sqlite',
        roots: ['<rootDir>/backend/src', '<rootDir>/test'],
        testMatch: ['**/*.test.ts'],
        testPathIgnorePatterns: [
          // two processes on one SQLite file can stand still as well
          '/test/cluster/(?!paused)',
          '\\.postgres\\.test\\.ts$',
          ...(chromium ? [] : ['/test/browser/']),
          ...(redis ? [] : ['/jobs/bullmq\\.test\\.ts$']),
          ...(nginx ? [] : ['/operations/proxy\\.']),
        ],
        // SQLite may have its wake-ups over Redis too
        globals: { FARMBOARD_REDIS: redis },
      },
      ...(postgres && redis
        ? [
            {
              ...common,
              displayName: 'postgres',
              roots: ['<rootDir>/backend/src', '<rootDir>/test'],
              testMatch: ON_POSTGRES,
              testPathIgnorePatterns: [
                '\\.sqlite\\.test\\.ts$',
                ...(nginx ? [] : ['/operations/compose\\.postgres\\.']),
              ],
              globals: { FARMBOARD_ENGINE: 'postgres', FARMBOARD_REDIS: true },
            },
          ]
        : []),
    ],
  };
};
