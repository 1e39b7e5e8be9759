import { type Db, query, queryOne } from '../storage/dialect.ts';

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
const toSimulation = ({ account_id, owner_id, started_at }: Row): Simulation => ({
  accountId: account_id,
  ownerId: owner_id,
  startedAt: started_at,
});

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

async function find(db: Db, column: 'account_id' | 'owner_id' | 'code_hash', value: string) {
  const row = await queryOne<Row>(db, `SELECT ${COLUMNS} FROM simulations WHERE ${column} = ?`, [value]);
  return row && toSimulation(row);
}

export const findSimulation = (db: Db, accountId: string) => find(db, 'account_id', accountId);
export const findSimulationOf = (db: Db, ownerId: string) => find(db, 'owner_id', ownerId);
export const findSimulationByCode = (db: Db, hash: string) => find(db, 'code_hash', hash);

/** Those that were started before a time (ms). */
export const listSimulationsBefore = async (db: Db, before: number): Promise<Simulation[]> =>
  (await query<Row>(db, `SELECT ${COLUMNS} FROM simulations WHERE started_at < ?`, [before])).map(toSimulation);
