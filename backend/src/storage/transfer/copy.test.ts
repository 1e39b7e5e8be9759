import { readFileSync, writeFileSync } from 'node:fs';
import { createTestDatabase, ENGINE } from '../../../../test/kit/engine.ts';
import { createTestFolder, insertTestAccount, openTestStorage, type TestFolder } from '../../../../test/kit/storage.ts';
import { isPostgres, placeholders, query } from '../dialect.ts';
import { MIGRATIONS, migrate } from '../migrate.ts';
import { openStorage, type Storage } from '../open.ts';
import { DERIVED_TABLES, describeTables, listTables } from '../schema.ts';
import { backupTo } from './backup.ts';
import { copyDatabase, tallyAll } from './copy.ts';

let folder: TestFolder;
let source: Storage;
let clean: (() => unknown)[];
const shipped = MIGRATIONS.length;

beforeEach(async () => {
  folder = createTestFolder();
  clean = [() => folder.remove()];
  source = await openTestStorage(folder.path('source'));
  clean.push(() => source.close());
});

afterEach(async () => {
  for (const step of clean.reverse()) await step();
  MIGRATIONS.length = shipped;
});

/** Opens an empty database on the engine under test, or in memory. */
async function openEmpty(engine = ENGINE): Promise<Storage> {
  // with a linguistic collation, like most servers
  const language = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
  const database = engine === 'postgres' ? createTestDatabase({ options: language }) : undefined;
  const storage = await openStorage(
    database ? { engine: 'postgres', url: database.url } : { engine: 'sqlite', file: ':memory:' },
  );
  clean.push(async () => {
    await storage.close();
    database?.drop();
  });
  return storage;
}

const insertEvent = async (storage: Storage, account: string) =>
  (
    await query<{ seq: number }>(
      storage.writer,
      `INSERT INTO events (id, account_id, event, subject, occurred_at, body) VALUES (?, ?, '', '', 0, '') RETURNING seq`,
      [`event ${Math.random()}`, account],
    )
  )[0]?.seq as number;

const insertOrder = (storage: Storage, account: string, id: string, notes: string) =>
  query(
    storage.writer,
    `INSERT INTO orders (id, account_id, model_name, quantity_pieces, material_name, color_hex, material_mg, print_mh, due_date,
       order_notes, workflow_status, search_text, version, created_at, updated_at)
     VALUES (?, ?, 'part', 1, '', '', 9007199254740991, -1, '', ?, 'done', '', 1, 0, 0)`,
    [id, account, notes],
  );

/** Keys that collations sort differently from bytes, and more of them than fit a page. */
const KEYS = [
  'B',
  'a',
  'A',
  '_',
  '-1',
  'é',
  'e\u0301',
  'Ж',
  '打',
  '\uffff',
  '🖨️',
  "o'clock",
  '?',
  '\\',
  '{"a":[1]}',
  '\t\n',
  '',
];

async function fill(): Promise<string> {
  const account = await insertTestAccount(source);
  const keys = [...KEYS, ...Array.from({ length: 1203 }, (_, i) => `key ${i * 7919}`)];
  await query(
    source.writer,
    `INSERT INTO idempotency_keys (account_id, key, request_hash, result, created_at) VALUES ${placeholders(keys.length, 5)}`,
    keys.flatMap((key, i) => [account, key, key, i % 2 ? key : null, i - 5]),
  );
  for (const [i, notes] of KEYS.entries()) await insertOrder(source, account, `order ${i}`, notes);
  return account;
}

