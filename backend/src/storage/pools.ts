import type { Knex } from 'knex';
import type { Storage } from './open.ts';

/** The connections of a pool at this moment. */
export interface PoolUse {
  /** SQLite has one connection that writes and a few that read; PostgreSQL has one pool for both */
  pool: 'reader' | 'writer' | 'all';
  inUse: number;
  idle: number;
  /** statements and transactions that wait for a connection */
  waiting: number;
}

const readPool = (pool: PoolUse['pool'], db: Knex, waiting = 0): PoolUse => ({
  pool,
  inUse: db.client.pool.numUsed(),
  idle: db.client.pool.numFree(),
  waiting: db.client.pool.numPendingAcquires() + waiting,
});

/** How busy the database connections of this process are. Asks the pools, not the database. */
export const readPools = ({ read, writer, waiting }: Pick<Storage, 'read' | 'writer' | 'waiting'>): PoolUse[] =>
  read === writer
    ? [readPool('all', writer, waiting())]
    : [readPool('reader', read), readPool('writer', writer, waiting())];
