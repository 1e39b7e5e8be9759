import { eventually } from '../../../test/kit/eventually.ts';
import { forSuite } from '../../../test/kit/opened.ts';
import { createTestFolder, insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { query, queryOne } from './dialect.ts';
import { refreshStatistics } from './statistics.ts';

const folder = forSuite(createTestFolder);
const storage = forSuite(() => openTestStorage(folder.path('statistics')));

interface Statistics {
  analyzed: number;
  vacuumed: number;
}

const read = async (table: string) =>
  (await queryOne<Statistics>(
    storage.read,
    'SELECT analyze_count AS analyzed, vacuum_count AS vacuumed FROM pg_stat_user_tables WHERE relname = ?',
    [table],
  )) as Statistics;

// the server counts changes with a delay
const refreshed = (table: string, isExpected: (seen: Statistics) => boolean) =>
  eventually(async () => {
    await refreshStatistics(storage);
    return read(table);
  }, isExpected);

test('tables that have grown are analyzed once, those of mostly dead rows are vacuumed', async () => {
  const account = await insertTestAccount(storage);
  await query(
    storage.writer,
    `INSERT INTO orders (id, account_id, model_name, quantity_pieces, material_name, color_hex, material_mg, print_mh, due_date,
       order_notes, workflow_status, search_text, version, created_at, updated_at)
     SELECT 'order ' || i, ?, '', 1, '', '#808080', 0, 0, '2026-01-05', '', 'printing', 'part ' || i, 1, i, i
     FROM generate_series(1, 2000) i`,
    [account],
  );
  const { analyzed } = await refreshed('orders', (seen) => seen.analyzed > 0);
  await refreshStatistics(storage);
  expect(await read('orders')).toEqual({ analyzed, vacuumed: 0 });
  expect((await read('printers')).analyzed).toBe(0);

  await query(storage.writer, 'DELETE FROM orders');
  await refreshed('orders', (seen) => seen.vacuumed === 1);
});
