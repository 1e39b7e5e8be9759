import { copyFileSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createClient } from '../kit/client.ts';
import { ENGINE } from '../kit/engine.ts';
import { expectSoon } from '../kit/eventually.ts';
import { times } from '../kit/length.ts';
import { forSuite } from '../kit/opened.ts';
import {
  createFolder,
  killAt,
  type Place,
  postgresPlace,
  refused,
  sqlitePlace,
  succeed,
  tallies,
} from '../kit/place.ts';
import { startReceiver } from '../kit/receiver.ts';
import { execute, seed, WAITING } from '../kit/seed.ts';
import { createAccountWithToken, startService } from '../kit/service.ts';

const ORDERS = times(1_000, 100_000);

const folder = createFolder();
const origin = sqlitePlace(folder.path('origin.sqlite3'));
const backup = folder.path('backup');
const receiver = forSuite(startReceiver);
let token: string;
let subscription: string;
let held: string[];
let target: Place;
let targets = 0;

/** A backup of a farm with history, made while deliveries waited and one was under way in a process that is dead. */
beforeAll(async () => {
  const service = await startService(origin.env);
  token = (await createAccountWithToken(origin.env)).token;
  const client = await createClient(service.origin, token);
  const made = await client.post('/webhook-subscriptions', {
    url: receiver.url,
    events: ['order.created', 'order.status_changed'],
  });
  subscription = String(made.body.id);
  await service.stop();
  await seed(folder.path('origin.sqlite3'), ORDERS);
  await execute(
    folder.path('origin.sqlite3'),
    `UPDATE subscriptions SET last_sequence = last_sequence + 1;
     UPDATE deliveries SET state = 'sending', id = '00000000-0000-7000-8000-000000000000', sequence = ${2 * ORDERS - WAITING + 1}, claimed_by = 'elsewhere/1/x',
       claimed_until = ${Date.now() + 60_000}, attempted_at = ${Date.now()}
     WHERE seq = (SELECT min(seq) FROM deliveries WHERE state = 'pending')`,
  );
  held = tallies(await succeed(['backup', backup, '--verbose'], origin.env));
});

afterAll(async () => {
  folder.remove();
});

beforeEach(() => {
  targets += 1;
  target = ENGINE === 'postgres' ? postgresPlace() : sqlitePlace(folder.path(`target ${targets}.sqlite3`));
});

afterEach(() => target.drop());

test('never sends what was unfinished in the backup, but lets receivers ask for it', async () => {
  const said = await succeed(['restore', backup], target.env);
  expect(said).toMatch(
    new RegExp(`^Restored ${ORDERS} orders and 0 files \\(\\d+\\.\\d MB\\) from \\S+ to .+ and verified it\\.\n.+\n$`),
  );
  expect(said).toContain(`\n${WAITING} deliveries were unfinished`);
  expect(await succeed(['check'], target.env)).toBe('No problems found.\n');
  const ended = await target.rows(
    'SELECT state, error FROM deliveries WHERE event_seq > (SELECT max(seq) FROM events) - 5',
  );
  expect(ended).toEqual(Array(WAITING).fill({ state: 'failed', error: 'interrupted' }));

  receiver.received.length = 0;
  const service = await startService(target.env);
  try {
    const client = await createClient(service.origin, token);
    const after = 2 * ORDERS - WAITING;
    const missed = await client.get<{ items: { sequence: number; event: { data: { quantity_pieces: number } } }[] }>(
      `/webhook-subscriptions/${subscription}/events?after=${after}`,
    );
    // in the order of their commit, numbered on without a gap
    expect(missed.body.items.map(({ sequence, event }) => [sequence, event.data.quantity_pieces])).toEqual(
      Array.from({ length: WAITING }, (_, i) => [after + 1 + i, after + 1 + i]),
    );
    // the next event is the only one that arrives
    const order = await client.post('/print-jobs', { model_name: 'after the restore' });
    await receiver.until((all) => all.length > 0);
    await expectSoon(() => target.rows("SELECT seq FROM deliveries WHERE state IN ('pending', 'sending')"), []);
    expect(receiver.received.map(({ body, headers }) => [body.data.id, headers['x-svc-sequence']])).toEqual([
      [order.body.id, String(2 * ORDERS + 1)],
    ]);
  } finally {
    await service.kill();
  }
});

test('leaves the target empty and the backup unchanged when killed, and a second attempt works', async () => {
  const bytes = readFileSync(backup);
  for (const progress of ['verifying', 'accounts:', 'deliveries:']) {
    await killAt(progress, ['restore', backup], target.env);
    expect(await target.tables()).toEqual([]);
  }
  expect(tallies(await succeed(['restore', backup, '--verbose'], target.env))).toEqual(held);
  expect(readFileSync(backup).equals(bytes)).toBe(true);
});

