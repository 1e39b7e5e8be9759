import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createClient } from '../kit/client.ts';
import { times } from '../kit/length.ts';
import { createFolder, killAt, refused, sqlitePlace, succeed, tallies } from '../kit/place.ts';
import { execute, seed } from '../kit/seed.ts';
import { createAccountWithToken, startService } from '../kit/service.ts';

const folder = createFolder();
const file = folder.path('farm.sqlite3');
// with key files, as the embedded default has them
const origin = { ...sqlitePlace(file).env, SECRET_KEY: undefined };
const NO_KEY = { SECRET_KEY: undefined };
const to = (name: string) => ['move', '--from', `sqlite:${file}`, '--to', `sqlite:${folder.path(name)}`];

beforeAll(async () => {
  const service = await startService(origin);
  const { token } = await createAccountWithToken(origin);
  const client = await createClient(service.origin, token);
  await client.post('/webhook-subscriptions', { url: 'http://127.0.0.1:9/', events: ['order.created'] });
  await service.stop();
  await seed(file, times(1_000, 100_000));
});

afterAll(() => folder.remove());

test('refuses to run beside the service', async () => {
  const service = await startService(origin);
  try {
    expect(await refused(to('busy'), NO_KEY)).toMatch(/farm.sqlite3 is in use. Stop the service first/);
  } finally {
    await service.stop();
  }
  expect(existsSync(folder.path('busy'))).toBe(false);
});

test('requires the key file beside the target', async () => {
  expect(await refused(to('moved'), NO_KEY)).toMatch(/SECRET_KEY or .*moved.key is missing; nothing was written/);
  writeFileSync(folder.path('moved.key'), 'x'.repeat(32));
  expect(await refused(to('moved'), NO_KEY)).toMatch(/SECRET_KEY or .*moved.key doesn't match their key/);
  expect(existsSync(folder.path('moved'))).toBe(false);
  writeFileSync(folder.path('moved.key'), readFileSync(`${file}.key`));
  expect(await succeed(to('moved'), NO_KEY)).toMatch(
    /^Moved \d+ orders? and 0 files with all other data and verified it\.\nFrom now on, [^\n]+\n$/,
  );
  expect(await succeed(['check'], { ...origin, DATABASE_URL: `sqlite:${folder.path('moved')}` })).toContain(
    'No problems found',
  );
});

test('leaves the target empty when killed, and a second attempt works', async () => {
  const bytes = readFileSync(file);
  const place = sqlitePlace(folder.path('killed'));
  const ENV = { SECRET_KEY: readFileSync(`${file}.key`, 'utf8').trim() };
  for (const progress of ['accounts:', 'events:', 'deliveries:']) {
    await killAt(progress, to('killed'), ENV);
    expect(await place.tables()).toEqual([]);
  }
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(tallies(await succeed([...to('killed'), '--verbose'], ENV)).length).toBeGreaterThan(10);
});

test('refuses missing or invalid addresses, a missing source and identical databases', async () => {
  const from = (source: string) => ['move', '--from', source, '--to', `sqlite:${folder.path('none')}`];
  symlinkSync(file, folder.path('link'));
  for (const [args, fault] of [
    [['move', '--from', `sqlite:${file}`], /^--to is required/],
    [from('mysql://localhost/x'), /^--from: unknown scheme "mysql:"/],
    [from(`sqlite:${folder.path('nothing')}`), /File not found: .*nothing/],
    [from('postgres://postgres@127.0.0.1:1/x'), /^--from: PostgreSQL cannot be opened/],
    [to('link'), /--from and --to are the same file/],
  ] as const) {
    expect(await refused([...args], NO_KEY)).toMatch(fault);
  }
  writeFileSync(folder.path('text'), 'no database\n'.repeat(1000));
  expect(await refused(from(`sqlite:${folder.path('text')}`), NO_KEY)).toMatch(/cannot be read as a SQLite database/);
  await execute(folder.path('foreign'), 'CREATE TABLE orders (id TEXT)');
  expect(await refused(from(`sqlite:${folder.path('foreign')}`), NO_KEY)).toContain('is not a Farmboard database');
  expect(existsSync(folder.path('none'))).toBe(false);
  expect(existsSync(folder.path('nothing'))).toBe(false);
});

test('refuses another schema', async () => {
  const other = folder.path('other');
  renameSync(folder.path('moved'), other);
  const args = ['move', '--from', `sqlite:${other}`, '--to', `sqlite:${folder.path('none')}`];
  await execute(other, "INSERT INTO schema_migrations VALUES ('99990101000000_later', 0)");
  expect(await refused(args, NO_KEY)).toContain('newer version of Farmboard');
  await execute(other, 'DELETE FROM schema_migrations');
  expect(await refused(args, NO_KEY)).toMatch(/older version of Farmboard.*farmboard migrate/);
  expect(existsSync(folder.path('none'))).toBe(false);
});
