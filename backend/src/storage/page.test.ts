import fc from 'fast-check';
import { createTestFolder, type TestFolder } from '../../../test/kit/storage.ts';
import type { Position } from '../shared/cursor.ts';
import { query } from './dialect.ts';
import { openStorage, type Storage } from './open.ts';
import { queryPage } from './page.ts';

let folder: TestFolder;
let storage: Storage;

beforeEach(async () => {
  folder = createTestFolder();
  storage = await openStorage({ engine: 'sqlite', file: folder.path('pages.sqlite3') });
  await query(
    storage.writer,
    'CREATE TABLE things (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, age INTEGER, note TEXT)',
  );
});

afterEach(async () => {
  await storage.close();
  folder.remove();
});

async function insert(count: number, kind = 'a'): Promise<void> {
  await storage.inTransaction(async ({ db }) => {
    // many rows have the same age, so only the id orders them
    for (let i = 0; i < count; i++) await query(db, 'INSERT INTO things (kind, age) VALUES (?, ?)', [kind, i % 3]);
  });
}

const page = (limit: number, offset: number, kind = 'a') =>
  queryPage<{ id: number; note: string | null; twice: number }>(storage.read, {
    columns: 'id, age, note, id * 2 AS twice',
    table: 'things',
    where: ['t.kind = ?', 't.id > ?'],
    values: [kind, 0],
    orderBy: 't.age DESC, t.id',
    limit,
    offset,
  });

test('consecutive pages return every row once, in order, each with the total', async () => {
  await insert(23);
  await insert(5, 'b');
  const seen: number[] = [];
  for (let offset = 0; offset < 30; offset += 4) {
    const { rows, total } = await page(4, offset);
    expect(total).toBe(23);
    expect(rows).toHaveLength(Math.max(0, Math.min(4, 23 - offset)));
    seen.push(...rows.map((row) => row.id));
  }
  const all = await query<{ id: number }>(storage.read, "SELECT id FROM things WHERE kind = 'a' ORDER BY age DESC, id");
  expect(seen).toEqual(all.map((row) => row.id));
});

test('a page past the last one is empty and still has the total', async () => {
  await insert(3);
  expect(await page(10, 3)).toEqual({ rows: [], total: 3 });
  expect(await page(10, 1_000_000)).toEqual({ rows: [], total: 3 });
});

test('an empty table gives an empty page', async () => {
  expect(await page(10, 0)).toEqual({ rows: [], total: 0 });
  await insert(2, 'b');
  expect(await page(10, 0)).toEqual({ rows: [], total: 0 });
});

test('a row whose columns are all null is returned', async () => {
  await query(storage.writer, "INSERT INTO things (kind) VALUES ('a')");
  const { rows, total } = await page(10, 0);
  expect(total).toBe(1);
  expect(rows).toMatchObject([{ id: 1, note: null, twice: 2 }]);
});

test('rows and total come from one snapshot and one statement, also during writes', async () => {
  await insert(10);
  const statements: string[] = [];
  storage.read.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  let writing = true;
  const writer = (async () => {
    for (let i = 0; writing; i++) {
      await storage.inTransaction(({ db }) =>
        i % 3 === 2
          ? query(db, 'DELETE FROM things WHERE id IN (SELECT id FROM things LIMIT 2)')
          : query(db, "INSERT INTO things (kind, age) VALUES ('a', 1)"),
      );
    }
  })();
  const totals = new Set<number>();
  let pages = 0;
  // at least two totals must be seen, however rarely the writer is scheduled
  for (; pages < 200 || totals.size < 2; pages++) {
    const { rows, total } = await page(10_000, 0);
    expect(rows).toHaveLength(total);
    totals.add(total);
  }
  writing = false;
  await writer;
  expect(statements).toHaveLength(pages);
});

