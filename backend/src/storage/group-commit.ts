import { DomainError } from '../shared/errors.ts';
import { query } from './dialect.ts';
import { runWork, type TransactionOptions, type Tx } from './transaction.ts';

/** How many transactions may share a commit: the first of them waits for the last. */
const MAX_TOGETHER = 8;

/**
 * How long the file is left to other processes when more transactions are waiting. SQLite has no queue: others try
 * again every 100 ms, and would hardly ever find it unlocked.
 */
const LEAVE_UNLOCKED_MS = 3;

/** How long a transaction waits for its turn. */
const MAX_WAIT_MS = 30_000;

// not that of node:timers/promises, whose time tests can't set
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Waiting {
  /** shares its commit with none, because others would wait for it */
  isLong: boolean;
  run(tx: Tx): Promise<void>;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
}

export interface GroupCommit {
  inTransaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** how many transactions wait for their turn */
  waiting(): number;
}

/**
 * Runs transactions one after the other on SQLite's only writer. Those that wait for the same turn share one commit,
 * because a commit takes as long as several statements and waits for the disk. None of them resolves before it; one that
 * fails undoes its own changes only.
 * @param transact begins a transaction, runs the work in it and commits it
 */
export function createGroupCommit(transact: (work: (tx: Tx) => Promise<void>) => Promise<void>): GroupCommit {
  const queue: Waiting[] = [];
  let isRunning = false;

  /** @param leader the first of the group that it joins; undefined for the first of the next group */
  function next(leader?: Waiting): Waiting | undefined {
    if (leader && (leader.isLong || queue[0]?.isLong)) return undefined;
    const waiting = queue.shift();
    clearTimeout(waiting?.timer);
    return waiting;
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    for (let first = next(); first; first = next()) {
      const size = await runGroup(transact, first, next);
      if (size === MAX_TOGETHER && queue.length > 0) await pause(LEAVE_UNLOCKED_MS);
    }
    isRunning = false;
  }

  return {
    inTransaction: (work, { isLong = false } = {}) =>
      new Promise((resolve, reject) => {
        const waiting: Waiting = {
          isLong,
          run: (tx) => runMember(tx, work, resolve, reject),
          reject,
          timer: setTimeout(() => {
            queue.splice(queue.indexOf(waiting), 1);
            reject(new DomainError('unavailable', 'The database is busy. Nothing was changed; try again shortly.'));
          }, MAX_WAIT_MS),
        };
        queue.push(waiting);
        if (!isRunning) void runAll();
      }),
    waiting: () => queue.length,
  };
}

/** @returns how many transactions were in the group; each has been resolved or rejected */
async function runGroup(
  transact: (work: (tx: Tx) => Promise<void>) => Promise<void>,
  first: Waiting,
  next: (leader: Waiting) => Waiting | undefined,
): Promise<number> {
  const group = [first];
  try {
    await transact(async (tx) => {
      // needs no savepoint, because nothing was changed before it
      await first.run(tx);
      while (group.length < MAX_TOGETHER) {
        const member = next(first);
        if (!member) return;
        group.push(member);
        await runInSavepoint(tx, member);
      }
    });
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
  return group.length;
}

/** @throws the member's error if it can't be undone alone: on a full disk, SQLite rolls back the whole transaction */
async function runInSavepoint(tx: Tx, member: Waiting): Promise<void> {
  // of several with the same name, the last one counts
  await query(tx.db, 'SAVEPOINT member');
  try {
    await member.run(tx);
  } catch (error) {
    await query(tx.db, 'ROLLBACK TO member').catch(() => Promise.reject(error));
    member.reject(error);
  }
}

/** Runs a member's work now, and its actions after the commit. @throws what the work throws */
async function runMember<T>(
  { db, afterCommit }: Tx,
  work: (tx: Tx) => Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Promise<void> {
  const { result, runActions } = await runWork(db, work);
  afterCommit(() => {
    try {
      runActions();
      resolve(result);
    } catch (error) {
      reject(error);
    }
  });
}
