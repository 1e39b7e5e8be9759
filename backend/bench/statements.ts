import type { Db, Value } from '../src/storage/dialect.ts';
import type { Storage } from '../src/storage/open.ts';

/** One statement as sent by the service. */
interface Statement {
  sql: string;
  bindings: Value[];
}

/** The statements of one request: reads on the pool, and each transaction's statements in order. */
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
 * Records the statements sent by `work`. The baseline replays them, so it always runs the same statements as the
 * service. Nothing else may use the storage meanwhile.
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

/** Runs recorded statements with each bound value mapped by `bind`. @returns the rows of the last statement */
export async function replay(db: Db, statements: Statement[], bind: (value: Value) => Value): Promise<unknown> {
  let rows: unknown;
  for (const { sql, bindings } of statements) rows = await db.raw(sql, bindings.map(bind));
  return rows;
}
