import type { Db, Value } from '../src/storage/dialect.ts';
import type { Storage } from '../src/storage/open.ts';

/** One statement as the service sent it. */
interface Statement {
  sql: string;
  bindings: Value[];
}

/** What one request sent to the database: reads on the pool, and the statements of each transaction, in order. */
export interface Recording {
  reads: Statement[];
  transactions: Statement[][];
}

interface QueryEvent {
  sql: string;
  bindings?: Value[];
  __knexTxId?: string;
}

/**
 * Records the statements of a piece of work. The floor replays them, so that it runs the very statements of the service by
 * construction and cannot drift from it. Only the work may use the storage meanwhile.
 */
export async function record(storage: Storage, work: () => Promise<void>): Promise<Recording> {
  const recording: Recording = { reads: [], transactions: [] };
  const isFrame = (sql: string) => /^(BEGIN|COMMIT|ROLLBACK)/.test(sql);
  const open = new Map<string, Statement[]>();
  const onRead = ({ sql, bindings = [] }: QueryEvent) => void recording.reads.push({ sql, bindings });
  const onWrite = ({ sql, bindings = [], __knexTxId: id = '' }: QueryEvent) => {
    if (sql.startsWith('BEGIN')) open.set(id, []);
    else if (sql.startsWith('COMMIT')) recording.transactions.push(open.get(id) ?? []);
    else if (!isFrame(sql)) open.get(id)?.push({ sql, bindings });
  };
  storage.read.on('query', onRead);
  storage.writer.on('query', onWrite);
  try {
    await work();
  } finally {
    storage.read.off('query', onRead);
    storage.writer.off('query', onWrite);
  }
  return recording;
}

/** Runs recorded statements, each bound value passed through `bind`. @returns the rows of the last one */
export async function replay(db: Db, statements: Statement[], bind: (value: Value) => Value): Promise<unknown> {
  let rows: unknown;
  for (const { sql, bindings } of statements) rows = await db.raw(sql, bindings.map(bind));
  return rows;
}
