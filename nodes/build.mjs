// Compiles the n8n package (nodes/ and credentials/) to dist/ and copies its icons. Skipped if nothing has changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const ROOMS = ['nodes', 'credentials'];

/** @param {string} folder */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

function digest() {
  const hash = createHash('sha256');
  const files = [...ROOMS.flatMap((room) => filesBelow(join(root, room))), join(root, 'tsconfig.json')];
  for (const file of files) hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** @returns {boolean} whether anything was built */
export function buildNodes() {
  const mark = join(dist, 'nodes.digest');
  const wanted = digest();
  const isBuilt = ROOMS.every((room) => existsSync(join(dist, room)));
  if (isBuilt && existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return false;

  const aside = join(dist, `.making-nodes-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', root, '--outDir', aside], { stdio: 'inherit' });
  for (const file of ROOMS.flatMap((room) => filesBelow(join(root, room)))) {
    if (file.endsWith('.svg')) cpSync(file, join(aside, relative(root, file)));
  }
  rmSync(mark, { force: true });
  for (const room of ROOMS) {
    rmSync(join(dist, room), { recursive: true, force: true });
    renameSync(join(aside, room), join(dist, room));
  }
  rmSync(aside, { recursive: true, force: true });
  writeFileSync(mark, wanted);
  return true;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.stdout.write(buildNodes() ? 'nodes: built\n' : 'nodes: up to date\n');
}
