/** How Jest reads TypeScript, in every configuration. */
exports.transform = {
  '^.+\\.[cm]?ts$': [
    '@swc/jest',
    {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    },
  ],
};
