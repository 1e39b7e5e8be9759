// The suites start the built service as a user would; building once here keeps parallel suites from building it each.
module.exports = async () => {
  const { buildServer } = await import('../../backend/build.mjs');
  await buildServer();
};
