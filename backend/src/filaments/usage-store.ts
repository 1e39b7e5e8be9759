import { DAY_MS, toDay } from '../../../common/src/clock.ts';
import { fromThousandths } from '../shared/units.ts';
import { type Db, query, type Value } from '../storage/dialect.ts';
import type { Usage } from './filament-schema.ts';

/** The filaments used most are listed one by one, all others as one sum. */
const MAX_FILAMENTS = 12;

type FilamentUsage = Usage['items'][number];

interface UsageRow {
  filament_id: string | null;
  name: string | null;
  colors: string | null;
  day: number;
  grams_mg: number;
}

/**
 * Consumption without undone entries, by UTC day and filament, most used first. The statement returns at most
 * (MAX_FILAMENTS + 1) rows per day.
 * @param sinceDay the first day, counted from 1970
 */
export async function sumUsage(
  db: Db,
  accountId: string,
  sinceDay: number,
  filamentId: string | undefined,
): Promise<FilamentUsage[]> {
  const values: Value[] = [accountId, sinceDay * DAY_MS];
  if (filamentId !== undefined) values.push(filamentId);
  const rows = await query<UsageRow>(
    db,
    `WITH used AS (
       SELECT l.filament_id, l.at / ${DAY_MS} AS day, CAST(-sum(l.grams_mg) AS BIGINT) AS grams_mg
       FROM filaments f JOIN filament_ledger l ON l.filament_id = f.id AND l.kind = 'consumption'
       WHERE f.account_id = ? AND l.at >= ? ${filamentId === undefined ? '' : 'AND f.id = ?'}
         AND NOT EXISTS (SELECT 1 FROM filament_ledger u WHERE u.undoes_id = l.id)
       GROUP BY l.filament_id, l.at / ${DAY_MS}),
     most AS (
       SELECT filament_id AS id, sum(grams_mg) AS grams_mg FROM used GROUP BY filament_id
       ORDER BY sum(grams_mg) DESC, filament_id LIMIT ${MAX_FILAMENTS})
     SELECT m.id AS filament_id, f.name, f.colors, u.day, CAST(sum(u.grams_mg) AS BIGINT) AS grams_mg
     FROM used u LEFT JOIN most m ON m.id = u.filament_id LEFT JOIN filaments f ON f.id = m.id
     GROUP BY m.id, f.name, f.colors, u.day ORDER BY u.day`,
    values,
  );
  const usage = new Map<string | null, { row: UsageRow; mg: number; days: FilamentUsage['days'] }>();
  for (const row of rows) {
    const entry = usage.get(row.filament_id) ?? { row, mg: 0, days: [] };
    entry.mg += row.grams_mg;
    entry.days.push({ day: toDay(row.day * DAY_MS), grams: fromThousandths(row.grams_mg) });
    usage.set(row.filament_id, entry);
  }
  return (
    [...usage.values()]
      // the sum of the others comes last, however large
      .sort((a, b) => Number(a.row.filament_id === null) - Number(b.row.filament_id === null) || b.mg - a.mg)
      .map(({ row, mg, days }) => ({
        filament_id: row.filament_id,
        name: row.name,
        colors: row.colors === null ? [] : (JSON.parse(row.colors) as string[]),
        grams: fromThousandths(mg),
        days,
      }))
  );
}
