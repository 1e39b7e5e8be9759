import sqlite3 from 'sqlite3';

/** A second pair of eyes on the database file: reads beside the running service and never writes. */
export interface Peek {
  rows<R = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

export async function peekInto(file: string): Promise<Peek> {
  const db = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened: sqlite3.Database = new sqlite3.Database(file, sqlite3.OPEN_READONLY, (error) =>
      error ? reject(error) : resolve(opened),
    );
  });
  db.configure('busyTimeout', 5_000);
  return {
    rows: <R>(sql: string, values: unknown[] = []) =>
      new Promise<R[]>((resolve, reject) => {
        db.all<R>(sql, values, (error, rows) => (error ? reject(error) : resolve(rows)));
      }),
    close: () =>
      new Promise<void>((resolve, reject) => {
        db.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** Looks again and again until the condition holds. @throws Error with the last thing seen when it never does */
export async function eventually<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  withinMs: number,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`after ${withinMs} ms it is still ${JSON.stringify(seen)?.slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
