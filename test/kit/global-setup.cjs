// Builds the service, its console, its documentation and the n8n package once, because suites run what users run and
// parallel suites would each build them.
const { join, resolve } = require('node:path');
const { build } = require('esbuild');

const { enginesThatAnswer } = require('./engines.cjs');
const { makeTemplates } = require('./template.cjs');

const root = resolve(__dirname, '../..');

module.exports = async () => {
  const { buildDocs, buildServer, buildWeb } = await import('../../backend/build.mjs');
  const { buildNodes } = await import('../../nodes/build.mjs');
  const engines = await enginesThatAnswer();
  await buildServer();
  await buildWeb();
  await buildDocs();
  if (engines.n8n) buildNodes();
  // beside the built service, because it finds its packages and files from there
  await build({
    entryPoints: [join(root, 'test/kit/faulty-service.ts'), join(root, 'test/kit/make-template.ts')],
    entryNames: '[name]',
    outdir: join(root, 'backend/dist/testing'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
  await makeTemplates(join(root, 'backend/dist/testing/make-template.js'), engines);
};