describe('a page of a list whose total is known', () => {
  const COUNT = 1_250;
  const deepPage = (limit: number, offset: number) =>
    queryPage<{ id: number }>(storage.read, {
      columns: 'id, age',
      table: 'things',
      where: ['t.kind = ?'],
      values: ['a'],
      orderBy: 't.age DESC, t.id',
      key: 'id',
      total: { sql: '(SELECT count(*) FROM things WHERE kind = ?)', values: ['a'] },
      limit,
      offset,
    });

  test('is read from the nearer end', async () => {
    await insert(COUNT);
    const skipped: unknown[] = [];
    storage.read.on('query', ({ bindings = [] }: { bindings?: unknown[] }) => skipped.push(bindings.at(-1)));
    const all = await query<{ id: number }>(storage.read, 'SELECT id FROM things ORDER BY age DESC, id');
    for (const [offset, expected] of [
      [0, 0],
      [1_000, 240],
      [1_240, 0],
      [1_245, 0],
      [1_250, 0],
      [9_000, 0],
    ] as const) {
      const { rows, total } = await deepPage(10, offset);
      expect([offset, total, rows.map(({ id }) => id)]).toEqual([
        offset,
        COUNT,
        all.slice(offset, offset + 10).map(({ id }) => id),
      ]);
      expect([offset, skipped.at(-1)]).toEqual([offset, expected]);
    }
    await insert(COUNT);
    expect((await deepPage(10, 1_000)).rows).toHaveLength(10);
    expect(skipped.at(-1)).toBe(1_000);
  });

  test('agrees with its total while rows are written', async () => {
    await insert(COUNT);
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) {
        await storage.inTransaction(({ db }) =>
          i % 2 === 0
            ? query(db, "INSERT INTO things (kind, age) VALUES ('a', 9), ('a', 9), ('a', 9)")
            : query(db, 'DELETE FROM things WHERE age = 9'),
        );
      }
    })();
    const totals = new Set<number>();
    for (let pages = 0; pages < 200 || totals.size < 2; pages++) {
      const { rows, total } = await deepPage(100, COUNT - 10);
      expect(rows).toHaveLength(total - (COUNT - 10));
      totals.add(total);
    }
    writing = false;
    await writer;
  });
});

test('pages by positions contain every row that stays exactly once, whatever is inserted and deleted meanwhile', async () => {
  const behind = (limit: number, position?: Position) =>
    queryPage<{ id: number }>(storage.read, {
      columns: 'id, age',
      table: 'things',
      where: ['t.kind = ?'],
      values: ['a'],
      orderBy: 't.age DESC, t.id DESC',
      limit,
      offset: 0,
      position,
    });
  const count = async () =>
    (await query<{ n: number }>(storage.read, "SELECT count(*) AS n FROM things WHERE kind = 'a'"))[0]?.n;
  const change = fc.record({ age: fc.nat({ max: 4 }), delete: fc.nat() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(change, { maxLength: 12 }),
      async (ages, limit, changes) => {
        await query(storage.writer, 'DELETE FROM things');
        for (const age of ages) await query(storage.writer, "INSERT INTO things (kind, age) VALUES ('a', ?)", [age]);
        const at = await query<{ id: number }>(storage.read, 'SELECT id FROM things ORDER BY id');
        const staying = new Set(at.map(({ id }) => id));
        const seen: number[] = [];
        let next: Position | undefined;
        do {
          const page = await behind(limit, next);
          expect(page.total).toBe(await count());
          seen.push(...page.rows.map(({ id }) => id));
          expect(new Set(seen).size).toBe(seen.length);
          next = page.next;
          const [now] = changes.splice(0, 1);
          if (!now) continue;
          await query(storage.writer, "INSERT INTO things (kind, age) VALUES ('a', ?)", [now.age]);
          const gone = at[now.delete % at.length]?.id as number;
          await query(storage.writer, 'DELETE FROM things WHERE id = ?', [gone]);
          staying.delete(gone);
        } while (next);
        expect(seen.filter((id) => staying.has(id)).sort((a, b) => a - b)).toEqual([...staying]);
      },
    ),
    { numRuns: 60 },
  );
});

test('a position is where the last row was, also if that row is gone', async () => {
  await insert(9);
  const read = (position?: Position) =>
    queryPage<{ id: number }>(storage.read, {
      columns: 'id, age',
      table: 'things',
      where: ['t.kind = ?'],
      values: ['a'],
      orderBy: 't.id',
      limit: 3,
      offset: 0,
      position,
    });
  const { rows, next } = await read();
  expect([rows.map(({ id }) => id), next]).toEqual([[1, 2, 3], [3]]);
  await query(storage.writer, 'DELETE FROM things WHERE id IN (2, 3, 4)');
  const second = await read(next);
  expect([second.rows.map(({ id }) => id), second.total, second.next]).toEqual([[5, 6, 7], 6, [7]]);
  const last = await read(second.next);
  expect([last.rows.map(({ id }) => id), last.total, last.next]).toEqual([[8, 9], 6, undefined]);
});
