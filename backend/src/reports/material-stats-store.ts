import { fromThousandths } from '../shared/units.ts';
import { type Db, query } from '../storage/dialect.ts';
import type { Day } from './calendar.ts';

export interface MaterialUse {
  /** the material's name, such as PETG; empty if the filament has none */
  type_name: string;
  grams: number;
}

/** Consumption in a period without undone entries, by material, most used first. */
export async function listUseByMaterial(
  db: Db,
  accountId: string,
  { since, until }: Pick<Day, 'since' | 'until'>,
  limit: number,
): Promise<MaterialUse[]> {
  const rows = await query<{ type_name: string; used_mg: number }>(
    db,
    `SELECT f.type_name, CAST(-sum(l.grams_mg) AS BIGINT) AS used_mg
     FROM filaments f JOIN filament_ledger l ON l.filament_id = f.id
     WHERE f.account_id = ? AND l.kind = 'consumption' AND l.at >= ? AND l.at < ?
       AND NOT EXISTS (SELECT 1 FROM filament_ledger u WHERE u.undoes_id = l.id)
     GROUP BY f.type_name ORDER BY used_mg DESC, f.type_name LIMIT ?`,
    [accountId, since, until, limit],
  );
  return rows.map(({ type_name, used_mg }) => ({ type_name, grams: fromThousandths(used_mg) }));
}
