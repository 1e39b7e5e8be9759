// Packs the n8n package as npm publishes it: npm run pack:n8n [-- FOLDER]. The last line is the path of the file.
//
// The manifest in the root belongs to this package, because n8n's tools look for it there, and to the whole repository. What
// is published is staged in a folder of its own: without scripts, workspaces and development dependencies, and with the
// README and changelog of the package rather than those of the repository. The sources are beside it for n8n's linter.
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packFolder } from '../deploy/pack/stage.mjs';

const SOURCES = ['nodes', 'credentials', 'tsconfig.json', 'eslint.config.mjs'];
const PUBLISHED = ['dist/nodes', 'dist/credentials', 'LICENSE'];
const NOT_PUBLISHED = ['scripts', 'workspaces', 'devDependencies'];

/**
 * Stages the package in a folder, which must not exist.
 * @param {{ root: string, folder: string }} paths the repository, with built nodes, and the folder
 */
export function stage({ root, folder }) {
  mkdirSync(folder, { recursive: true });
  for (const name of [...SOURCES, ...PUBLISHED]) {
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => basename(path) === 'eslint.config.mjs' || !/\.(mjs|md)$/.test(path),
    });
  }
  for (const name of ['README.md', 'CHANGELOG.md']) cpSync(join(root, 'nodes', name), join(folder, name));
  const manifest = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const published = Object.fromEntries(manifest.filter(([field]) => !NOT_PUBLISHED.includes(field)));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

function main() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const [destination = join(root, 'dist')] = parseArgs({ allowPositionals: true }).positionals;
  const staged = join(root, 'dist/n8n-package');
  rmSync(staged, { recursive: true, force: true });
  stage({ root, folder: staged });
  packFolder(staged, resolve(destination));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
