/** End to end: the packed package in real n8n's, against the built service. `npm run test:n8n`. */
const { enginesThatAnswer } = require('./test/kit/engines.cjs');
const { askedHosts } = require('./test/kit/n8n-hosts/asked.cjs');
const { transform } = require('./test/kit/transform.cjs');

/** Publish no workflow, so they run in each version once, whichever way it publishes. */
const WITHOUT_PUBLISHING = '/(agent|consume|credential|editor|files|rate-limit)\\.';

/** @type {(host: { slug: string }) => string[]} */
function leftOut({ slug }) {
  // starts n8n six times by itself
  const inNewest = slug === '2.41.1-publication' ? [] : ['/start-script\\.'];
  return slug === '2.41.1-direct' ? [...inNewest, WITHOUT_PUBLISHING] : inNewest;
}

module.exports = async () => {
  const { postgres, redis } = await enginesThatAnswer();
  // each n8n has one of them behind it, so that both are tested without the time of all pairs
  const engineFor = ({ publicationService }) => (publicationService && postgres && redis ? 'postgres' : 'sqlite');
  return {
    globalSetup: '<rootDir>/test/kit/n8n-hosts/global-setup.cjs',
    globalTeardown: '<rootDir>/test/kit/n8n-hosts/global-teardown.cjs',
    testSequencer: '<rootDir>/test/kit/n8n-hosts/sequencer.cjs',
    // one n8n at a time is shared by all suites
    maxWorkers: 1,
    // ends what hangs, also on a slow machine; no test has a limit of its own
    testTimeout: 1_800_000,
    projects: askedHosts().map((host) => ({
      displayName: host.name,
      rootDir: __dirname,
      roots: ['<rootDir>/test/n8n'],
      testMatch: ['**/*.e2e.ts'],
      testPathIgnorePatterns: leftOut(host),
      testEnvironment: '<rootDir>/test/kit/environment.cjs',
      transform,
      globals: { FARMBOARD_HOST: host.slug, FARMBOARD_MISSED_ON: engineFor(host) },
    })),
  };
};