describe('the tables', () => {
  test('are all created by the migrations, on this engine too, column by column', async () => {
    const tables = await describeTables();
    const copied = (await listTables(source.read)).filter((name) => !DERIVED_TABLES.has(name));
    expect([...tables.map(({ name }) => name), 'schema_migrations'].sort()).toEqual(copied);
    for (const { name, columns } of tables) {
      const there = await query<{ name: string }>(
        source.read,
        isPostgres(source.read)
          ? "SELECT column_name AS name FROM information_schema.columns WHERE table_name = ? AND table_schema = 'public' ORDER BY ordinal_position"
          : 'SELECT name FROM pragma_table_info(?)',
        [name],
      );
      expect(columns.map((column) => column.name)).toEqual(there.map((column) => column.name));
    }
  });

  test('follow the tables they reference, and auto-increment keys are detected', async () => {
    const tables = await describeTables();
    const names = tables.map(({ name }) => name);
    expect(names.indexOf('deliveries')).toBeGreaterThan(names.indexOf('events'));
    expect(names.indexOf('filament_ledger')).toBeGreaterThan(names.indexOf('orders'));
    expect(
      tables
        .filter(({ isAutoIncrement: counts }) => counts)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(expect.arrayContaining(['deliveries', 'events', 'filament_batches', 'filament_ledger', 'order_history']));
  });

  test('that triggers fill are not copied, and the triggers of the target fill them', async () => {
    MIGRATIONS.push({
      name: '99990101000000_derive',
      async up(db) {
        await query(db, 'CREATE TABLE derived (n REAL)');
        const write = 'INSERT INTO derived (n) VALUES (1)';
        if (!isPostgres(db)) {
          await query(db, `CREATE TRIGGER derive AFTER INSERT ON orders BEGIN ${write}; END`);
          return;
        }
        await query(
          db,
          `CREATE FUNCTION derive() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${write}; RETURN NULL; END $$`,
        );
        await query(db, 'CREATE TRIGGER derive AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION derive()');
      },
    });
    const derived = DERIVED_TABLES as Set<string>;
    derived.add('derived');
    try {
      await migrate(source);
      await fill();
      await query(source.writer, 'DELETE FROM derived');
      const target = await openEmpty();
      const tallies = await copyDatabase(source, target);
      expect(tallies.map(({ table }) => table)).not.toContain('derived');
      const rows = await query(target.read, 'SELECT n FROM derived');
      expect(rows).toHaveLength(KEYS.length);
    } finally {
      derived.delete('derived');
    }
  });

  test('of later migrations are copied too, and ones that cannot be copied are detected', async () => {
    const migration = (sql: string) => ({
      name: '99990101000000_add',
      up: async (db: typeof source.read) => void (await query(db, sql)),
    });
    MIGRATIONS.push(migration('CREATE TABLE added (id TEXT PRIMARY KEY, n BIGINT)'));
    await migrate(source);
    await query(source.writer, "INSERT INTO added VALUES ('one', 1)");
    const target = await openEmpty();
    await copyDatabase(source, target);
    expect(await query(target.read, 'SELECT * FROM added')).toEqual([{ id: 'one', n: 1 }]);

    for (const [sql, fault] of [
      ['CREATE TABLE added (id TEXT PRIMARY KEY, n REAL)', /added.n: REAL is a type/],
      ['CREATE TABLE added (id TEXT)', /added has no primary key/],
      ['CREATE TABLE added (id TEXT PRIMARY KEY, parent TEXT REFERENCES added (id))', /added refer to/],
    ] as const) {
      MIGRATIONS[shipped] = migration(sql);
      await expect(describeTables()).rejects.toThrow(fault);
    }
  });
});

describe('a copy', () => {
  test('is equal in both directions for any text, and records its own migrations', async () => {
    await fill();
    const there = await openEmpty();
    const inMemory = await openEmpty('sqlite');
    const tallies = await copyDatabase(source, inMemory);
    expect(await copyDatabase(inMemory, there)).toEqual(tallies);
    expect(await tallyAll(there)).toEqual(tallies);
    expect(await tallyAll(source)).toEqual(tallies);
    expect(tallies.find(({ table }) => table === 'idempotency_keys')?.rows).toBe(KEYS.length + 1203);
    const read = (storage: Storage) => query(storage.read, 'SELECT * FROM idempotency_keys ORDER BY created_at');
    expect(await read(there)).toEqual(await read(source));
    expect(await query(there.read, 'SELECT * FROM deployment')).toEqual(
      await query(source.read, 'SELECT * FROM deployment'),
    );
    expect(await migrate(there)).toEqual([]);
  });

  test('is analyzed, so that the planner has statistics immediately', async () => {
    await fill();
    const there = await openEmpty();
    await copyDatabase(source, there);
    if (!isPostgres(there.read)) return;
    const sizes = await query(there.read, "SELECT reltuples FROM pg_class WHERE relname = 'idempotency_keys'");
    expect(sizes).toEqual([{ reltuples: KEYS.length + 1203 }]);
  });

  test('continues with unused numbers, also where rows were deleted', async () => {
    const account = await insertTestAccount(source);
    await insertEvent(source, account);
    await insertEvent(source, account);
    const last = await insertEvent(source, account);
    await query(source.writer, 'DELETE FROM events WHERE seq > 1');
    const inMemory = await openEmpty('sqlite');
    const there = await openEmpty();
    await copyDatabase(source, inMemory);
    await copyDatabase(inMemory, there);
    expect(await insertEvent(inMemory, account)).toBe(last + 1);
    expect(await insertEvent(there, account)).toBe(last + 1);
    // a table that never had a row
    expect(
      await query<{ seq: number }>(
        there.writer,
        `INSERT INTO deliveries (subscription_id, event_seq, subject, state, committed_at)
      SELECT 'x', 1, '', 'pending', 0 WHERE 1 = 0 RETURNING seq`,
      ),
    ).toEqual([]);
  });

  test('is a snapshot of a source that is being written', async () => {
    const account = await insertTestAccount(source);
    await insertEvent(source, account);
    const other = isPostgres(source.read)
      ? source
      : await openStorage({ engine: 'sqlite', file: source.file as string });
    if (other !== source) clean.push(() => other.close());
    const count = async (db: Storage['read']) =>
      Number((await query<{ n: number }>(db, 'SELECT count(*) AS n FROM events'))[0]?.n);
    await source.inSnapshot(async (db) => {
      expect(await count(db)).toBe(1);
      await other.inTransaction(async (tx) => {
        await query(tx.db, 'DELETE FROM events');
      });
      expect(await count(other.read)).toBe(0);
      expect(await count(db)).toBe(1);
      await expect(query(db, 'DELETE FROM events')).rejects.toThrow(/read.?only/);
    });
  });

  const TAMPER = {
    'one byte of one row': {
      sqlite: "UPDATE orders SET order_notes = 'fragilf' WHERE id = NEW.id",
      postgres: "NEW.order_notes := 'fragilf'; RETURN NEW",
    },
    'one thousandth of a gram': {
      sqlite: 'UPDATE orders SET material_mg = NEW.material_mg - 1 WHERE id = NEW.id',
      postgres: 'NEW.material_mg := NEW.material_mg - 1; RETURN NEW',
    },
    'nothing where there was an empty text': {
      sqlite: "UPDATE orders SET customer_name = '' WHERE id = NEW.id",
      postgres: "NEW.customer_name := ''; RETURN NEW",
    },
    'a whole row': { sqlite: 'DELETE FROM orders WHERE id = NEW.id', postgres: 'RETURN NULL' },
  };
  test.each(Object.entries(TAMPER))(
    'that differs in %s is detected, and the target stays empty',
    async (_what, act) => {
      MIGRATIONS.push({
        name: '99990101000000_tamper',
        async up(db) {
          if (!isPostgres(db)) {
            await query(
              db,
              `CREATE TRIGGER tamper AFTER INSERT ON orders WHEN NEW.order_notes = 'fragile' BEGIN ${act.sqlite}; END`,
            );
            return;
          }
          await query(
            db,
            `CREATE FUNCTION tamper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.order_notes = 'fragile' THEN ${act.postgres}; END IF; RETURN NEW; END $$`,
          );
          await query(db, 'CREATE TRIGGER tamper BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION tamper()');
        },
      });
      await migrate(source);
      await fill();
      // bypassing the trigger
      await query(source.writer, "UPDATE orders SET order_notes = 'fragile' WHERE id = 'order 3'");
      const target = await openEmpty();
      await expect(copyDatabase(source, target)).rejects.toThrow(/^The copy doesn't match the source.*orders has/);
      expect(await listTables(target.read)).toEqual([]);
    },
  );

  test('is refused for a row with a value that does not fit its column', async () => {
    const inMemory = await openEmpty('sqlite');
    await migrate(inMemory);
    const account = await insertTestAccount(inMemory);
    const target = await openEmpty();
    for (const [column, value, where] of [
      ['name', "x'00ff'", 'accounts.name'],
      ['created_at', '1.5', 'accounts.created_at'],
      ['created_at', '9007199254740993', 'accounts.created_at'],
    ]) {
      await query(inMemory.writer, `UPDATE accounts SET name = 'x', created_at = 0`);
      await query(inMemory.writer, `UPDATE accounts SET ${column} = ${value}`);
      await expect(copyDatabase(inMemory, target)).rejects.toThrow(`${where} of id ${account} is not a valid`);
      expect(await listTables(target.read)).toEqual([]);
    }
  });

  test('is only made into an empty database, from one with the current schema', async () => {
    const target = await openEmpty();
    await query(target.writer, 'CREATE TABLE precious (id TEXT)');
    await expect(copyDatabase(source, target)).rejects.toThrow(
      'The target is not empty (it contains the table precious)',
    );
    expect(await listTables(target.read)).toEqual(['precious']);
    await query(target.writer, 'DROP TABLE precious');
    await expect(copyDatabase(source, source)).rejects.toThrow('The target is not empty');
    await expect(copyDatabase(target, source)).rejects.toThrow('The database to copy is not a Farmboard database.');

    await query(source.writer, "INSERT INTO schema_migrations VALUES ('99990101000000_later', 0)");
    await expect(copyDatabase(source, target)).rejects.toThrow('newer version of Farmboard (99990101000000_later)');
    await query(source.writer, "DELETE FROM schema_migrations WHERE name = '99990101000000_later'");
    MIGRATIONS.push({ name: '99990101000000_later', up: async () => undefined });
    await expect(copyDatabase(source, target))
      .rejects.toThrow(/older version of Farmboard.*farmboard migrate/)
      .finally(() => MIGRATIONS.pop());
    expect(await listTables(target.read)).toEqual([]);
  });

  test('that fails at the end leaves the target empty, and can be repeated', async () => {
    await fill();
    const target = await openEmpty();
    await expect(
      copyDatabase(source, target, undefined, async () => {
        throw new Error('the disk is full');
      }),
    ).rejects.toThrow('the disk is full');
    expect(await listTables(target.read)).toEqual([]);
    await copyDatabase(source, target);
    expect(await tallyAll(target)).toEqual(await tallyAll(source));
  });
});

test('a backup does not replace one that was written to the same file meanwhile', async () => {
  const file = folder.path('backup');
  const writeOther = async () => {
    writeFileSync(file, 'another backup');
    return [];
  };
  await expect(backupTo(source, file, writeOther)).rejects.toThrow('already exists');
  expect(readFileSync(file, 'utf8')).toBe('another backup');
});
