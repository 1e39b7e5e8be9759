import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD } from '../kit/console-client.ts';
import { HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import { ROOT } from '../kit/image.ts';
import { IS_LONG } from '../kit/length.ts';
import { issueInvoice, openSeller } from '../kit/payments.ts';
import { freePort } from '../kit/ports.ts';
import { createNewDataFolder, startService } from '../kit/service.ts';

// What somebody has who installs the packed files in an empty folder.

/** Of sqlite3's installation, which downloads its binary or compiles it. */
const OF_SQLITE = [
  ...['@isaacs/fs-minipass', 'abbrev', 'base64-js', 'bindings', 'bl', 'buffer', 'chownr', 'decompress-response'],
  ...['deep-extend', 'detect-libc', 'end-of-stream', 'env-paths', 'expand-template', 'exponential-backoff', 'fdir'],
  ...['file-uri-to-path', 'fs-constants', 'github-from-package', 'graceful-fs', 'ieee754', 'inherits', 'ini', 'isexe'],
  ...['mimic-response', 'minimist', 'minipass', 'minizlib', 'mkdirp-classic', 'napi-build-utils', 'node-abi'],
  ...['node-addon-api', 'node-gyp', 'nopt', 'once', 'picomatch', 'prebuild-install', 'proc-log', 'pump', 'rc'],
  ...['readable-stream', 'safe-buffer', 'semver', 'simple-concat', 'simple-get', 'string_decoder'],
  ...['strip-json-comments', 'tar', 'tar-fs', 'tar-stream', 'tinyglobby', 'tunnel-agent', 'undici', 'util-deprecate'],
  ...['which', 'wrappy', 'yallist'],
];
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const INSTALLED = ['farmboard', 'sqlite3', '@node-rs/argon2', ...OF_SQLITE];
const BUNDLED = [
  ...['@bull-board/api', '@bull-board/express', '@bull-board/ui', '@zxcvbn-ts/core', '@zxcvbn-ts/language-common'],
  ...['bullmq', 'dejavu-fonts-ttf', 'fontkit', 'ioredis', 'pdfkit', 'pg', 'prom-client', 'stripe', 'swagger-ui-dist'],
];

/** Not what the npm that runs the tests tells its scripts. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|REDIS_URL$)/i.test(name)),
);

const run = (cwd: string, command: string, args: string[]): string =>
  execFileSync(command, args, { cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** @returns the path of the file */
function pack(script: string, folder: string): string {
  const file = run(ROOT, 'npm', ['run', '--silent', script, '--', folder]).trimEnd().split('\n').at(-1) as string;
  expect(file).toBe(join(folder, `${script === 'pack:agent' ? 'farmboard-agent' : 'farmboard'}-${VERSION}.tgz`));
  return file;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const megabytes = (folder: string): number =>
  filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;

/** @returns the names of the packages that npm has installed, without those of one platform, and which came in the file */
function packagesIn(folder: string): { installed: string[]; bundled: string[] } {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = Object.entries<{ inBundle?: boolean }>(lock.packages);
  const names = (isBundled: boolean) => {
    const paths = packages.filter(([, { inBundle = false }]) => inBundle === isBundled).map(([path]) => path);
    const found = paths.map((path) => path.replace(/^.*node_modules\//, ''));
    return [...new Set(found)].filter((name) => !name.startsWith('@node-rs/argon2-')).sort();
  };
  return { installed: names(false), bundled: names(true) };
}

describe('the packed server', () => {
  let folder: string;
  let installed: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'farmboard-packed-'));
    const file = pack('pack:server', folder);
    const place = join(folder, 'farm');
    // the versions of our lock file, which npm's cache has; the long form takes the newest and compiles
    if (!IS_LONG) run(ROOT, process.execPath, ['deploy/pack/native-packages.mjs', place]);
    else run(folder, 'mkdir', [place]);
    run(place, 'npm', ['install', '--prefer-offline', '--no-audit', ...(IS_LONG ? [] : ['--ignore-scripts']), file]);
    installed = join(place, 'node_modules');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('installs the listed packages and nothing of n8n or of build tools', () => {
    expect(packagesIn(join(folder, 'farm'))).toEqual({
      installed: [...INSTALLED].sort(),
      bundled: [...BUNDLED].sort(),
    });
    for (const file of filesBelow(join(installed, 'farmboard')))
      expect([file, /\.(ts|tsx|map|test\.js)$/.test(file)]).toEqual([file, false]);
  });

  test('takes less than 50 MB, without what sqlite3 compiles', () => {
    const compiled = join(installed, 'sqlite3/build');
    expect(megabytes(installed) - (existsSync(compiled) ? megabytes(compiled) : 0)).toBeLessThan(50);
  });

  test('names the licenses of what was compiled into it', () => {
    const text = readFileSync(join(installed, 'farmboard/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of [
      'express',
      'knex',
      'react',
      '@mantine/core',
      '@tabler/icons-react',
      'mqtt',
      'pg-types',
      'fontkit',
      'zod',
      'vue',
      '@fontsource-variable/inter',
    ])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+.* \\((MIT|ISC|BSD|Apache|OFL)`, 'm'));
  });

  test('has packages that offer what the originals do', () => {
    const modules = [...BUNDLED, '@bull-board/api/bullMQAdapter'].filter((name) => !/ui|dejavu/.test(name));
    /** @returns what each exports to a module of this folder */
    const exportsIn = (place: string): Record<string, string[]> => {
      const script = `const require = process.getBuiltinModule('node:module').createRequire('${place}/');
        const keys = (name) => [name, Object.keys(require(name)).sort()];
        console.log(JSON.stringify(Object.fromEntries(${JSON.stringify(modules)}.map(keys))));`;
      return JSON.parse(run(ROOT, process.execPath, ['-e', script]));
    };
    const keys = exportsIn(join(installed, 'farmboard'));
    expect(keys).toEqual(exportsIn(join(ROOT, 'backend')));
    for (const name of modules) expect(keys[name]).not.toEqual([]);
  });

  test('starts, shows its pages, judges a password and renders an invoice', async () => {
    const sqlite = 'sqlite3/build';
    if (!IS_LONG) cpSync(join(ROOT, 'node_modules', sqlite), join(installed, sqlite), { recursive: true });
    const data = createNewDataFolder();
    const env = {
      ...data.env,
      PORT: String(await freePort()),
      OPERATOR_SECRET: 'f6'.repeat(32),
      ...(HAS_REDIS ? { REDIS_URL } : {}),
    };
    const npx = (args: string[], input = '') =>
      spawnSync('npx', ['farmboard', ...args], {
        cwd: join(folder, 'farm'),
        env: { ...ENV, ...env },
        input,
        encoding: 'utf8',
      });
    try {
      expect(npx(['--version'])).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
      const email = 'owner@test.example';
      const account = ['account', 'create', '--email', email, '--name', 'Farm', '--password', '-'];
      expect(npx(account, 'password1234').stderr).toMatch(/guess/);
      expect(npx(account, PASSWORD)).toMatchObject({ status: 0 });

      const service = await startService(env, join(installed, 'farmboard/bin/farmboard.js'));
      try {
        for (const path of [
          '/console/',
          '/docs/',
          '/docs/api/swagger-ui-bundle.js',
          '/docs/api/swagger-ui.css',
          '/readyz',
        ]) {
          const response = await fetch(service.origin + path);
          expect([path, response.status, (await response.text()).length > 0]).toEqual([path, 200, true]);
        }
        const operator = { headers: { Authorization: `Bearer ${env.OPERATOR_SECRET}` } };
        for (const path of ['/metrics', ...(HAS_REDIS ? ['/operator/queues'] : [])])
          expect([path, (await fetch(service.origin + path, operator)).status]).toEqual([path, 200]);
        const { pay_url } = await issueInvoice(await openSeller(service, email));
        const pdf = await fetch(`${service.origin}${new URL(String(pay_url)).pathname}/invoice.pdf`);
        expect(Buffer.from(await pdf.arrayBuffer()).toString('latin1', 0, 5)).toBe('%PDF-');
        expect(await service.stop()).toBe(0);
      } finally {
        await service.kill();
      }
    } finally {
      data.remove();
    }
  });
});

test('the packed agent is one package without others, and starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-packed-'));
  try {
    run(folder, 'npm', ['install', '--offline', '--no-audit', pack('pack:agent', folder)]);
    expect(packagesIn(folder)).toEqual({ installed: ['farmboard-agent'], bundled: [] });
    expect(megabytes(join(folder, 'node_modules'))).toBeLessThan(2);
    const started = spawnSync('npx', ['farmboard-agent', '--config', 'none.json'], {
      cwd: folder,
      env: ENV,
      encoding: 'utf8',
    });
    expect(started).toMatchObject({ status: 2, stderr: expect.stringMatching(/^none\.json: the file: ENOENT/) });
    const licenses = readFileSync(join(folder, 'node_modules/farmboard-agent/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['mqtt', 'pino', 'ws', 'zod']) expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
