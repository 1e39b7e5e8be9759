/** One configuration for every suite: unit tests beside the code, and what crosses rooms under test/. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/backend/src', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.[cm]?ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/build-once.cjs',
  maxWorkers: 2,
  testTimeout: 30_000,
};
