import { spawn } from 'node:child_process';
import { createToken } from '../../common/src/crypto.ts';
import { createClient } from '../kit/client.ts';
import {
  createFirstOwner,
  OWNER,
  openBrowser,
  printedCodes as printed,
  type SessionBody,
} from '../kit/console-client.ts';
import { readRows } from '../kit/database.ts';
import { HAS_REDIS, REDIS_URL } from '../kit/engine.ts';
import { expectSoon } from '../kit/eventually.ts';
import { forTest } from '../kit/opened.ts';
import { createFolder } from '../kit/place.ts';
import {
  createNewDataFolder,
  createServiceFolder,
  type Env,
  farmboard,
  LAUNCHER,
  type Service,
} from '../kit/service.ts';

const folder = forTest(createServiceFolder);
const start = (more?: Env) => folder.start(more);

const accounts = async () =>
  (await readRows<{ email: string }>(folder.file, 'SELECT email FROM accounts')).map(({ email }) => email);

test('prints a one-time setup link for an empty database, which creates the owner', async () => {
  const service = await start();
  const [code] = await printed(service);
  const browser = await openBrowser(service);
  expect((await browser.get('/session')).body).toEqual({ person: null, needs_setup: true, sign_up: false });

  const made = await browser.post<SessionBody>('/setup', { ...OWNER, code });
  expect(made.body).toEqual({
    person: { account_name: OWNER.name, email: OWNER.email, currency: 'RUB' },
    needs_setup: false,
    sign_up: false,
  });
  expect(await browser.who()).toBe(OWNER.email);
  expect((await browser.get<{ email: string }>('/me')).body.email).toBe(OWNER.email);

  const again = await (await openBrowser(service)).post('/setup', { ...OWNER, email: 'second@farm.example', code });
  expect(again.status).toBe(404);
  expect(again.body.detail).toMatch(/setup link has already been used.*Sign in/);
  expect(await accounts()).toEqual([OWNER.email]);

  expect(service.log.filter((line) => line.includes(code as string))).toHaveLength(1);
  // on a line of its own, not in the log, whose lines are JSON
  expect(service.log).toContain(`  ${service.origin}/console/setup#${code}`);
  expect(await service.stop()).toBe(0);

  const second = await start({ LOG_LEVEL: 'trace' });
  expect((await (await openBrowser(second)).get<SessionBody>('/session')).body.needs_setup).toBe(false);
  expect(await second.stop()).toBe(0);
  expect(second.log.filter((line) => line.includes('setup'))).toEqual([]);
  expect(second.log.join('\n')).not.toContain(code);
});

test('prints the link at any log level with the public address, but not in workers', async () => {
  const service = await start({ LOG_LEVEL: 'info', PUBLIC_URL: 'https://farm.example/board/' });
  await printed(service);
  expect(service.log.join('\n')).toContain('https://farm.example/board/console/setup#set_');
  await service.stop();
  const quiet = await farmboardLines({ LOG_LEVEL: 'silent' });
  expect(quiet.filter((line) => line.includes('/console/setup#set_'))).toHaveLength(1);
});

/** What a start that never reports its port prints on standard error. */
async function farmboardLines(more: Env): Promise<string[]> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
    env: { ...process.env, ...folder.env, ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  await expectSoon(() => text, expect.stringContaining('setup#'));
  child.kill('SIGTERM');
  await exited;
  return text.trim().split('\n');
}

test('stores only a digest of the link and refuses wrong ones', async () => {
  const service = await start();
  const [code] = (await printed(service)) as [string];
  const rows = await readRows(folder.file, 'SELECT * FROM setup_links');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(code.slice(4));
  const browser = await openBrowser(service);
  for (const other of ['', 'x', code.slice(0, -1), code.replace('set_', 'pat_'), `${code} `, createToken('set')]) {
    expect((await browser.post('/setup', { ...OWNER, code: other })).status).toBe(404);
  }
  // a request with invalid values doesn't use up the link
  for (const wrong of [{ password: 'short' }, { email: 'nobody' }, { name: '  ' }]) {
    expect((await browser.post('/setup', { ...OWNER, ...wrong, code })).status).toBe(422);
  }
  expect(await accounts()).toEqual([]);
  expect((await browser.post('/setup', { ...OWNER, code })).status).toBe(200);
});

test('disables the link once an account is created by the command line', async () => {
  const service = await start();
  const [code] = await printed(service);
  const made = await farmboard(
    ['account', 'create', '--email', 'first@farm.example', '--name', 'First', '--password', '-'],
    folder.env,
    OWNER.password,
  );
  expect(made.code).toBe(0);
  const browser = await openBrowser(service);
  expect((await browser.post('/setup', { ...OWNER, code })).status).toBe(404);
  expect(await accounts()).toEqual(['first@farm.example']);
});

test('creates one owner for 50 concurrent requests with the links of two processes', async () => {
  // two processes on a SQLite file take Redis
  const services = HAS_REDIS ? [await start({ REDIS_URL }), await start({ REDIS_URL })] : [await start()];
  const codes = (await Promise.all(services.map(printed))).flat();
  expect(new Set(codes).size).toBe(services.length);
  const at = (i: number) => i % services.length;
  const browsers = await Promise.all(Array.from({ length: 50 }, (_, i) => openBrowser(services[at(i)] as Service)));
  const answers = await Promise.all(
    browsers.map((browser, i) =>
      browser.post('/setup', { ...OWNER, email: `owner${i}@farm.example`, code: codes[at(i >> 1)] }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
  const winner = statuses.indexOf(200);
  expect(await accounts()).toEqual([`owner${winner}@farm.example`]);
  expect(await browsers[winner]?.who()).toBe(`owner${winner}@farm.example`);
  expect(await readRows(folder.file, 'SELECT hash FROM setup_links')).toEqual([]);
});

test('keeps the tokens and the password of a restored backup, but no session and no link', async () => {
  const service = await start();
  const links = await printed(service);
  const files = createFolder();
  const empty = files.path('empty');
  const full = files.path('full');
  const restored = createServiceFolder(createNewDataFolder());
  const restoredEmpty = createServiceFolder(createNewDataFolder());
  try {
    expect((await farmboard(['backup', empty], folder.env)).stderr).not.toMatch(/error/i);
    const browser = await createFirstOwner(service);
    const token = String((await browser.post('/tokens', { name: 'n8n' })).body.token);
    expect((await farmboard(['backup', full], folder.env)).code).toBe(0);

    for (const [file, target] of [
      [full, restored],
      [empty, restoredEmpty],
    ] as const) {
      expect(await farmboard(['restore', file], target.env)).toMatchObject({ code: 0 });
    }
    const copy = await restored.start();
    const there = await openBrowser(copy);
    there.setCookie(browser.cookie());
    expect(await there.who()).toBeNull();
    expect((await there.get('/me')).status).toBe(401);
    expect((await (await createClient(copy.origin, token)).get('/me')).status).toBe(200);
    expect((await there.signIn()).status).toBe(200);

    const fresh = await restoredEmpty.start();
    const [own] = await printed(fresh);
    const visitor = await openBrowser(fresh);
    expect((await visitor.post('/setup', { ...OWNER, code: links[0] })).status).toBe(404);
    expect((await visitor.post('/setup', { ...OWNER, code: own })).status).toBe(200);
  } finally {
    files.remove();
    await restored.close();
    await restoredEmpty.close();
  }
});
