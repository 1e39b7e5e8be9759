import { type Clock, HOUR_MS } from '../../../common/src/clock.ts';
import { createToken, isWellFormedToken, randomBase62, sha256 } from '../../../common/src/crypto.ts';
import type { Logger } from '../../../common/src/logger.ts';
import type { SimulationInput, SimulationMessage, SimulationState } from '../../../common/src/simulation.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type * as accountStore from '../accounts/account-store.ts';
import type { SignInContext } from '../accounts/password-check.ts';
import type { SessionService, SignedIn } from '../accounts/sessions.ts';
import { DomainError, notFound } from '../shared/errors.ts';
import type { Language } from '../shared/language.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import type { closeAccount, deleteAccount } from '../storage/account-removal.ts';
import type { Db } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { Tx } from '../storage/transaction.ts';
import type { LaunchSimulation, SimulationProcess } from './simulation-process.ts';
import * as store from './simulation-store.ts';

/** How long the account of a simulation stays if nobody removes it. */
const KEPT_MS = HOUR_MS;
/** How long a day takes, for those who have to wait for another one to end. */
const DAY_SECONDS = 200;
/** How long a simulation may run: one that another process began so long ago is over, or its process has crashed. */
const MAX_DAY_MS = 300_000;
/** How long a shutdown waits for rows to be deleted; the rest is deleted after the next start. */
const DELETE_WITHIN_MS = 3_000;
const NAMES: Record<Language, string> = { en: 'Simulated farm', ru: 'Симулированная ферма' };
const CONTEXT: SignInContext = { client: '', userAgent: 'simulation', token: undefined, device: undefined };

interface SimulationDeps {
  storage: Storage;
  clock: Clock;
  logger: Logger;
  accounts: Pick<AccountService, 'createUnlocked'> &
    Pick<typeof accountStore, 'findAccount' | 'findCurrency'> & {
      close: typeof closeAccount;
      delete: typeof deleteAccount;
    };
  sessions: Pick<SessionService, 'openUnlocked' | 'endAll'>;
  launch: LaunchSimulation;
  /** how many may run at a time, in all processes of the installation */
  max: number;
  /** `http://host:port` where this server listens */
  server(): string;
  /** a session as a cookie */
  toCookie(session: SignedIn): string;
}

export interface StartOptions {
  /** the account that asked for it; undefined: the command line */
  ownerId?: string;
  language: Language;
  seed: number;
  /** default: 1 */
  speed?: number;
  onMessage?(message: SimulationMessage): void;
}

interface Running extends SimulationProcess {
  state: SimulationState | undefined;
  isOver: boolean;
}

export type SimulationService = ReturnType<typeof createSimulationService>;

