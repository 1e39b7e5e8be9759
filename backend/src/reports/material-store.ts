import { type Db, placeholders, query } from '../storage/dialect.ts';

/** @returns those of the given materials that an order or a filament of the account has */
export async function listKnownMaterials(db: Db, accountId: string, materials: string[]): Promise<string[]> {
  const listed = placeholders(1, materials.length);
  const rows = await query<{ material: string }>(
    db,
    `SELECT type_name AS material FROM filaments WHERE account_id = ? AND type_name IN ${listed}
     UNION SELECT material_name FROM orders WHERE account_id = ? AND material_name IN ${listed}`,
    [accountId, ...materials, accountId, ...materials],
  );
  return rows.map(({ material }) => material);
}
