// Tools with hundreds of packages, which would slow down every other installation, are installed in folders of their own.
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Variables of an outer `npm run` would direct an inner npm to the outer package. */
export function plainEnvironment() {
  const kept = /^npm_config_(registry|userconfig|globalconfig|cafile|ca|proxy|https_proxy|noproxy|strict_ssl)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)));
}

/**
 * Runs a command to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, seconds: number }} options
 * @returns {{ status: number, output: string, stdout: string }} the status is 1 if the command was killed or doesn't
 * exist
 */
export function run(command, args, { cwd, seconds }) {
  const result = spawnSync(command, args, {
    cwd,
    env: plainEnvironment(),
    encoding: 'utf8',
    timeout: seconds * 1000,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { stdout = '', stderr = '' } = result;
  return {
    status: result.status ?? 1,
    stdout,
    output: `${stdout}${stderr}${result.error ? result.error.message : ''}`,
  };
}

/** Where tests keep what is slow to create: FARMBOARD_TEST_CACHE, else the user's cache folder. */
export function cacheFolder() {
  return process.env.FARMBOARD_TEST_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'farmboard');
}

/**
 * Installs tools unless those of this lock file are installed. Parallel installations use separate folders, and the
 * first to rename its own to the final name wins.
 * @param {string} name of the tools, and of their folder in the cache
 * @param {string} here the folder with the files that describe them
 * @param {string[]} manifest these files
 * @returns {string} the folder that contains node_modules
 */
export function installTools(name, here, manifest = ['package.json', 'package-lock.json']) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of manifest) hash.update(`\0${file}\0`).update(readFileSync(join(here, file)));
  const folder = join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`);
  const ready = () => existsSync(join(folder, '.ok'));
  if (ready()) return folder;

  const fresh = `${folder}.${randomUUID()}`;
  try {
    mkdirSync(fresh, { recursive: true });
    for (const file of manifest) cpSync(join(here, file), join(fresh, file));
    const npmCache = join(fresh, 'npm-cache');
    const flags = ['--ignore-scripts', '--legacy-peer-deps', '--include=dev', '--no-audit', '--no-fund'];
    const { status, output } = run('npm', ['ci', ...flags, '--cache', npmCache], { cwd: fresh, seconds: 600 });
    if (status !== 0) throw new Error(`npm ci of ${name} ended with ${status}\n${output}`);
    rmSync(npmCache, { recursive: true, force: true });
    writeFileSync(join(fresh, '.ok'), '');
    if (!ready()) {
      rmSync(folder, { recursive: true, force: true });
      try {
        renameSync(fresh, folder);
      } catch (error) {
        if (!ready()) throw error;
      }
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