/**
 * Simulated farms: each has an account of its own, in which a program with simulated printers runs the day of a farm
 * through the HTTP APIs. An account of a simulation is deleted as a whole.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each method is counted by itself
export function createSimulationService(deps: SimulationDeps) {
  const { storage, clock, logger, accounts, sessions, launch, max } = deps;
  /** the processes of this one, by account */
  const processes = new Map<string, Running>();
  let deleting: Promise<void> = Promise.resolve();
  let isStopping = false;

  const countRunning = (db: Db) => store.countSimulationsSince(db, clock() - MAX_DAY_MS);

  /** Takes a place and creates the account, so that the limit holds for starts at once in any process. */
  async function reserve(tx: Tx, { ownerId, language }: StartOptions, code: string) {
    await store.lockStarts(tx.db);
    const known = ownerId === undefined ? undefined : await store.findSimulationOf(tx.db, ownerId);
    if (known) return { accountId: known.accountId, session: undefined };
    if ((await countRunning(tx.db)) >= max) {
      const detail = 'As many simulated farms are running as this server allows. Try again when one has ended.';
      throw new DomainError('rate_limited', detail, { retryAfter: DAY_SECONDS });
    }
    const currency =
      ownerId === undefined ? { en: 'EUR', ru: 'RUB' }[language] : await accounts.findCurrency(tx.db, ownerId);
    const email = `simulation-${randomBase62(12).toLowerCase()}@farm.invalid`;
    const account = await accounts.createUnlocked(tx, { email, name: NAMES[language], currency });
    const simulation = { accountId: account.id, ownerId: ownerId ?? null, codeHash: sha256(code), startedAt: clock() };
    await store.insertSimulation(tx.db, simulation);
    return { accountId: account.id, session: await sessions.openUnlocked(tx, account, CONTEXT) };
  }

  function run(accountId: string, input: SimulationInput, onMessage: StartOptions['onMessage']): Running {
    const child = launch(input, (message) => {
      if (message.kind === 'state') running.state = message.state;
      onMessage?.(message);
    });
    const timer = setTimeout(() => void child.stop(), MAX_DAY_MS).unref();
    const ended = child.ended.then(async (end) => {
      clearTimeout(timer);
      running.isOver = true;
      await storage
        .inTransaction(({ db }) => store.moveStartBack(db, accountId, clock() - MAX_DAY_MS))
        // its place is free when a day could be over
        .catch((error: unknown) => logger.warn({ err: error }, 'failed to note the end of a simulation'));
      return end;
    });
    const running: Running = { ...child, ended, state: undefined, isOver: false };
    processes.set(accountId, running);
    return running;
  }

  /** Ends all access to the simulation's account. Its rows are deleted later. */
  async function retire(accountId: string): Promise<void> {
    const running = processes.get(accountId);
    await running?.stop();
    await running?.ended;
    processes.delete(accountId);
    await storage.inTransaction(async (tx) => {
      await store.retireSimulation(tx.db, accountId);
      await accounts.close(tx.db, accountId);
      await sessions.endAll(tx, accountId);
    });
  }

  /** Deletes what was retired, one account after the other. Resolves when it was tried. */
  function deleteRetired(): Promise<void> {
    deleting = deleting
      .then(async () => {
        for (const accountId of await store.listRetired(storage.read))
          await accounts.delete(storage, accountId, () => isStopping);
      })
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'failed to delete what removed simulations have left; retrying within an hour'),
      );
    return deleting;
  }

  /** Stops the simulation and removes its account. What is in it is deleted in the background. */
  async function remove(accountId: string): Promise<void> {
    await retire(accountId);
    void deleteRetired();
  }

  /** Opens a session in the simulation's account. @throws DomainError not_found */
  const enter = (accountId: string, context: SignInContext): Promise<SignedIn> =>
    storage.inTransaction(async (tx) => {
      const account = (await store.lockSimulation(tx.db, accountId)) && (await accounts.findAccount(tx.db, accountId));
      if (!account) throw removed();
      return sessions.openUnlocked(tx, account, context);
    });

  /** Retires those that nobody has removed, and all of them if their processes can't be running any more. */
  async function retireOld(areAllOver = false): Promise<void> {
    const before = areAllOver ? Number.MAX_SAFE_INTEGER : clock() - KEPT_MS;
    for (const { accountId } of await store.listSimulationsBefore(storage.read, before)) await retire(accountId);
  }

  return {
    /** Whether another one may be started now. */
    isAvailable: async (): Promise<boolean> => (await countRunning(storage.read)) < max,

    find: (accountId: string) => store.findSimulation(storage.read, accountId),

    /** What its printers do; they are unknown if it runs in another process. */
    progress({ accountId, startedAt }: store.Simulation): { state: SimulationState | undefined; isOver: boolean } {
      const isOver = clock() - startedAt >= MAX_DAY_MS;
      return processes.get(accountId) ?? { state: undefined, isOver };
    },

    /**
     * Creates the account of a simulation and starts its day. An owner who has one already gets that one.
     * @returns its account, and the code that opens it
     * @throws DomainError not_found if they are turned off, rate_limited if too many are running
     */
    async start(options: StartOptions) {
      const { language, seed, speed = 1, onMessage } = options;
      if (max === 0) throw notFound();
      const code = createToken('set');
      const { accountId, session } = await storage.inTransaction((tx) => reserve(tx, options, code));
      if (!session) return { accountId, code: undefined, ended: undefined };
      try {
        const input = { server: deps.server(), cookie: deps.toCookie(session), seed, speed, language };
        return { accountId, code, ended: run(accountId, input, onMessage).ended };
      } catch (error) {
        await remove(accountId);
        throw error;
      }
    },

    enter,

    /** As `enter`, with the code of its link. @throws DomainError not_found */
    async enterByCode(code: string, context: SignInContext): Promise<SignedIn> {
      const found = isWellFormedToken('set', code)
        ? await store.findSimulationByCode(storage.read, sha256(code))
        : undefined;
      if (!found) throw removed();
      return enter(found.accountId, context);
    },

    remove,

    retireOld,

    /** Removes those that nobody has removed, and what is left of those that somebody has. */
    async removeOld(): Promise<void> {
      await retireOld();
      await deleteRetired();
    },

    /** Removes those of this process. */
    async stop(): Promise<void> {
      await Promise.all([...processes.values()].map((running) => running.stop()));
      const retired = Promise.all([...processes.keys()].map(retire));
      // none of it may wait for a database that doesn't respond
      if (processes.size > 0) await waitAtMost(DELETE_WITHIN_MS, retired.then(deleteRetired));
      isStopping = true;
      await waitAtMost(DELETE_WITHIN_MS, deleting);
    },
  };
}

const removed = () => new DomainError('not_found', 'This simulation has been removed.');
