// Builds what has changed. Also imported by bin/farmboard.js, so that a source checkout is always current; without
// sources (a published image) there is nothing to build.
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
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const dist = join(here, 'dist');
const bin = join(here, 'bin');

/**
 * Lists the files below a folder in a fixed order.
 * @param {string} folder
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Digest of names and contents, so that touching a file does not cause a build.
 * @param {string[]} files
 */
function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/**
 * Existing builds of one kind.
 * @param {string} kind
 */
const buildsOf = (kind) =>
  existsSync(dist) ? readdirSync(dist).filter((name) => new RegExp(`^${kind}-[0-9a-f]{16}$`).test(name)) : [];

const isMain = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);

/**
 * Runs a program of ours to its end.
 * @param {string[]} args of Node.js
 */
async function runNode(args) {
  // standard output belongs to the command that is run
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Farmboard could not be built (${args.join(' ')})`);
}

const ANNOUNCEMENTS = {
  server: 'Building Farmboard: about a minute, first start only\n',
  web: 'Building the console\n',
  docs: 'Building the documentation\n',
};

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Writes the output of `make` to dist/<kind>-<digest>/, unless that build exists.
 * A build never changes after its rename: processes of an older build keep their files, a starting process never sees a
 * partial one, and concurrent builds produce the same result.
 * @param {object} options
 * @param {'server' | 'web' | 'docs'} options.kind
 * @param {string[]} options.sources files whose content determines the build
 * @param {number} options.keepDays how long an older build may still be in use
 * @param {(folder: string) => Promise<void>} options.make
 * @returns {Promise<{ name: string, built: boolean }>} the folder below dist/, and whether anything was built
 */
async function buildOnce({ kind, sources, keepDays, make }) {
  const name = `${kind}-${digest([...sources, join(here, 'build.mjs'), join(here, 'package.json')]).slice(0, 16)}`;
  const target = join(dist, name);
  if (existsSync(target)) return { name, built: false };
  if (!isMain) {
    process.stderr.write(ANNOUNCEMENTS[kind]);
    // in a child process, so that a service that builds at its first start does not keep the compilers' memory
    await runNode([fileURLToPath(import.meta.url), kind]);
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
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const isInUse = madeAt > Date.now() - keepDays * DAY_MS;
    if (old !== name && !isInUse) rmSync(path, { recursive: true, force: true });
  }
  return { name, built: true };
}

/**
 * Not bundled into the server, whose startup takes two thirds of the time when the rest is: native code, files read
 * beside the code, packages loaded on demand, and optional drivers of Knex.
 */
const EXTERNAL = [
  ...['sqlite3', 'pg', '@node-rs/argon2', 'pdfkit', 'fontkit', 'dejavu-fonts-ttf', 'swagger-ui-dist', '@bull-board/*'],
  ...['bullmq', 'ioredis', 'stripe', 'prom-client', '@zxcvbn-ts/*', 'esbuild', 'vite'],
  ...['better-sqlite3', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'pg-native', 'pg-query-stream', 'tedious'],
];

/** In a CommonJS module, what `import.meta.url` is in an ES module. */
const BUNDLE_URL = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

/**
 * The packages that files belong to, as paths in the repository.
 * @param {string[]} files
 */
export function packagesOf(files) {
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(found.map((path) => path.slice(path.indexOf('node_modules/'))))].sort();
}

/**
 * Writes which packages were compiled into a build, because their licenses must go with them.
 * @param {string} folder of the build
 * @param {string[]} inputs files, of packages and others
 */
function writePackages(folder, inputs) {
  writeFileSync(join(folder, '.packages.json'), `${JSON.stringify(packagesOf(inputs), null, 2)}\n`);
}

/** Options of V8 that the launcher starts Node.js with, from its first line. */
const v8Options = () => readFileSync(join(bin, 'farmboard.js'), 'utf8').split('\n', 1).join().split(' ').slice(3);

/**
 * Bundles src/ into dist/server-<digest>/.
 * @returns {Promise<{ entry: string, built: boolean }>} the module to run, and whether anything was built
 */
export async function buildServer() {
  const src = join(here, 'src');
  const agent = join(root, 'agent/src');
  if (!existsSync(src)) {
    const [shipped] = buildsOf('server');
    if (!shipped) throw new Error("Farmboard isn't built: found neither src/ nor dist/server-*");
    return { entry: join(dist, shipped, 'cli.cjs'), built: false };
  }
  const { name, built } = await buildOnce({
    kind: 'server',
    sources: [
      ...[src, join(root, 'common/src'), agent, bin].flatMap(filesBelow).filter((file) => !file.endsWith('.test.ts')),
      // its version
      join(root, 'package.json'),
    ],
    // longer than any process takes to load an older build
    keepDays: 1,
    async make(outdir) {
      const { build } = await import('esbuild');
      /** @type {import('esbuild').BuildOptions} */
      const common = {
        outdir,
        outExtension: { '.js': '.cjs' },
        bundle: true,
        external: EXTERNAL,
        metafile: true,
        platform: 'node',
        format: 'cjs',
        target: 'node20',
        jsx: 'automatic',
        sourcemap: 'linked',
        logLevel: 'warning',
      };
      const pdfWorker = await build({
        ...common,
        entryPoints: [join(src, 'invoices/pdf-worker.ts')],
        define: { 'import.meta.url': 'bundleUrl' },
        banner: { js: BUNDLE_URL },
      });
      // the command `agent` loads it, with the simulated farm that it watches
      const agentProgram = await build({
        ...common,
        stdin: { contents: "export * from './run.ts'; export * from './simulation/run.ts';", resolveDir: agent },
        outdir: undefined,
        outfile: join(outdir, 'agent.cjs'),
      });
      // the program of a simulated farm
      writeFileSync(join(outdir, 'simulation.cjs'), "require('./agent.cjs').runSimulation();\n");
      // V8 keeps compiled code only of scripts, not of ES modules
      const cli = await build({
        ...common,
        entryPoints: { cli: join(src, 'cli/main.ts') },
        define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': 'bundleUrl' },
        // bin/bundle.js calls the bundle with these
        banner: {
          js: `(function (exports, require, module, __filename) { ${BUNDLE_URL}`,
        },
        footer: { js: '})' },
        supported: { 'dynamic-import': false },
      });
      const parts = [pdfWorker, agentProgram, cli];
      writePackages(
        outdir,
        parts.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {})),
      );
      await runNode([...v8Options(), join(bin, 'bundle.js'), join(outdir, 'cli.cjs')]);
    },
  });
  return { entry: join(dist, name, 'cli.cjs'), built };
}

/**
 * Moves stylesheets behind the static placeholder, so that browsers paint it without waiting for them.
 * @param {string} html
 */
function putStylesAfterSketch(html) {
  /** @type {string[]} */
  const styles = html.match(/<link rel="stylesheet"[^>]*>/g) ?? [];
  const body = styles.reduce((rest, link) => rest.replace(link, ''), html);
  return body.replace('<div id="root">', `${styles.join('')}<div id="root">`);
}

/**
 * Writes compressed variants of text files, served by http/assets.ts.
 * @param {string} folder
 */
async function compressAssets(folder) {
  const texts = filesBelow(folder).filter((file) => /\.(js|css|svg)$/.test(file));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  /** @param {string} file */
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
 * Builds the console from web/ into dist/web-<digest>/ and writes the folder's name to dist/web-current, which the
 * service reads at startup (http/web.ts).
 * @returns {Promise<boolean>} whether anything was built
 */
export async function buildWeb() {
  const web = join(here, 'web');
  if (!existsSync(web)) return false;
  const { name, built } = await buildOnce({
    kind: 'web',
    sources: filesBelow(web).filter((file) => !file.endsWith('.test.ts')),
    // a running service serves the build it started with
    keepDays: 30,
    async make(outDir) {
      const { build } = await import('vite');
      /** @type {string[]} */
      const inputs = [];
      await build({
        root: web,
        // loading a config file would write into node_modules
        configFile: false,
        base: '/console/',
        plugins: [
          { name: 'styles-after-sketch', transformIndexHtml: { order: 'post', handler: putStylesAfterSketch } },
          {
            name: 'list-packages',
            buildEnd() {
              inputs.push(...this.getModuleIds());
            },
          },
        ],
        logLevel: 'warn',
        esbuild: { jsx: 'automatic', jsxDev: false },
        // otherwise Vite would use the NODE_ENV of a test run, and the build would differ
        define: { 'process.env.NODE_ENV': '"production"' },
        // the content security policy forbids data: URLs in styles and scripts, so nothing is inlined
        build: {
          outDir,
          emptyOutDir: true,
          assetsInlineLimit: 0,
          // the styles of single pages are small, and Vite would not ask again for one that could not be had
          cssCodeSplit: false,
          modulePreload: { polyfill: false },
          chunkSizeWarningLimit: 1024,
          rollupOptions: {
            // 'use client' only matters to servers that render React
            onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
          },
        },
      });
      await compressAssets(join(outDir, 'assets'));
      writePackages(outDir, inputs);
    },
  });
  pointTo('web', name);
  return built;
}

/**
 * Writes the name of the newest build where a starting service looks for it.
 * @param {'web' | 'docs'} kind
 * @param {string} name
 */
function pointTo(kind, name) {
  const pointer = join(dist, `${kind}-current`);
  if (existsSync(pointer) && readFileSync(pointer, 'utf8') === name) return;
  const aside = `${pointer}.${process.pid}`;
  writeFileSync(aside, name);
  renameSync(aside, pointer);
}

/** Whether the workspace with the tools of the documentation is installed, which running the service doesn't need. */
function hasDocsTools() {
  try {
    import.meta.resolve('vitepress');
    return existsSync(join(root, 'docs/build.mjs'));
  } catch {
    return false;
  }
}

/**
 * Builds the documentation from docs/ into dist/docs-<digest>/ and writes the folder's name to dist/docs-current, which
 * the service reads at startup (http/docs.ts).
 * @returns {Promise<boolean>} whether anything was built
 */
export async function buildDocs() {
  const docs = join(root, 'docs');
  const { name, built } = await buildOnce({
    kind: 'docs',
    sources: filesBelow(docs).filter((file) => !/\.vitepress\/(cache|\.temp)\//.test(file)),
    keepDays: 30,
    async make(outDir) {
      const { buildSite } = await import(pathToFileURL(join(docs, 'build.mjs')).href);
      await buildSite(outDir, '/docs/');
      await compressAssets(join(outDir, 'assets'));
    },
  });
  pointTo('docs', name);
  return built;
}

if (isMain) {
  /** @type {(what: string, built: boolean) => unknown} */
  const say = (what, built) => process.stdout.write(`${what}: ${built ? 'built' : 'up to date'}\n`);
  const [, , only] = process.argv;
  if (only === undefined || only === 'server') say('backend', (await buildServer()).built);
  if (only === undefined || only === 'web') say('console', await buildWeb());
  if (only === 'docs' || (only === undefined && hasDocsTools())) say('documentation', await buildDocs());
}
