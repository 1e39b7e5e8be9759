// npm run --silent sbom: writes a software bill of materials of what the server and the agent install in production, in
// CycloneDX, to standard output. `npm sbom --omit dev` alone leaves out every package that a development tool uses as
// well, so npm gets a copy of the lock file without those that only such tools use.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORKSPACES = ['backend', 'agent'];

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
// the n8n package, which is the root, has no dependencies of its own
const forProduction = ({ devDependencies: _, peerDependencies: __, ...manifest }) => manifest;

const lock = readJson('package-lock.json');
const packages = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
lock.packages = Object.fromEntries(
  packages.map(([path, entry]) => [path, path.includes('node_modules/') ? entry : forProduction(entry)]),
);

const temporaryFolder = mkdtempSync(join(tmpdir(), 'farmboard-sbom-'));
try {
  // npm names the product after the folder
  const cwd = join(temporaryFolder, 'farmboard');
  const write = (file, content) => writeFileSync(join(cwd, file), JSON.stringify(content));
  for (const folder of ['', ...WORKSPACES]) {
    mkdirSync(join(cwd, folder), { recursive: true });
    write(join(folder, 'package.json'), forProduction(readJson(join(folder, 'package.json'))));
  }
  write('package-lock.json', lock);
  const only = WORKSPACES.flatMap((name) => ['--workspace', name]);
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  execFileSync('npm', ['sbom', '--package-lock-only', ...format, ...only], { cwd, stdio: 'inherit' });
} finally {
  rmSync(temporaryFolder, { recursive: true });
}
