// Builds what changed and nothing else. Also imported by bin/farmboard.js, so that a source checkout is always current;
// where src/ is absent (a shipped image) there is nothing to do.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');

/** Every file below a folder, in a fixed order. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** A digest of names and contents: a touched file with the same content builds nothing. */
function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(relative(here, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/**
 * Compiles src/ to dist/server-<digest>/ unless that build is there already.
 * A build never changes once it has its name: a process that runs an older one keeps its files, a process that starts
 * never sees half of one, and two that build at once make the same thing.
 * @returns {Promise<{ entry: string, built: boolean }>} the module to run, and whether anything was built
 */
export async function buildServer() {
  const src = join(here, 'src');
  const builds = () => (existsSync(dist) ? readdirSync(dist).filter((name) => name.startsWith('server-')) : []);
  if (!existsSync(src)) {
    const [shipped] = builds();
    if (!shipped) throw new Error('Farmboard is not built: neither src/ nor dist/server-* is here');
    return { entry: join(dist, shipped, 'cli.js'), built: false };
  }

  const sources = filesBelow(src).filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'));
  const name = `server-${digest([...sources, join(here, 'build.mjs'), join(here, 'package.json')]).slice(0, 16)}`;
  const target = join(dist, name);
  const entry = join(target, 'cli.js');
  if (existsSync(entry)) return { entry, built: false };

  const { build } = await import('esbuild');
  const aside = join(dist, `.making-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  await build({
    entryPoints: { cli: join(src, 'cli.ts') },
    outdir: aside,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
  try {
    renameSync(aside, target);
  } catch (error) {
    if (!existsSync(entry)) throw error;
    rmSync(aside, { recursive: true, force: true });
  }
  // A day is longer than any process needs to finish loading an older build.
  const dayAgo = Date.now() - 24 * 60 * 60 * 1000;
  for (const old of builds()) {
    const path = join(dist, old);
    if (old !== name && statSync(path).mtimeMs < dayAgo) rmSync(path, { recursive: true, force: true });
  }
  return { entry, built: true };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { built } = await buildServer();
  process.stdout.write(built ? 'backend: built\n' : 'backend: up to date\n');
}
