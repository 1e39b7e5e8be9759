// Installs real n8n versions, each with the Node it needs, from the lock files in this folder into a cache folder. Skips
// installed ones and writes nothing outside that folder.
//   node test/kit/n8n-hosts/install.mjs [VERSION…]
// How to add a version: test/n8n/README.md
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync, realpathSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Increase when the steps below change, to invalidate older installations. */
const RECIPE = 1;
const LINES_OF_LOG = 30;
const MAX_INSTALL_MS = 60 * 60 * 1000;

/** @type {Array<{name: string, slug: string, version: string, nodeMajor: number}>} */
export const HOSTS = JSON.parse(readFileSync(join(here, 'hosts.json'), 'utf8'));

export const cacheFolder = () =>
  process.env.FARMBOARD_TEST_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'farmboard');

/**
 * Where an installed n8n is: its start file and the Node that runs it.
 * @param {string} version
 */
export function placeOf(version) {
  const folder = join(cacheFolder(), `n8n-${version}`);
  const bundled = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`);
  return {
    folder,
    n8n: join(folder, 'node_modules', 'n8n', 'bin', 'n8n'),
    node: existsSync(bundled) ? join(bundled, 'bin', 'node') : process.execPath,
    /** Contains the headers as well; undefined if the lock file has no Node for this machine. */
    nodeRoot: existsSync(bundled) ? bundled : undefined,
  };
}

/**
 * Identifies the inputs of an installation: lock file, machine and version of these steps.
 * @param {string} version
 */
async function digestOf(version) {
  const hash = createHash('sha256').update(JSON.stringify([RECIPE, process.platform, process.arch]));
  for (const file of ['package.json', 'package-lock.json'])
    hash.update(await readFile(join(here, `n8n-${version}`, file)));
  return hash.digest('hex');
}

/** @type {(folder: string, digest: string) => Promise<boolean>} */
async function isInstalled(folder, digest) {
  const mark = await readFile(join(folder, '.ok'), 'utf8').catch(() => '');
  return mark === digest;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, log: string, what: string }} options
 * @throws Error with the end of the log
 */
async function run(command, args, { cwd, env, log, what }) {
  const sink = createWriteStream(log, { flags: 'a' });
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(sink, { end: false });
  child.stderr.pipe(sink, { end: false });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  await once(sink.end(), 'close');
  if (code === 0) return;
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  throw new Error(`${what} ended with ${code}. The end of ${log}:\n${lines.slice(-LINES_OF_LOG).join('\n')}`);
}

/**
 * Holds a folder as a lock during the work; the lock of a dead process is taken over.
 * @param {string} folder
 * @param {() => Promise<void>} work
 */
async function withLock(folder, work) {
  for (;;) {
    try {
      await mkdir(folder);
      break;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (await isAbandoned(folder)) {
      // the first to rename it continues; others find it missing
      const taken = `${folder}.${process.pid}`;
      await rename(folder, taken).then(
        () => rm(taken, { recursive: true, force: true }),
        () => undefined,
      );
      continue;
    }
    await pause(500);
  }
  try {
    await writeFile(join(folder, 'pid'), String(process.pid));
    return await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @type {(error: unknown) => string | undefined} */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;

/** @param {string} lock */
async function isAbandoned(lock) {
  const age = Date.now() - (await stat(lock).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
  const holder = Number(await readFile(join(lock, 'pid'), 'utf8').catch(() => 0));
  // a process number of another container says nothing here, but no installation takes this long
  if (age > MAX_INSTALL_MS) return true;
  // a new lock has no number yet
  return holder > 0 ? !isAlive(holder) : age > 10_000;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Source maps are a fifth of n8n's disk space and not needed.
 * @param {string} folder
 */
async function dropSourceMaps(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const maps = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.js.map'));
  for (const map of maps) await rm(join(map.parentPath, map.name));
}

/**
 * @param {string} version one of hosts.json
 * @param {(line: string) => unknown} tell reports slow steps
 * @throws Error that says which step failed, with the end of its log
 */
export async function installHost(version, tell = () => undefined) {
  const digest = await digestOf(version);
  const place = placeOf(version);
  if (await isInstalled(place.folder, digest)) return place;

  const cache = cacheFolder();
  await mkdir(cache, { recursive: true });
  await withLock(join(cache, `n8n-${version}.lock`), async () => {
    if (await isInstalled(place.folder, digest)) return;
    const began = Date.now();
    tell(`installing n8n ${version} into ${place.folder} (some minutes, once)`);
    await rm(place.folder, { recursive: true, force: true });
    await mkdir(place.folder);
    try {
      await install(version, place.folder);
    } finally {
      await rm(npmCacheIn(place.folder), { recursive: true, force: true });
    }
    await writeFile(join(place.folder, '.ok'), digest);
    tell(`n8n ${version} is installed, ${Math.round((Date.now() - began) / 1000)} s`);
  });
  return placeOf(version);
}

/**
 * npm's own cache: half a gigabyte, needed only during the installation.
 * @param {string} folder
 */
const npmCacheIn = (folder) => join(folder, '.npm');

/** @type {(version: string, folder: string) => Promise<void>} */
async function install(version, folder) {
  const log = join(folder, 'install.log');
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(here, `n8n-${version}`, file), join(folder, file));

  const env = {
    ...process.env,
    npm_config_cache: npmCacheIn(folder),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  // no scripts: several download files, which a closed network can't, and only sqlite3's is needed
  const ci = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--engine-strict=false'];
  await run('npm', ci, { cwd: folder, env, log, what: `npm ci of n8n ${version}` });

  const { node, nodeRoot } = placeOf(version);
  const nodeMajor = Number(HOSTS.find((host) => host.version === version)?.nodeMajor);
  const found = Number(process.versions.node.split('.')[0]);
  if (!nodeRoot && found !== nodeMajor)
    throw new Error(
      `n8n ${version} needs Node ${nodeMajor}; for this machine npm brings none, and this is Node ${found}`,
    );

  const rebuildEnv = {
    ...env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    npm_config_build_from_source: 'sqlite3',
    ...(nodeRoot ? { npm_config_nodedir: nodeRoot } : {}),
  };
  // compiled here, because its own script would look for a binary on GitHub first
  if (!(await reuseSqlite(folder, nodeMajor))) {
    const rebuild = ['rebuild', 'sqlite3', '--foreground-scripts', '--ignore-scripts=false'];
    await run('npm', rebuild, {
      cwd: folder,
      env: rebuildEnv,
      log,
      what: 'compiling sqlite3 (it needs python3, make and g++)',
    });
  }
  await run(node, ['-e', "require('sqlite3')"], { cwd: folder, env: rebuildEnv, log, what: 'loading sqlite3' });

  await dropSourceMaps(join(folder, 'node_modules'));
}

const SQLITE_BINARY = join('build', 'Release', 'node_sqlite3.node');

/**
 * Copies the binary compiled for another n8n with the same sqlite3. Through Node-API, a newer Node loads what was
 * compiled for an older one, but not the other way round (what was compiled for Node 24 crashes Node 20).
 * @param {string} folder
 * @param {number} nodeMajor
 * @returns whether there was one
 */
async function reuseSqlite(folder, nodeMajor) {
  /** @param {string} installed */
  const sqliteIn = (installed) => join(installed, 'node_modules', 'sqlite3');
  /** @param {string} installed */
  const versionIn = async (installed) =>
    JSON.parse(await readFile(join(sqliteIn(installed), 'package.json'), 'utf8')).version;
  for (const { version, nodeMajor: major } of HOSTS) {
    const other = placeOf(version).folder;
    if (other === folder || major > nodeMajor || !(await isInstalled(other, await digestOf(version)))) continue;
    if ((await versionIn(other)) !== (await versionIn(folder))) continue;
    const target = join(sqliteIn(folder), SQLITE_BINARY);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(sqliteIn(other), SQLITE_BINARY), target);
    return true;
  }
  return false;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  // the oldest Node first: its binaries also work in newer ones
  const byNode = HOSTS.toSorted((a, b) => a.nodeMajor - b.nodeMajor);
  const versions = asked.length > 0 ? asked : [...new Set(byNode.map(({ version }) => version))];
  for (const version of versions) {
    if (!HOSTS.some((host) => host.version === version))
      throw new Error(`${basename(import.meta.url)}: there is no n8n ${version} in hosts.json`);
    await installHost(version, (line) => process.stdout.write(`${line}\n`));
  }
}
