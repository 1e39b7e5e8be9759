import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { eventually } from '../kit/eventually.ts';
import { IS_LONG } from '../kit/length.ts';
import { freePort } from '../kit/ports.ts';
import { createNewDataFolder } from '../kit/service.ts';

const { listFiles } = require('../kit/list-files.cjs') as { listFiles(root: string): string[] };

// What somebody has who clones the repository and runs the first command of the README.

const ROOT = resolve(__dirname, '../..');
const [, command = ''] = /```sh\n(.+)\n```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}
const manifestOf = (workspace: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));

/** Not what the npm that runs the tests tells its scripts, which would lead another npm to its own folder. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|REDIS_URL$)/i.test(name)),
);

function copyClone(folder: string): void {
  for (const file of listFiles(ROOT)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
}

/** `debug` takes them if something else has installed them. */
const OPTIONAL = /\/(has-flag|supports-color)$/;

/** Puts the builds of these very sources into the clone. @returns the packages that were compiled into them */
function copyBuilds(folder: string): string[] {
  const dist = join(ROOT, 'backend/dist');
  const script = "process.stdout.write((await (await import('./backend/build.mjs')).buildServer()).entry)";
  const entry = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' });
  const builds = [basename(dirname(entry)), readFileSync(join(dist, 'web-current'), 'utf8')];
  for (const name of builds) cpSync(join(dist, name), join(folder, 'backend/dist', name), { recursive: true });
  const packages = builds.flatMap((name): string[] =>
    JSON.parse(readFileSync(join(dist, name, '.packages.json'), 'utf8')),
  );
  return packages.filter((path) => !OPTIONAL.test(path));
}

test('the server names every package of what is compiled into it', () => {
  const { dependencies, devDependencies } = manifestOf('backend');
  const compiled = { ...manifestOf('agent').dependencies, ...manifestOf('common').dependencies };
  expect({ ...devDependencies, ...dependencies }).toMatchObject(compiled);
});

test('the first command of the README installs and starts a clone', async () => {
  expect(command).toBe('npm ci --workspace backend && npm start');
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-clone-'));
  const data = createNewDataFolder();
  const [install = '', start = ''] = command.split(' && ');
  // the short form takes from here what is compiled for minutes, and the builds
  const flags = ['--prefer-offline', ...(IS_LONG ? [] : ['--ignore-scripts'])];
  let server: ReturnType<typeof spawn> | undefined;
  try {
    copyClone(folder);
    execFileSync('sh', ['-c', [install, ...flags].join(' ')], { cwd: folder, env: ENV, stdio: 'pipe' });
    const sqlite = 'node_modules/sqlite3/build';
    if (!IS_LONG) cpSync(join(ROOT, sqlite), join(folder, sqlite), { recursive: true });
    for (const name of ['n8n-workflow', 'typescript', 'jest', 'pdf-parse', '@tabler/icons-react'])
      expect([name, existsSync(join(folder, 'node_modules', name))]).toEqual([name, false]);
    // the short form doesn't build, but what building takes must be there
    const needed = IS_LONG ? [] : copyBuilds(folder);
    for (const path of ['node_modules/esbuild', 'node_modules/vite', ...needed])
      expect([path, existsSync(join(folder, path))]).toEqual([path, true]);

    const port = await freePort();
    const env = { ...ENV, ...data.env, PORT: String(port), HOST: '127.0.0.1' };
    server = spawn('sh', ['-c', `exec ${start}`], { cwd: folder, env, detached: true, stdio: 'pipe' });
    let log = '';
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    await eventually(
      () => log,
      (text) => text.includes('Farmboard is listening') || server?.exitCode !== null,
      300_000,
    );
    const notice = 'Building Farmboard: about a minute, first start only\n';
    expect([log, log.includes(notice)]).toEqual([log, IS_LONG]);
    expect(log).toContain(`Farmboard is listening on http://127.0.0.1:${port}`);
    expect((await fetch(`http://127.0.0.1:${port}/console/`)).status).toBe(200);

    const agent = spawn('node_modules/.bin/farmboard', ['agent', '--config', 'none.json'], { cwd: folder, env });
    const [said] = (await once(agent.stderr.setEncoding('utf8'), 'data')) as [string];
    expect(said).toMatch(/^none\.json: the file: ENOENT/);
  } finally {
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = once(server, 'close');
      process.kill(-server.pid, 'SIGTERM');
      await ended;
    }
    data.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});