describe('a refused restore', () => {
  async function refusedUntouched(args: string[], env = target.env): Promise<string> {
    const line = await refused(['restore', ...args], env);
    expect(await target.tables()).toEqual([]);
    return line;
  }

  test('writes nothing into a target that is not empty', async () => {
    await succeed(['migrate'], target.env);
    const before = await target.rows('SELECT * FROM deployment');
    expect(await refused(['restore', backup], target.env)).toMatch(/The target is not empty .* nothing was changed/);
    expect(await target.rows('SELECT * FROM deployment')).toEqual(before);
    expect(await target.rows('SELECT * FROM orders')).toEqual([]);
  });

  test('writes nothing from a missing file, a file that isn’t a database or a database that isn’t Farmboard’s', async () => {
    expect(await refusedUntouched([])).toContain('farmboard restore FILE');
    expect(await refusedUntouched([folder.path('nothing')])).toContain('File not found');
    expect(existsSync(folder.path('nothing'))).toBe(false);
    writeFileSync(folder.path('text'), 'no database\n'.repeat(1000));
    expect(await refusedUntouched([folder.path('text')])).toMatch(/text cannot be read as a SQLite database/);
    mkdirSync(folder.path('folder'));
    expect(await refusedUntouched([folder.path('folder')])).toMatch(/folder (cannot be read|is damaged)/);
    writeFileSync(folder.path('empty'), '');
    expect(await refusedUntouched([folder.path('empty')])).toContain('is not a Farmboard database');
    await execute(folder.path('foreign'), 'CREATE TABLE orders (id TEXT)');
    expect(await refusedUntouched([folder.path('foreign')])).toContain('is not a Farmboard database');
  });

  test('writes nothing from a truncated or damaged backup', async () => {
    const damaged = folder.path('damaged');
    copyFileSync(backup, damaged);
    truncateSync(damaged, readFileSync(backup).length - 4096 * 10);
    expect(await refusedUntouched([damaged])).toMatch(/damaged cannot be read as a SQLite database .*malformed/);
    truncateSync(damaged, 5000);
    expect(await refusedUntouched([damaged])).toMatch(/damaged cannot be read as a SQLite database .*malformed/);

    const bytes = readFileSync(backup);
    bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 8192);
    writeFileSync(damaged, bytes);
    expect(await refusedUntouched([damaged])).toMatch(/damaged is damaged/);
    // no option makes a damaged file a sound one
    expect(await refusedUntouched([damaged, '--faults', 'accept'])).toMatch(/damaged is damaged/);
  });

  test('writes nothing from a backup whose index does not fit its table, though every row can be read', async () => {
    const damaged = folder.path('unfitting');
    copyFileSync(backup, damaged);
    await execute(
      damaged,
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'updated_at', 'price') WHERE name = 'orders_by_status_updated'",
    );
    expect(await refusedUntouched([damaged, '--faults', 'accept'])).toMatch(/is damaged: row \d+ missing from index/);
  });

  test('writes nothing from a database in use', async () => {
    copyFileSync(backup, folder.path('live'));
    writeFileSync(folder.path('live-wal'), 'changes that are not in the file yet');
    expect(await refusedUntouched([folder.path('live')])).toContain('a database in use');
  });

  test('writes nothing from another schema, older or newer', async () => {
    const other = folder.path('other');
    copyFileSync(backup, other);
    await execute(other, "DELETE FROM schema_migrations WHERE name LIKE '%_create_schema'");
    expect(await refusedUntouched([other])).toMatch(/older version of Farmboard .*_create_schema.*farmboard migrate/);
    await execute(other, "INSERT INTO schema_migrations VALUES ('99990101000000_later', 0)");
    expect(await refusedUntouched([other])).toMatch(/newer version of Farmboard \(99990101000000_later\)/);
  });

  test('writes nothing without the secret key of the data, unless told that it is lost', async () => {
    const other = { ...target.env, SECRET_KEY: 'x'.repeat(32) };
    expect(await refusedUntouched([backup], other)).toMatch(/are encrypted, and SECRET_KEY .*doesn't match/);
    expect(await refusedUntouched([backup], { ...other, SECRET_KEY: undefined })).toMatch(/SECRET_KEY.* is missing/);
    const said = await succeed(['restore', backup, '--key', 'lost', '--verbose'], other);
    expect(tallies(said)).toEqual(held);
    expect(said).toMatch(/\nLost with the old key, and cleared:\n {2}\S+: the signing secret of the webhook channel /);
    // its end was a reset
    expect(await succeed(['secret-key', 'reset'], other)).toContain('No stored secret was lost.');
  });

  test('writes nothing into itself, by whatever name', async () => {
    const bytes = readFileSync(backup);
    expect(
      await refused(['restore', backup], {
        ...target.env,
        DATABASE_URL: `sqlite:${folder.path('./folder/../backup')}`,
      }),
    ).toContain('itself');
    expect(readFileSync(backup).equals(bytes)).toBe(true);
  });
});
