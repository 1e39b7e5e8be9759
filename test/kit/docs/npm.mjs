// Stands in for npm in the blocks of pages, where no registry can be reached: `npm install NAME@VERSION…` takes packages
// that the tests have, if they have that version, and `npm install ./farmboard-VERSION.tgz` takes the built service. Everything
// else is npm's own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OURS = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const [command, ...names] = process.argv.slice(2);
const packages = names.map((name) => /^(@?[^@]+)@([\d.]+)$/.exec(name));

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

const isPacked = names.length === 1 && /^\.\/farmboard-[\d.]+\.tgz$/.test(names[0]) && existsSync(names[0]);
if (command === 'install' && isPacked) {
  link(join(OURS, '../backend/bin/farmboard.js'), 'node_modules/.bin/farmboard');
  process.exit();
}
if (command !== 'install' || names.length === 0 || packages.includes(null)) {
  // without the folder in which this file's own name is npm
  const PATH = process.env.PATH.replace(/^[^:]*:/, '');
  const { status } = spawnSync('npm', process.argv.slice(2), { stdio: 'inherit', env: { ...process.env, PATH } });
  process.exit(status ?? 1);
}
for (const [, name, version] of packages) {
  const { version: ours, bin = {} } = JSON.parse(readFileSync(join(OURS, name, 'package.json'), 'utf8'));
  if (ours !== version) throw new Error(`the page installs ${name} ${version}, and the tests have ${ours}`);
  link(join(OURS, name), join('node_modules', name));
  for (const program of Object.keys(bin)) link(join(OURS, '.bin', program), join('node_modules/.bin', program));
}
