import { type Db, forUpdate, isPostgres, query, queryOne } from '../storage/dialect.ts';

export interface Simulation {
  accountId: string;
  /** null: started from the command line */
  ownerId: string | null;
  startedAt: number;
}

interface Row {
  account_id: string;
  owner_id: string | null;
  started_at: number;
}

const COLUMNS = 'account_id, owner_id, started_at';
/** The time of those that are being deleted: nobody finds them any more. */
const RETIRED = 0;
const toSimulation = ({ account_id, owner_id, started_at }: Row): Simulation => ({
  accountId: account_id,
  ownerId: owner_id,
  startedAt: started_at,
});

/** Nobody else starts one until the transaction ends, in any process. SQLite's writers take turns anyway. */
export async function lockStarts(db: Db): Promise<void> {
  if (isPostgres(db)) await query(db, 'LOCK TABLE simulations IN SHARE ROW EXCLUSIVE MODE');
}

/** @throws the driver's unique violation if the owner has one */
export async function insertSimulation(db: Db, simulation: Simulation & { codeHash: string }): Promise<void> {
  const { accountId, ownerId, codeHash, startedAt } = simulation;
  await query(db, 'INSERT INTO simulations (account_id, owner_id, code_hash, started_at) VALUES (?, ?, ?, ?)', [
    accountId,
    ownerId,
    codeHash,
    startedAt,
  ]);
}

async function find(db: Db, column: 'account_id' | 'owner_id' | 'code_hash', value: string, lock = '') {
  const sql = `SELECT ${COLUMNS} FROM simulations WHERE ${column} = ? AND started_at > ${RETIRED}${lock}`;
  const row = await queryOne<Row>(db, sql, [value]);
  return row && toSimulation(row);
}

export const findSimulation = (db: Db, accountId: string) => find(db, 'account_id', accountId);
export const findSimulationOf = (db: Db, ownerId: string) => find(db, 'owner_id', ownerId);
export const findSimulationByCode = (db: Db, hash: string) => find(db, 'code_hash', hash);

/** As `findSimulation`; it isn't retired before the transaction ends. */
export const lockSimulation = (db: Db, accountId: string) => find(db, 'account_id', accountId, forUpdate(db));

/** The number of those that were started after a time (ms). */
export async function countSimulationsSince(db: Db, since: number): Promise<number> {
  const row = await queryOne<{ n: number }>(db, 'SELECT count(*) AS n FROM simulations WHERE started_at > ?', [since]);
  return row?.n ?? 0;
}

/** Those that were started before a time (ms). */
export const listSimulationsBefore = async (db: Db, before: number): Promise<Simulation[]> =>
  (
    await query<Row>(db, `SELECT ${COLUMNS} FROM simulations WHERE started_at > ${RETIRED} AND started_at < ?`, [
      before,
    ])
  ).map(toSimulation);

/** Moves the start of a simulation back to a time (ms), so that its day is over for every process. */
export async function moveStartBack(db: Db, accountId: string, to: number): Promise<void> {
  await query(db, 'UPDATE simulations SET started_at = ? WHERE account_id = ? AND started_at > ?', [to, accountId, to]);
}

/** Marks a simulation as being deleted. Its owner may start another one. */
export async function retireSimulation(db: Db, accountId: string): Promise<void> {
  await query(
    db,
    `UPDATE simulations SET owner_id = NULL, code_hash = '', started_at = ${RETIRED} WHERE account_id = ?`,
    [accountId],
  );
}

/** The accounts of those that are being deleted. */
export const listRetired = async (db: Db): Promise<string[]> =>
  (await query<Row>(db, `SELECT ${COLUMNS} FROM simulations WHERE started_at = ${RETIRED}`)).map(
    ({ account_id }) => account_id,
  );
