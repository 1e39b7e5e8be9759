import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { type CommandResult, createNewDataFolder, type Env, farmboard, LAUNCHER } from '../kit/service.ts';

/** Long enough for any start; a service that starts in spite of its settings is ended then. */
const ENDS_WITHIN_MS = 300_000;

const UNSET: Env = Object.fromEntries(
  ['HOST', 'PUBLIC_URL', 'SIGN_UP', 'WEBHOOK_ALLOWED_HOSTS', 'REDIS_URL', 'ROLE', 'SECRET_KEY', 'OPERATOR_SECRET'].map(
    (name) => [name, undefined],
  ),
);

/** `farmboard serve` with settings that should stop it. A code of null: it had to be killed. */
async function start(env: Env): Promise<CommandResult> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], { env: { ...process.env, ...env }, stdio: 'pipe' });
  const killer = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(killer);
  return { code, stdout, stderr };
}

function expectRefused({ code, stdout, stderr }: CommandResult, names: string[]): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^Farmboard can't start: [^\n]+\n$/);
  for (const name of names) expect(stderr).toContain(`${name}: `);
  // one line for a person: nothing of the code, and no secret
  expect(stderr).not.toMatch(/\bat .+:\d+|hunter2|undefined|\[object/);
}

describe('an invalid setting', () => {
  let folder: ReturnType<typeof createNewDataFolder>;
  let base: Env;

  beforeEach(() => {
    folder = createNewDataFolder();
    base = { ...UNSET, ...folder.env };
  });

  afterEach(() => folder.remove());

  test.each<[string, Env]>([
    ['PORT', { PORT: 'x' }],
    ['PORT', { PORT: '70000' }],
    ['BACKUP_FOLDER', { BACKUP_FOLDER: '/nowhere/at/all' }],
    ['BACKUP_FOLDER', { BACKUP_FOLDER: __filename }],
    ['BACKUP_FOLDER', { BACKUP_FOLDER: '/proc' }],
    ['DATABASE_CONNECTIONS', { DATABASE_CONNECTIONS: '2' }],
    ['OPERATOR_SECRET', { OPERATOR_SECRET: 'hunter2' }],
    ['HOST', { HOST: '203.0.113.77' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://farm:hunter2@localhost/farm' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://farm:hunter2@[', SECRET_KEY: 'k'.repeat(32) }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://farm:hunter2@127.0.0.1:1/farm', SECRET_KEY: 'k'.repeat(32) }],
    ['SECRET_KEY', { DATABASE_URL: 'postgres://farm:hunter2@127.0.0.1:1/farm' }],
    ['SECRET_KEY', { SECRET_KEY: 'hunter2 is short' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['SIGN_UP', { SIGN_UP: 'perhaps' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'farm.example' }],
    ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: '-1' }],
    ['WEBHOOK_ALLOWED_HOSTS', { WEBHOOK_ALLOWED_HOSTS: 'foo/bar' }],
    ['REDIS_URL', { REDIS_URL: 'http://:hunter2@localhost:6379' }],
    ['REDIS_URL', { REDIS_URL: 'redis://:hunter2@[' }],
    ['ROLE', { ROLE: 'worker' }],
    ['ROLE', { ROLE: 'boss' }],
  ])('ends the start with one line that names it: %s of %j', async (name, env) => {
    // a database that is there: its making would be logged, and rightly
    if (env.HOST) await farmboard(['migrate'], base);
    expectRefused(await start({ ...base, ...env }), [name]);
  });

  test.each<[string, (path: string) => string]>([
    [
      'a folder',
      (path) => {
        mkdirSync(path);
        return path;
      },
    ],
    [
      'a file that is no database',
      (path) => {
        writeFileSync(path, 'Dear diary, this is not a database. '.repeat(500));
        return path;
      },
    ],
    [
      'a path whose parent is a file',
      (path) => {
        writeFileSync(path, '');
        return `${path}/farmboard.sqlite3`;
      },
    ],
  ])('ends the start with one line for a DATABASE_URL of %s', async (_name, prepare) => {
    expectRefused(await start({ ...base, DATABASE_URL: `sqlite:${prepare(folder.file)}` }), ['DATABASE_URL']);
  });

  test('ends the start with one line if another program has the PORT', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    try {
      await farmboard(['migrate'], base);
      expectRefused(await start({ ...base, PORT: String(port) }), ['PORT']);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test('is reported with all others at once', async () => {
    const env = { ...base, PORT: 'x', SIGN_UP: 'perhaps', LOG_LEVEL: 'loud', SECRET_KEY: 'hunter2 is short' };
    expectRefused(await start(env), ['PORT', 'SIGN_UP', 'LOG_LEVEL', 'SECRET_KEY']);
  });

  test('ends the other commands, too', async () => {
    for (const args of [['migrate'], ['check'], ['token', 'list', '--email', 'a@b.example']]) {
      expectRefused(await farmboard(args, { ...base, DATABASE_URL: 'mysql://localhost', ROLE: 'worker' }), [
        'DATABASE_URL',
        'ROLE',
      ]);
    }
  });
});
