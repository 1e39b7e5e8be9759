// npm run --silent pack:server [-- FOLDER]: makes farmboard-VERSION.tgz, with the server, its command line and the console
// as built. Its packages are in it, each compiled into one file, except those with native code, which npm installs.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildDocs, buildServer, buildWeb } from '../../backend/build.mjs';
import { bundlePackages } from './bundled-packages.mjs';
import { nativePackages } from './native-packages.mjs';
import { commonManifest, pack, ROOT, readJson, thirdPartyLicenses, write } from './stage.mjs';

/** What else is in the console and the documentation: icons, the typeface, and what the site is made of. */
const IN_PAGES = ['@tabler/icons-react', '@fontsource-variable/inter', 'vitepress', 'vue', 'minisearch'].map(
  (name) => `node_modules/${name}`,
);

/** @param {string} folder of the repository @param {string} target */
function copyBuild(folder, target) {
  const filter = (path) => !path.endsWith('.map') && basename(path) !== '.packages.json';
  cpSync(folder, target, { recursive: true, filter });
}

/** @param {string} path `node_modules/zod` */
const nameOf = (path) => path.replace(/^.*node_modules\//, '');

await pack('deploy/pack/server.md', async (folder) => {
  const server = dirname((await buildServer()).entry);
  await buildWeb();
  await buildDocs();
  const dist = dirname(server);
  const pointers = ['web-current', 'docs-current'];
  const [web, docs] = pointers.map((pointer) => join(dist, readFileSync(join(dist, pointer), 'utf8')));
  for (const build of [server, web, docs]) copyBuild(build, join(folder, 'dist', basename(build)));
  for (const pointer of pointers) cpSync(join(dist, pointer), join(folder, 'dist', pointer));
  for (const path of ['bin', 'build.mjs']) cpSync(join(ROOT, 'backend', path), join(folder, path), { recursive: true });
  cpSync(join(ROOT, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));

  const bundled = await bundlePackages(join(folder, 'node_modules'));
  const compiled = [server, web].flatMap((build) => JSON.parse(readFileSync(join(build, '.packages.json'), 'utf8')));
  write(join(folder, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses([...compiled, ...IN_PAGES, ...bundled.compiled]));

  const packed = [...Object.keys({ ...nativePackages(), ...bundled.versions }), ...compiled.map(nameOf)];
  const missing = Object.keys(readJson('backend/package.json').dependencies).filter((name) => !packed.includes(name));
  if (missing.length > 0) throw new Error(`bundled-packages.mjs says nothing of ${missing.join(', ')}`);

  const manifest = {
    name: 'farmboard',
    description: 'The order book of a 3D-printing farm: orders, printers, filament stock and signed events',
    ...commonManifest(),
    keywords: ['3d-printing', 'print-farm', 'filament', 'webhooks', 'order-management'],
    type: 'module',
    bin: { farmboard: 'bin/farmboard.js' },
    files: readdirSync(folder).filter((name) => name !== 'node_modules'),
    dependencies: { ...nativePackages(), ...bundled.versions },
    bundleDependencies: Object.keys(bundled.versions),
  };
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
});
