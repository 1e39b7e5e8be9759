/** How Jest compiles TypeScript, in every configuration. */
const read = (parser) => [
  '@swc/jest',
  {
    jsc: { target: 'es2022', parser, transform: { react: { runtime: 'automatic' } } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

exports.transform = {
  '^.+\\.[cm]?ts$': read({ syntax: 'typescript' }),
  '^.+\\.tsx$': read({ syntax: 'typescript', tsx: true }),
};
