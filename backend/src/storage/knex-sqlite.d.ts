// Knex publishes no types for its dialect classes; these are the members that storage/sqlite-client.ts uses.
declare module 'knex/lib/dialects/sqlite3/index.js' {
  interface SqliteTransaction {
    readOnly: boolean | undefined;
    begin(connection: unknown): Promise<unknown>;
    query(connection: unknown, sql: string): Promise<unknown>;
  }
  export default class SqliteClient {
    constructor(config: unknown);
    readonly connectionSettings: { filename: string };
    transaction(...args: unknown[]): SqliteTransaction;
    _query(connection: unknown, query: unknown): Promise<unknown>;
    destroyRawConnection(connection: unknown): Promise<void>;
  }
}
