/**
 * Every suite: unit tests beside the code, and what crosses rooms under test/. `npm test` runs some of them
 * (jest.quick.config.cjs). What the engine of storage can change runs once for each engine that is there: SQLite with jobs
 * in process always, PostgreSQL with Redis where they answer. The console is driven in Chromium where there is one. What
 * was left out is said at the end; FARMBOARD_TEST_ENGINES=all makes a missing one a failure.
 * `*.sqlite.test.ts` and `*.postgres.test.ts` run with the one or the other alone.
 */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { enginesThatAnswer, isLong } = require('./test/kit/engines.cjs');
const { transform } = require('./test/kit/transform.cjs');

/** The n8n package, and what runs it or puts it into the image. */
const WITH_N8N = ['/test/n8n/', '/upgrade/workflow\\.', '/operations/(image|compose|hostile-clients)\\.'];

const common = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/kit/environment.cjs',
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
  '<rootDir>/test/operations/**/*.test.ts',
  '<rootDir>/test/examples/**/*.test.ts',
  '<rootDir>/test/upgrade/**/*.test.ts',
  '<rootDir>/backend/src/**/*.postgres.test.ts',
  // `npm test` compares both engines by a generated script (parity)
  ...(isLong() ? ['<rootDir>/test/fuzz/**/*.test.ts'] : []),
  ...suitesWithStorage(),
];

/** Of those above, what no engine can change: the protocol, addresses, bodies of chats, labels, sockets, pages of other sites. */
const ON_ONE_ENGINE = [
  'test/contract/chats.test.ts',
  'test/contract/guard.test.ts',
  'test/contract/http.test.ts',
  'test/contract/labels.test.ts',
  'test/console/cross-site.test.ts',
  'test/delivery/socket-reuse.test.ts',
];
for (const suite of ON_ONE_ENGINE) if (!existsSync(join(__dirname, suite))) throw new Error(`There is no ${suite}.`);

/** The suites beside the code that open a database of the engine of the run. */
function suitesWithStorage() {
  const src = join(__dirname, 'backend/src');
  return readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith('.test.ts') && readFileSync(join(src, file), 'utf8').includes('openTestStorage'))
    .map((file) => `<rootDir>/backend/src/${file}`);
}

module.exports = async () => {
  const { postgres, redis, nginx, compiler, chromium, php, n8n } = await enginesThatAnswer();
  return {
    globalSetup: '<rootDir>/test/kit/global-setup.cjs',
    globalTeardown: '<rootDir>/test/kit/global-teardown.cjs',
    reporters: ['default', '<rootDir>/test/kit/engines-reporter.cjs'],
    testSequencer: '<rootDir>/test/kit/sequencer.cjs',
    // two for each core of a small machine: many suites wait for what they have started
    maxWorkers: 4,
    // ends what hangs, also on a slow machine at a load of 15; no test has a limit of its own
    testTimeout: isLong() ? 10_800_000 : 1_800_000,
    projects: [
      {
        ...common,
        displayName: 'sqlite',
        roots: ['agent/src', 'backend/src', 'backend/web/src', 'common/src', 'test'].map((path) => `<rootDir>/${path}`),
        testMatch: ['**/*.test.ts'],
        testPathIgnorePatterns: [
          // two processes that share a SQLite file, which takes Redis, can stand still as well
          redis ? '/test/cluster/(?!paused)' : '/test/cluster/',
          '\\.postgres\\.test\\.ts$',
          ...(chromium ? [] : ['/test/browser/']),
          ...(redis ? [] : ['/jobs/bullmq\\.test\\.ts$']),
          ...(nginx ? [] : ['/operations/proxy\\.']),
          ...(n8n ? [] : WITH_N8N),
          // both compile a library
          ...(compiler ? [] : ['/crash/(power-loss|disk-full)\\.']),
          // makes nine clients, for which it installs 190 MB once
          ...(isLong() ? [] : ['/test/clients/']),
        ],
        // SQLite may have its wake-ups over Redis too
        globals: { FARMBOARD_REDIS: redis, FARMBOARD_PHP: php },
      },
      ...(postgres && redis
        ? [
            {
              ...common,
              displayName: 'postgres',
              roots: ['<rootDir>/backend/src', '<rootDir>/test'],
              testMatch: ON_POSTGRES,
              testPathIgnorePatterns: [
                ...ON_ONE_ENGINE.map((suite) => `<rootDir>/${suite}`),
                '\\.sqlite\\.test\\.ts$',
                ...(n8n ? [] : WITH_N8N),
                ...(nginx ? [] : ['/operations/compose\\.postgres\\.', '/examples/several-processes\\.postgres\\.']),
              ],
              globals: { FARMBOARD_ENGINE: 'postgres', FARMBOARD_REDIS: true },
            },
          ]
        : []),
    ],
  };
};
