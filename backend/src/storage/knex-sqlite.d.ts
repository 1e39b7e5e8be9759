// Knex publishes no types for its dialect classes; these are the members that storage/open.ts uses.
declare module 'knex/lib/dialects/sqlite3/index.js' {
  interface SqliteTransaction {
    readOnly: boolean | undefined;
    begin(connection: unknown): Promise<unknown>;
    query(connection: unknown, sql: string): Promise<unknown>;
  }
  export default class SqliteClient {
    constructor(config: unknown);
    transaction(...args: unknown[]): SqliteTransaction;
  }
}
