/**
 * `npm test`: what a change can break directly, on embedded parts, in a few minutes. FARMBOARD_TEST_ENGINES=all, which
 * `.ci/run` sets, adds the suites below and every engine; `npx jest PATH` runs any of them alone.
 */
const everything = require('./jest.config.cjs');
const { needsAll } = require('./test/kit/engines.cjs');

/** Takes long, and a single change seldom breaks it alone. */
const LEFT_TO_CI = [
  // what a machine, a network or other processes can do to the service
  '/test/crash/',
  '/test/cluster/',
  '/operations/(scheduled-backup|backup|restore|move|secret-key|proxy|hostile-bodies)\\.',
  '/transfer/copy\\.',
  '/upgrade/way-back\\.',
  '/service/one-service\\.',
  '/console/(sign-in|leads)\\.',
  '/agent/(once|queue)\\.',
  '/browser/(outage|unsaved)\\.',
  // generated requests, numbers, searches, printers and days
  '/test/fuzz/',
  '/contract/(dry-run|numbers|search-plans|list-plans|accounts-apart)\\.',
  '/composition/numbers\\.',
  '/agent/(generated|fixtures|traps|clocks)\\.',
  '/printers/(generated|limits)\\.',
  '/(service|console|browser)/simulation\\.',
  // every command, page, example or address
  '/service/command-line\\.',
  '/browser/(every-page|hostile|docs|labels|scale|cross-site)\\.',
  '/console/cross-site\\.',
  '/contract/examples\\.',
  '/docs/blocks\\.',
  '/delivery/addresses\\.',
  // what is packed and installed
  '/examples/pages\\.',
  '/operations/(packages|workflows|image)\\.',
  '/service/(clone|production-install)\\.',
];

module.exports = async () => {
  const { projects, ...config } = await everything();
  if (needsAll()) return { ...config, projects };
  const embedded = projects.filter(({ displayName }) => displayName === 'sqlite');
  return {
    ...config,
    reporters: ['default', ['<rootDir>/test/kit/engines-reporter.cjs', { isQuick: true }]],
    projects: embedded.map((project) => ({
      ...project,
      testPathIgnorePatterns: [...project.testPathIgnorePatterns, ...LEFT_TO_CI],
    })),
  };
};

module.exports.LEFT_TO_CI = LEFT_TO_CI;
