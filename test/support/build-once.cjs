// The suites run what users run, the built service and the built n8n package; building once here keeps parallel suites
// from building them each.
module.exports = async () => {
  const { buildServer } = await import('../../backend/build.mjs');
  const { buildNodes } = await import('../../nodes/build.mjs');
  await buildServer();
  buildNodes();
};
