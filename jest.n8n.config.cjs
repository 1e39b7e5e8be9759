/** End to end: the packed package in real n8n's, against the built service. `npm run test:n8n`. */
const { enginesThatAnswer } = require('./test/kit/engines.cjs');
const { askedHosts } = require('./test/kit/n8n-hosts/asked.cjs');
const { transform } = require('./test/kit/transform.cjs');

/** What differs between versions: publishing, and what happens when n8n starts again. The newest n8n runs everything. */
const suitesOf = ({ slug }) => (slug === '2.41.1-publication' ? '*' : '{missed,restart,trigger}');

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
      testMatch: [`**/${suitesOf(host)}.e2e.ts`],
      testEnvironment: '<rootDir>/test/kit/environment.cjs',
      transform,
      globals: { FARMBOARD_HOST: host.slug, FARMBOARD_MISSED_ON: engineFor(host) },
    })),
  };
};
