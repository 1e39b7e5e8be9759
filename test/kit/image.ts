import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
export const isRoot = process.getuid?.() === 0;

interface Lock {
  packages: Record<string, { workspaces?: string[] }>;
}

export interface Instruction {
  name: string;
  text: string;
}

/** The instructions of the Dockerfile in order, continued lines joined. */
export function readDockerfile(text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')): Instruction[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line) as unknown as [string, string, string];
      return { name: name.toUpperCase(), text: rest };
    });
}

/**
 * Whether .dockerignore excludes a path from the build: the last pattern that matches it or a folder above it decides.
 */
export function createIgnore(text = readFileSync(join(ROOT, '.dockerignore'), 'utf8')): (path: string) => boolean {
  const patterns = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const keeps = line.startsWith('!');
      const glob = (keeps ? line.slice(1) : line)
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(.*/)?'));
      return { keeps, fits: new RegExp(`^${glob}(/|$)`) };
    });
  return (path) => patterns.findLast(({ fits }) => fits.test(path))?.keeps === false;
}

const USER = { uid: 1000, gid: 1000 };

const canRun = (user: typeof USER): boolean =>
  spawnSync(process.execPath, ['--version'], { ...user, cwd: '/' }).status === 0;

export type Image = ReturnType<typeof assembleImage>;

/** Where the current builds are, found by a digest of their sources. */
function builds(): string[] {
  const script = "process.stdout.write((await (await import('./backend/build.mjs')).buildServer()).entry)";
  const entry = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' });
  const pages = ['web', 'docs'].map((kind) => readFileSync(join(ROOT, `backend/dist/${kind}-current`), 'utf8'));
  return [relative(ROOT, dirname(entry)), ...pages.map((name) => `backend/dist/${name}`), 'dist'];
}

/** Copies, because the files of the image are made read-only. */
function copyBuild(path: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  execFileSync('cp', ['-a', join(ROOT, path), target]);
}

/** COPY, from the checkout or from another stage. */
function copy(text: string, inside: (path: string) => string, stages: Map<string, string>): void {
  const isIgnored = createIgnore();
  const words = text.split(/\s+/);
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() as string;
  for (const word of words) {
    const source = from === undefined ? join(ROOT, word) : join(stages.get(from) as string, word);
    const into = target.endsWith('/') ? join(target, word.split('/').at(-1) as string) : target;
    const filter = (path: string) => from !== undefined || !isIgnored(relative(ROOT, path));
    if (!existsSync(source) || !filter(source)) throw new Error(`COPY ${word}: the build context doesn't contain it`);
    mkdirSync(dirname(inside(into)), { recursive: true });
    // links suffice between stages, because nothing writes to the files any more
    if (from !== undefined) execFileSync('cp', ['-alT', source, inside(into)]);
    else cpSync(source, inside(into), { recursive: true, filter });
  }
}

/** What `npm ci` would install by the lock file of this folder, taken from the modules installed here. */
function install(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock;
  const target = join(folder, 'node_modules');
  if (packages['']?.workspaces) {
    symlinkSync(MODULES, target);
    return;
  }
  const names = Object.keys(packages).map((path) => path.replace(/^node_modules\/?/, ''));
  // without those of other platforms
  const installed = names.filter((name) => !/^$|\/node_modules\//.test(name) && existsSync(join(MODULES, name)));
  mkdirSync(target);
  execFileSync('cp', ['-a', '--parents', ...installed, target], { cwd: MODULES });
}

interface Paths {
  /** A path of the image, as a path in the folder. */
  inside: (path: string) => string;
  /** The same for all paths in a text. */
  insideAll: (text: string) => string;
}

/** RUN, without downloads. */
function run(text: string, { inside, insideAll }: Paths, isBuilt: boolean): void {
  const command = isRoot ? text : text.replace(/chown \S+ [^&]+/, 'true ');
  if (isBuilt && text.includes('build.mjs')) for (const path of builds()) copyBuild(path, inside(path));
  if (text.startsWith('npm ci')) install(inside('/app'));
  else if (!text.startsWith('apt-get'))
    execFileSync('sh', ['-ec', insideAll(command)], { cwd: inside('/app'), stdio: 'pipe' });
}

const parseEnv = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, key, value]) => [key as string, value as string]));

/** @returns the root of the stage */
function startStage(folder: string, stage: string): string {
  const root = join(folder, stage);
  for (const path of ['app', 'usr/local/bin']) mkdirSync(join(root, path), { recursive: true });
  return root;
}

/**
 * Carries out the Dockerfile in a temporary folder, instruction by instruction, without a container engine: the same
 * copies under the same .dockerignore, the same commands in the same order. Downloads are replaced: `apt-get` is left
 * out, and `npm ci` takes the modules installed here that npm itself lists for the same flags.
 * @param options `isBuilt`: the build stage finds an existing build of the same sources and builds only what differs
 */
export function assembleImage({ isBuilt = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-image-'));
  chmodSync(folder, 0o755);
  const stages = new Map<string, string>();
  const env: Record<string, string> = {};
  const last: Record<string, string> = {};
  let root = '';

  const inside = (path: string): string => join(root, path.startsWith('/') ? path : join('/app', path));
  const insideAll = (text: string): string =>
    text.replace(/(?<![\w.-])\/(?=(app|data|backups|n8n|usr\/local\/bin)\b)/g, () => `${root}/`);

  for (const { name, text } of readDockerfile()) {
    if (name === 'FROM') {
      const stage = / AS (\w+)$/.exec(text)?.[1] ?? 'final';
      root = startStage(folder, stage);
      stages.set(stage, root);
    } else if (name === 'COPY') copy(text, inside, stages);
    else if (name === 'RUN') run(text, { inside, insideAll }, isBuilt);
    else if (name === 'ENV') Object.assign(env, parseEnv(text));
    else last[name] = text;
  }
  // only mounted volumes are writable
  execFileSync('chmod', ['-R', 'a-w,a+rX', root]);
  for (const volume of ['data', 'backups', 'n8n']) chmodSync(join(root, volume), 0o700);

  return {
    root,
    /** Replaces the paths of the image in a text by those in the folder. */
    place: insideAll,
    /** The last USER, CMD and so on. */
    last,
    /** The environment of a container's process: ENV and what the caller sets. */
    environment: (more: Record<string, string> = {}): Record<string, string> => ({
      PATH: `${root}/usr/local/bin:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, insideAll(value)])),
      ...more,
    }),
    /** For `spawn`: as the image's user where that is allowed and Node.js isn't in root's home. */
    options: { cwd: join(root, 'app'), ...(isRoot && canRun(USER) ? USER : {}) },
    remove(): void {
      execFileSync('chmod', ['-R', 'u+w', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
