// node deploy/pack/native-packages.mjs FOLDER: writes a package.json and a package-lock.json with what npm installs beside
// the packed server, in the versions of our lock file. The image installs them with `npm ci`, so that it is the same each
// time it is built.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJson, write } from './stage.mjs';

/** They have native code, or depend on the platform. */
const NATIVE = ['sqlite3', '@node-rs/argon2'];

/** Where the lock file has a package that another one requires. */
function find(packages, from, name) {
  for (let path = from; ; path = path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1))) {
    const found = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
    if (found in packages) return found;
    if (path === '') return undefined;
  }
}

/** @returns {Record<string, string>} the version of each */
export function nativePackages() {
  const { dependencies } = readJson('backend/package.json');
  return Object.fromEntries(NATIVE.map((name) => [name, dependencies[name]]));
}

/** A lock file for these packages and all that they require. */
function lockFile() {
  const { packages } = readJson('package-lock.json');
  /** @type {Record<string, object>} */
  const taken = {};
  const queue = NATIVE.map((name) => `node_modules/${name}`);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (path in taken) continue;
    const { dev: _, devOptional: __, peer: ___, ...entry } = packages[path];
    taken[path] = entry;
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      const found = find(packages, path, name);
      if (found !== undefined) queue.push(found);
    }
  }
  const sorted = Object.fromEntries(Object.entries(taken).sort());
  return { lockfileVersion: 3, requires: true, packages: { '': { dependencies: nativePackages() }, ...sorted } };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = process.argv[2] ?? '.';
  const manifest = { private: true, dependencies: nativePackages() };
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  write(join(folder, 'package-lock.json'), `${JSON.stringify(lockFile(), null, 2)}\n`);
}
