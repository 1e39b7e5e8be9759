// Builds what changed and nothing else. Also imported by bin/farmboard.js, so that a source checkout is always current;
// where the sources are absent (a shipped image) there is nothing to do.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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

/** The builds of one kind that are there. */
const buildsOf = (kind) =>
  existsSync(dist) ? readdirSync(dist).filter((name) => new RegExp(`^${kind}-[0-9a-f]{16}$`).test(name)) : [];

const isMain = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);

/** The memory that compilers take is given back when their process ends: a service that builds at its first start keeps none of it. */
async function buildInChild(kind) {
  // nothing on standard output, which belongs to the command that is run
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), kind], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Farmboard could not be built (${kind})`);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Puts what `make` writes at dist/<kind>-<digest>/ unless that build is there already.
 * A build never changes once it has its name: a process that runs an older one keeps its files, a process that starts
 * never sees half of one, and two that build at once make the same thing.
 * @param sources what it is made from: with other content it is another build
 * @param keepDays how long an older build may still be in use
 * @returns {Promise<{ name: string, built: boolean }>} the folder below dist/, and whether anything was built
 */
async function buildOnce({ kind, sources, keepDays, make }) {
  const name = `${kind}-${digest([...sources, join(here, 'build.mjs'), join(here, 'package.json')]).slice(0, 16)}`;
  const target = join(dist, name);
  if (existsSync(target)) return { name, built: false };
  if (!isMain) {
    await buildInChild(kind);
    return { name, built: true };
  }

  const aside = join(dist, `.making-${kind}-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  await make(aside);
  try {
    renameSync(aside, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    rmSync(aside, { recursive: true, force: true });
  }
  for (const old of buildsOf(kind)) {
    const path = join(dist, old);
    const isInUse = statSync(path, { throwIfNoEntry: false })?.mtimeMs > Date.now() - keepDays * DAY_MS;
    if (old !== name && !isInUse) rmSync(path, { recursive: true, force: true });
  }
  return { name, built: true };
}

/**
 * What is not compiled into the server, which starts in two thirds of the time with the rest inside: native code, files that
 * are read beside the code, what is loaded only where it is used, and drivers that Knex would take if they were installed.
 */
const EXTERNAL = [
  ...['sqlite3', 'pg', '@node-rs/argon2', 'pdfkit', 'dejavu-fonts-ttf', 'swagger-ui-dist', '@bull-board/*'],
  ...['bullmq', 'ioredis', 'stripe', 'prom-client', 'esbuild', 'vite'],
  ...['better-sqlite3', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'tedious'],
];
const REQUIRE =
  "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);";

/**
 * Compiles src/ to dist/server-<digest>/.
 * @returns {Promise<{ entry: string, built: boolean }>} the module to run, and whether anything was built
 */
export async function buildServer() {
  const src = join(here, 'src');
  if (!existsSync(src)) {
    const [shipped] = buildsOf('server');
    if (!shipped) throw new Error("Farmboard isn't built: found neither src/ nor dist/server-*");
    return { entry: join(dist, shipped, 'cli.js'), built: false };
  }
  const { name, built } = await buildOnce({
    kind: 'server',
    sources: filesBelow(src).filter((file) => !file.endsWith('.test.ts')),
    // longer than any process needs to finish loading an older build
    keepDays: 1,
    async make(outdir) {
      const { build } = await import('esbuild');
      await build({
        entryPoints: { cli: join(src, 'cli.ts') },
        outdir,
        bundle: true,
        splitting: true,
        external: EXTERNAL,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        jsx: 'automatic',
        define: { 'process.env.NODE_ENV': '"production"' },
        // packages that are CommonJS ask for Node's own modules by it
        banner: { js: REQUIRE },
        sourcemap: 'linked',
        logLevel: 'warning',
      });
    },
  });
  return { entry: join(dist, name, 'cli.js'), built };
}

/** What the page shows until its script runs is drawn at once: styles in the head would be waited for. */
function putStylesAfterSketch(html) {
  const styles = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
  const body = styles.reduce((rest, link) => rest.replace(link, ''), html);
  return body.replace('<div id="root">', `${styles.join('')}<div id="root">`);
}

/** Beside each text file of the console, what browsers are sent in its place (http/web.ts). */
async function compressAssets(folder) {
  const texts = filesBelow(folder).filter((file) => /\.(js|css|svg)$/.test(file));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const compress = async (file) => {
    const content = readFileSync(file);
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(content, quality),
      promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
    ]);
    writeFileSync(`${file}.br`, br);
    writeFileSync(`${file}.gz`, gz);
  };
  await Promise.all(texts.map(compress));
}

/**
 * Builds the console from web/ to dist/web-<digest>/ and names that folder in dist/web-current, where the service looks
 * when it starts (http/web.ts).
 * @returns {Promise<boolean>} whether anything was built
 */
export async function buildWeb() {
  const web = join(here, 'web');
  if (!existsSync(web)) return false;
  const { name, built } = await buildOnce({
    kind: 'web',
    sources: filesBelow(web).filter((file) => !file.endsWith('.test.ts')),
    // a service that was started with an older one answers from its files for as long as it runs
    keepDays: 30,
    async make(outDir) {
      const { build } = await import('vite');
      await build({
        root: web,
        // no file: loading one would write into node_modules
        configFile: false,
        base: '/console/',
        plugins: [
          { name: 'styles-after-sketch', transformIndexHtml: { order: 'post', handler: putStylesAfterSketch } },
        ],
        logLevel: 'warn',
        esbuild: { jsx: 'automatic', jsxDev: false },
        // the same build wherever it is made: Vite would heed the NODE_ENV of a test run
        define: { 'process.env.NODE_ENV': '"production"' },
        // a data: address in a style or a script is what the policy of the pages forbids
        build: {
          outDir,
          emptyOutDir: true,
          assetsInlineLimit: 0,
          // the styles of single pages are small, and Vite would not ask again for one that could not be had
          cssCodeSplit: false,
          modulePreload: { polyfill: false },
          chunkSizeWarningLimit: 1024,
          rollupOptions: {
            // 'use client' means something to servers that render React; this is none
            onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
          },
        },
      });
      await compressAssets(join(outDir, 'assets'));
    },
  });
  const pointer = join(dist, 'web-current');
  if (!existsSync(pointer) || readFileSync(pointer, 'utf8') !== name) {
    const aside = `${pointer}.${process.pid}`;
    writeFileSync(aside, name);
    renameSync(aside, pointer);
  }
  return built;
}

if (isMain) {
  const say = (what, built) => process.stdout.write(`${what}: ${built ? 'built' : 'up to date'}\n`);
  if (process.argv[2] !== 'web') say('backend', (await buildServer()).built);
  if (process.argv[2] !== 'server') say('console', await buildWeb());
}
