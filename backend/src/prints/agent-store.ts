import { toIso, toIsoOrNull } from '../../../common/src/clock.ts';
import { bool, type Db, query, queryOne } from '../storage/dialect.ts';
import type { ExpiredRows } from '../storage/purge.ts';
import type { Agent } from './report-schema.ts';

interface AgentRow extends Omit<Agent, 'signed_only' | 'created_at' | 'last_used_at'> {
  signed_only: number;
  created_at: number;
  last_used_at: number | null;
}

const COLUMNS = 'id, name, printer_id, printer_group_id, hint, signed_only, created_at, last_used_at';

const toAgent = (row: AgentRow): Agent => ({
  id: row.id,
  name: row.name,
  printer_id: row.printer_id,
  printer_group_id: row.printer_group_id,
  hint: row.hint,
  signed_only: row.signed_only === 1,
  created_at: toIso(row.created_at),
  last_used_at: toIsoOrNull(row.last_used_at),
});

export interface NewAgentRow {
  id: string;
  name: string;
  printerId: string | null;
  groupId: string | null;
  hash: string;
  hint: string;
  signedOnly: boolean;
  at: number;
}

export async function insertAgent(db: Db, accountId: string, agent: NewAgentRow): Promise<Agent> {
  const [row] = await query<AgentRow>(
    db,
    `INSERT INTO agents (id, account_id, printer_id, printer_group_id, name, hash, hint, signed_only, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
    [
      agent.id,
      accountId,
      agent.printerId,
      agent.groupId,
      agent.name,
      agent.hash,
      agent.hint,
      bool(agent.signedOnly),
      agent.at,
    ],
  );
  return toAgent(row as AgentRow);
}

/** The agents that are not revoked, oldest first. */
export async function listAgents(db: Db, accountId: string): Promise<Agent[]> {
  const sql = `SELECT ${COLUMNS} FROM agents WHERE account_id = ? AND revoked_at IS NULL ORDER BY created_at, id`;
  return (await query<AgentRow>(db, sql, [accountId])).map(toAgent);
}

/** @returns the agent's printer or group; undefined if there is no such agent that is not revoked */
export async function revokeAgent(db: Db, accountId: string, id: string, at: number): Promise<string | undefined> {
  const row = await queryOne<{ of_id: string }>(
    db,
    `UPDATE agents SET revoked_at = ? WHERE account_id = ? AND id = ? AND revoked_at IS NULL
     RETURNING coalesce(printer_id, printer_group_id) AS of_id`,
    [at, accountId, id],
  );
  return row?.of_id;
}

export interface FoundAgent {
  agent: Agent;
  account: { id: string; name: string; email: string };
  /** milliseconds */
  lastUsedAt: number | null;
}

/** The only read of an authentication, so a revoked token is refused as soon as its revocation is committed. */
export async function findAgentByHash(db: Db, hash: string): Promise<FoundAgent | undefined> {
  const row = await queryOne<AgentRow & { account_id: string; account_name: string; email: string }>(
    db,
    `SELECT ${COLUMNS.replace(/\w+/g, 't.$&')}, a.id AS account_id, a.name AS account_name, a.email
     FROM agents t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ? AND t.revoked_at IS NULL`,
    [hash],
  );
  if (!row) return undefined;
  const account = { id: row.account_id, name: row.account_name, email: row.email };
  return { agent: toAgent(row), account, lastUsedAt: row.last_used_at };
}

export async function touchAgent(db: Db, id: string, at: number): Promise<void> {
  await query(db, 'UPDATE agents SET last_used_at = ? WHERE id = ?', [at, id]);
}

export interface AgentPrinter {
  id: string;
  name: string;
  internal_name: string;
}

/** Agents that were revoked before the given time (ms). */
export const expiredAgents = (revokedBefore: number): ExpiredRows => ({
  table: 'agents',
  key: ['id'],
  where: 't.revoked_at < ?',
  values: [revokedBefore],
});
