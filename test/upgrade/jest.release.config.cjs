/** Makes the fixture of a release on SQLite and PostgreSQL. `npm run release` runs it. */
const { resolve } = require('node:path');
const everything = require('../../jest.config.cjs');

module.exports = async () => {
  const { projects, ...config } = await everything();
  const [sqlite] = projects;
  return {
    ...config,
    rootDir: resolve(__dirname, '../..'),
    projects: [{ ...sqlite, testMatch: ['<rootDir>/test/upgrade/make-fixture.ts'] }],
  };
};
