// Compiles src/, with what it takes from common/, to dist/farmboard-agent.js. Packages stay outside.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

await build({
  entryPoints: [path('src/command-line.ts')],
  outfile: path('dist/farmboard-agent.js'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
