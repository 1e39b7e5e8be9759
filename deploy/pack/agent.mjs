// npm run --silent pack:agent [-- FOLDER]: makes farmboard-agent-VERSION.tgz, the program beside the printers in one file. It
// needs no other package.
import { join } from 'node:path';
import { build } from 'esbuild';
import { packagesOf } from '../../backend/build.mjs';
import { BUNDLE, commonManifest, pack, ROOT, readJson, thirdPartyLicenses, write } from './stage.mjs';

await pack('deploy/pack/agent.md', async (folder) => {
  const { metafile } = await build({
    ...BUNDLE,
    entryPoints: { 'farmboard-agent': join(ROOT, 'agent/src/command-line.ts') },
    outdir: join(folder, 'dist'),
    outExtension: { '.js': '.cjs' },
    // of ws, which does without
    external: ['bufferutil', 'utf-8-validate'],
  });
  write(
    join(folder, 'bin/farmboard-agent.js'),
    "#!/usr/bin/env node\nimport program from '../dist/farmboard-agent.cjs';\n\nawait program.runCommandLine(process.argv.slice(2));\n",
  );
  write(join(folder, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(packagesOf(Object.keys(metafile.inputs))));
  const manifest = {
    name: 'farmboard-agent',
    description: readJson('agent/package.json').description,
    ...commonManifest(),
    keywords: ['3d-printing', 'print-farm', 'moonraker', 'octoprint', 'prusalink', 'bambu'],
    type: 'module',
    bin: { 'farmboard-agent': 'bin/farmboard-agent.js' },
    files: ['bin', 'dist', 'THIRD-PARTY-LICENSES.txt'],
  };
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
});
