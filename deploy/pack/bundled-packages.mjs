// The packages that the server loads when it needs them, each compiled into one file: a twentieth of the files that npm
// would install, and of the same version that was tested.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packagesOf } from '../../backend/build.mjs';
import { BUNDLE, licenseFiles, ROOT, readJson, write } from './stage.mjs';

/** What is required of each package. */
const COMPILED = {
  '@bull-board/api': ['.', './bullMQAdapter'],
  '@bull-board/express': ['.'],
  '@zxcvbn-ts/core': ['.'],
  '@zxcvbn-ts/language-common': ['.'],
  bullmq: ['.'],
  fontkit: ['.'],
  ioredis: ['.'],
  pdfkit: ['.'],
  pg: ['.'],
  'prom-client': ['.'],
  stripe: ['.'],
};

/** Packages whose files are read as they are. */
const COPIED = {
  '@bull-board/ui': ['dist'],
  // beside what is compiled: it opens a font of its own with each document
  pdfkit: ['js/standard-fonts'],
  'dejavu-fonts-ttf': ['ttf/DejaVuSans.ttf', 'ttf/DejaVuSans-Bold.ttf'],
  'swagger-ui-dist': [
    'favicon-32x32.png',
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
  ],
};

/** Not installed, and not needed. */
const OPTIONAL = ['pg-native', 'pg-cloudflare', '@valibot/to-json-schema'];

/**
 * Copies what says whose a package is.
 * @param {string} name
 * @param {string} modules the folder `node_modules` to fill
 * @param {object} exports for its manifest
 * @returns {string} its version
 */
function copyIdentity(name, modules, exports) {
  const path = join('node_modules', name);
  for (const file of licenseFiles(join(ROOT, path))) cpSync(join(ROOT, path, file), join(modules, name, file));
  const { version, description, license, repository, imports } = readJson(join(path, 'package.json'));
  write(
    join(modules, name, 'package.json'),
    `${JSON.stringify({ name, version, description, license, repository, imports, ...exports }, null, 2)}\n`,
  );
  return version;
}

/**
 * An entry point requires its package as the server does, because some have other files for those who import them.
 * Packages that have a file of their own are left to it. @type {import('esbuild').Plugin}
 */
const shareCompiled = {
  name: 'share-compiled',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind, namespace }) => {
      if (kind === 'entry-point') return { path, namespace: 'required' };
      return namespace === 'file' && path in COMPILED ? { path, external: true } : undefined;
    });
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      resolveDir: ROOT,
    }));
  },
};

/** @param {string} entry */
const fileOf = (entry) => (entry === '.' ? 'index' : entry.slice(2));

/**
 * @param {string} modules the folder `node_modules` to fill
 * @returns the version of each package, and the packages that were compiled into them, as paths in the repository
 */
export async function bundlePackages(modules) {
  /** @type {Record<string, string>} */
  const versions = {};
  for (const [name, files] of Object.entries(COPIED)) {
    for (const file of files)
      cpSync(join(ROOT, 'node_modules', name, file), join(modules, name, file), { recursive: true });
    versions[name] = copyIdentity(name, modules, {});
  }
  const entryPoints = Object.entries(COMPILED).flatMap(([name, entries]) =>
    entries.map((entry) => ({ in: join(name, entry), out: join(name, fileOf(entry)) })),
  );
  const { metafile } = await build({
    ...BUNDLE,
    entryPoints,
    outdir: modules,
    external: OPTIONAL,
    plugins: [shareCompiled],
  });
  for (const [name, entries] of Object.entries(COMPILED)) {
    const exports = Object.fromEntries(entries.map((entry) => [entry, `./${fileOf(entry)}.js`]));
    versions[name] = copyIdentity(name, modules, {
      main: 'index.js',
      exports: { ...exports, './package.json': './package.json' },
    });
  }
  return { versions, compiled: packagesOf(Object.keys(metafile.inputs)) };
}
