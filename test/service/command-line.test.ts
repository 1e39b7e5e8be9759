import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';
import { openBrowser } from '../kit/console-client.ts';
import { inspectDatabase } from '../kit/database.ts';
import { createNewDataFolder, type Env, farmboard, type Service, startService } from '../kit/service.ts';

const PASSWORD = 'correct horse battery';
const ROOT = join(__dirname, '../..');
const EMAIL = 'owner@farm.example';
const DAY_MS = 24 * 60 * 60 * 1000;

let folder: ReturnType<typeof createNewDataFolder>;
let env: Env;
let service: Service | undefined;

beforeEach(() => {
  folder = createNewDataFolder();
  env = { ...folder.env, SECRET_KEY: undefined };
});

afterEach(async () => {
  await service?.kill();
  service = undefined;
  folder.remove();
});

const run = (args: string[], input?: string, more: Env = {}) => farmboard(args, { ...env, ...more }, input);

/** @returns what it wrote; throws when it failed or said anything beside it */
async function succeed(args: string[], input?: string, more?: Env): Promise<string> {
  const { code, stdout, stderr } = await run(args, input, more);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

/** A mistake of the caller: status 1, one line for a person, and nothing where a script would read a result. */
async function fail(args: string[], input?: string, more?: Env): Promise<string> {
  const { code, stdout, stderr } = await run(args, input, more);
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr;
}

const createAccount = (email = EMAIL) =>
  succeed(['account', 'create', '--email', email, '--name', 'Farm', '--password', PASSWORD]);

const createToken = async (...more: string[]) =>
  (await succeed(['token', 'create', '--email', EMAIL, '--name', 'n8n', ...more])).trim();

async function rows<R>(sql: string): Promise<R[]> {
  const inspector = await inspectDatabase(folder.file);
  try {
    return await inspector.rows<R>(sql);
  } finally {
    await inspector.close();
  }
}

/** Breaks something in the file by hand, past every rule of the service. */
async function write(sql: string): Promise<void> {
  const db = new sqlite3.Database(folder.file);
  try {
    await new Promise<void>((resolve, reject) => db.exec(sql, (error) => (error ? reject(error) : resolve())));
  } finally {
    await new Promise((resolve) => db.close(resolve));
  }
}

const status = async (token: string) =>
  (await fetch(`${service?.origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status;

describe('usage', () => {
  test('lists every command in help', async () => {
    const help = await succeed(['help']);
    for (const command of [
      'serve',
      'account create',
      'account reset-password',
      'token create',
      'token list',
      'token revoke',
      'demo',
      'migrate',
    ]) {
      expect(help).toContain(`farmboard ${command}`);
    }
    expect(help).toContain('farmboard agent --config FILE [--check]');
    expect(help).toContain('farmboard backup FILE');
    expect(help).toContain('farmboard restore FILE');
    expect(help).toContain('farmboard move --from URL --to URL');
    expect(help).toContain('farmboard check');
    expect(await succeed([])).toBe(help);
    expect(await succeed(['--help'])).toBe(help);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await succeed(['--version'])).toBe(`${version}\n`);
  });

  test.each([
    [['fly'], 'fly'],
    [['constructor'], 'constructor'],
    [['token'], 'token'],
    [['token', 'burn'], 'token burn'],
    [['account'], 'account'],
    [['migrate', '--force', 'yes'], '--force'],
    [['token', 'create', '--email', EMAIL, '--name', 'x', '--scope=all'], '--scope'],
    [['token', 'create', '--email', EMAIL], '--name'],
    [['token', 'create', '--name', 'x'], '--email'],
    [['token', 'list'], '--email'],
    [['token', 'list', '--email'], '--email'],
    [['token', 'revoke', '--email', EMAIL], '--name'],
    [['account', 'create', '--email', EMAIL, '--name', 'x'], '--password'],
    [['agent'], '--config'],
    [['agent', '--config', '/nowhere/agent.json'], '/nowhere/agent.json'],
    [['backup'], 'FILE'],
    [['backup', 'one', 'two'], 'two'],
    [['restore'], 'FILE'],
    [['move', '--to', 'sqlite:x'], '--from'],
    // without an option this would walk a demo elsewhere, and fill nothing
    [['demo', EMAIL], EMAIL],
    [['token', 'create', '--email', EMAIL, '--name', 'x', '--days', '0'], '--days'],
    [['token', 'create', '--email', EMAIL, '--name', 'x', '--days', 'soon'], '--days'],
  ])('refuses %j in one line', async (args, named) => {
    expect(await fail(args)).toContain(named);
    expect(existsSync(folder.file)).toBe(false);
  });
});

describe('accounts and tokens', () => {
  test('creates an account, reading the password from standard input, and validates it', async () => {
    expect(await createAccount()).toContain(EMAIL);
    const create = ['account', 'create', '--name', 'Farm', '--password', '-', '--email'];
    expect(await succeed([...create, 'second@farm.example'], `${PASSWORD}\n`)).toContain('second@farm.example');
    expect(await fail([...create, 'OWNER@Farm.example'], PASSWORD)).toContain('already');
    // the line break is no part of it: 11 characters
    expect(await fail([...create, 'third@farm.example'], 'short pass!\n')).toMatch(/12/);
    expect(await fail([...create, 'third@farm.example'], '')).toMatch(/12/);
    expect(await fail([...create, 'third@farm.example'], 'x'.repeat(100_000))).toContain('more than 65536 characters');
    expect(await fail([...create, 'nobody'], PASSWORD)).toContain('nobody');
    expect(await rows('SELECT email FROM accounts ORDER BY email')).toEqual([
      { email: EMAIL },
      { email: 'second@farm.example' },
    ]);
  });

  test('resets a forgotten password beside the running server, which ends the sessions and keeps the tokens', async () => {
    service = await startService(env);
    await createAccount();
    const token = (await createToken()).trim();
    const browser = await openBrowser(service);
    const signIn = async (password: string) =>
      (await browser.ask('POST', '/session', { body: { email: EMAIL, password } })).status;
    const read = async () => (await browser.ask('GET', '/account')).status;
    expect(await signIn(PASSWORD)).toBe(200);
    const reset = ['account', 'reset-password', '--email', 'OWNER@Farm.example', '--password', '-'];
    expect(await fail(reset, 'short pass!\n')).toMatch(/12/);
    expect(await read()).toBe(200);
    const next = 'another horse, another battery';
    expect(await succeed(reset, `${next}\n`)).toContain('All sessions have ended');
    expect(await read()).toBe(401);
    expect(await signIn(PASSWORD)).toBe(401);
    expect(await signIn(next)).toBe(200);
    expect(await read()).toBe(200);
    expect(await status(token)).toBe(200);
  });

  test('prints nothing but the token, which works beside the running server until it is revoked', async () => {
    service = await startService(env);
    await createAccount();
    const token = await succeed(['token', 'create', '--email', 'OWNER@farm.example', '--name', 'n8n']);
    expect(token).toMatch(/^pat_[0-9A-Za-z]{36}\n$/);
    const other = (await succeed(['token', 'create', `--email=${EMAIL}`, '--name=lab'])).trim();
    expect(await status(token.trim())).toBe(200);
    expect(await fail(['token', 'create', '--email', EMAIL, '--name', 'n8n'])).toContain('n8n');

    const list = await succeed(['token', 'list', '--email', EMAIL]);
    expect(list.trimEnd().split('\n')).toHaveLength(2);
    expect(list).toContain(`n8n  pat_…${token.trim().slice(-4)}`);
    expect(list).not.toContain(token.trim().slice(0, 20));

    expect(await succeed(['token', 'revoke', '--email', EMAIL, '--name', 'n8n'])).toContain('n8n');
    expect(await status(token.trim())).toBe(401);
    expect(await status(other)).toBe(200);
    expect(await fail(['token', 'revoke', '--email', EMAIL, '--name', 'n8n'])).toContain('n8n');
    expect(await succeed(['token', 'list', '--email', EMAIL])).not.toContain('n8n');
  });

  test('creates tokens for a year, some days or without expiry', async () => {
    await createAccount();
    await createToken();
    await succeed(['token', 'create', '--email', EMAIL, '--name', 'month', '--days', '30']);
    await succeed(['token', 'create', '--email', EMAIL, '--name', 'ever', '--days', 'never']);
    expect(await rows('SELECT name, expires_at - created_at AS lasts FROM tokens ORDER BY name')).toEqual([
      { name: 'ever', lasts: null },
      { name: 'month', lasts: 30 * DAY_MS },
      { name: 'n8n', lasts: 365 * DAY_MS },
    ]);
  });

  test('requires an account for a token', async () => {
    for (const args of [
      ['token', 'create', '--email', 'nobody@farm.example', '--name', 'x'],
      ['token', 'list', '--email', 'nobody@farm.example'],
      ['token', 'revoke', '--email', 'nobody@farm.example', '--name', 'x'],
      ['demo', '--email', 'nobody@farm.example'],
      ['account', 'reset-password', '--email', 'nobody@farm.example', '--password', PASSWORD],
    ]) {
      expect(await fail(args)).toContain('nobody@farm.example');
    }
    await createAccount();
    expect(await succeed(['token', 'list', '--email', EMAIL])).toBe('No access tokens.\n');
  });
});

describe('demo', () => {
  test('fills an account with a sample farm without sending events', async () => {
    service = await startService({ ...env, WEBHOOK_ALLOWED_HOSTS: 'loopback' });
    await createAccount();
    const token = await createToken();
    await fetch(`${service.baseUrl}/webhook-subscriptions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/', events: ['order.created', 'filament.low_stock'] }),
    });
    expect(await succeed(['demo', '--email', EMAIL])).toContain(EMAIL);
    const [counts] = await rows<Record<string, number>>(`SELECT (SELECT count(*) FROM orders) AS orders,
      (SELECT count(DISTINCT workflow_status) FROM orders) AS statuses, (SELECT count(*) FROM printers) AS printers,
      (SELECT count(*) FROM printer_groups) AS groups, (SELECT count(*) FROM filaments) AS filaments,
      (SELECT count(*) FROM filament_batches) AS batches, (SELECT count(*) FROM events) AS events,
      (SELECT count(*) FROM deliveries) AS deliveries, (SELECT count(*) FROM subscriptions) AS subscriptions`);
    expect(counts).toEqual({
      orders: expect.any(Number),
      statuses: 10,
      printers: 8,
      groups: 2,
      filaments: 12,
      batches: 20,
      // of the sample farm: nothing is sent
      events: expect.any(Number),
      deliveries: 0,
      subscriptions: 1,
    });
    expect(counts?.orders).toBeGreaterThanOrEqual(60);
    expect(await succeed(['check'])).toBe('No problems found.\n');
    const list = await fetch(`${service.baseUrl}/print-jobs?include_closed=true`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await list.json()).toMatchObject({ total: counts?.orders });
  });

  test('runs the whole flow on a temporary farm without an account', async () => {
    const temporary = join(dirname(folder.file), 'tmp');
    mkdirSync(temporary);
    const shown = await succeed(['demo'], '', { PORT: '0', TMPDIR: temporary });
    for (const step of ['ORDER-', '"workflow_status":"assigned"', '/consume', 'signature verified', 'Done: ']) {
      expect(shown).toContain(step);
    }
    expect(existsSync(folder.file)).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('the database', () => {
  test('isn’t backed up over an existing file or to an invalid path', async () => {
    await succeed(['migrate']);
    const other = `${folder.file}.other`;
    writeFileSync(other, 'precious');
    expect(await fail(['backup', other])).toContain('already exists');
    expect(readFileSync(other, 'utf8')).toBe('precious');
    expect(await fail(['backup', join(dirname(folder.file), 'no/such/folder/copy')])).toContain('no/such/folder/copy');
    expect(await fail(['backup', dirname(folder.file)])).toContain('already exists');
    expect(await fail(['backup', folder.file])).toContain('already exists');
  });

  /** A database with a farm in it and nothing wrong: made by the first test, copied by the others. */
  let sound: Buffer | undefined;

  async function useSoundDatabase(): Promise<void> {
    if (sound) return writeFileSync(folder.file, sound);
    await createAccount();
    await succeed(['demo', '--email', EMAIL]);
    expect(await succeed(['check'])).toBe('No problems found.\n');
    sound = readFileSync(folder.file);
  }

  test.each([
    ['stock', 'UPDATE filaments SET used_mg = used_mg + 1 WHERE id = (SELECT id FROM filaments LIMIT 1)'],
    ['a batch', 'UPDATE filament_batches SET used_mg = used_mg + 1 WHERE seq = 1'],
    ['the ledger', 'DELETE FROM filament_ledger WHERE seq = 1'],
    ['a reference', "UPDATE orders SET account_id = 'nobody' WHERE id = (SELECT id FROM orders LIMIT 1)"],
    [
      'a number of a channel',
      `INSERT INTO subscriptions (id, account_id, slot, name, url_encrypted, url_shown, format, enabled, last_sequence, created_at, updated_at)
         SELECT 'c', id, 0, '', '', '', 'slack', 1, 2, 0, 0 FROM accounts;
       INSERT INTO events (id, account_id, event, subject, occurred_at, body) SELECT 'e', id, 'webhook.test', '', 0, '{}' FROM accounts;
       INSERT INTO deliveries (id, subscription_id, event_seq, subject, state, committed_at, sequence, attempted_at)
         SELECT 'd', 'c', seq, '', 'succeeded', 0, 1, 0 FROM events WHERE id = 'e'`,
    ],
  ])('is checked, which finds an inserted error in %s', async (_name, sql) => {
    await useSoundDatabase();
    await write(sql);
    const { code, stdout, stderr } = await run(['check']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^[^\n]+\n/);
    expect(stdout).not.toContain('No problems found');
  });
});

test('builds missing parts in a separate process', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'farmboard-unbuilt-'));
  // written where a process ends: its program, and whether a compiler was loaded into it
  const watch = join(copy, 'watch.cjs');
  writeFileSync(
    watch,
    `process.on('exit', () => {
      const hasCompiler = Object.keys(require.cache).some((path) => /node_modules.(esbuild|vite)/.test(path));
      require('node:fs').appendFileSync('${join(copy, 'seen')}', require('node:path').basename(process.argv[1]) + ' ' + hasCompiler + '\\n');
    });`,
  );
  try {
    mkdirSync(join(copy, 'backend'));
    for (const part of ['bin', 'build.mjs', 'package.json'])
      cpSync(join(ROOT, 'backend', part), join(copy, 'backend', part), { recursive: true });
    symlinkSync(join(ROOT, 'backend/src'), join(copy, 'backend/src'));
    for (const part of ['agent', 'common', 'node_modules', 'package.json'])
      symlinkSync(join(ROOT, part), join(copy, part));
    const program = join(copy, 'backend/bin/farmboard.js');
    const start = () =>
      promisify(execFile)(process.execPath, [program, '--help'], {
        env: { ...process.env, NODE_OPTIONS: `--require ${watch}` },
      });
    const { stdout, stderr } = await start();
    expect(stdout).toContain('farmboard account create');
    expect(stderr).toBe('Building Farmboard: about a minute, first start only\n');
    // the compiler's own process may be among them
    const seen = readFileSync(join(copy, 'seen'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('build.mjs') || line.startsWith('farmboard.js'));
    expect(seen).toEqual(['build.mjs true', 'farmboard.js false']);
    expect((await start()).stderr).toBe('');
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test('every command refuses a database that a newer version has upgraded, in one line', async () => {
  await succeed(['migrate']);
  await write("INSERT INTO schema_migrations VALUES ('99990101000000_from_the_future', 1)");
  const account = ['--email', EMAIL];
  for (const args of [
    ['serve'],
    ['migrate'],
    ['check'],
    ['backup', `${folder.file}.backup`],
    ['account', 'create', ...account, '--name', 'Farm', '--password', PASSWORD],
    ['account', 'reset-password', ...account, '--password', PASSWORD],
    ['token', 'list', ...account],
    ['demo', ...account],
  ]) {
    expect(await fail(args)).toMatch(
      /newer version of Farmboard \(99990101000000_from_the_future\)\. Use that version/,
    );
  }
  expect(await rows('SELECT * FROM accounts')).toEqual([]);
});
