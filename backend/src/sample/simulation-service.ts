import { type Clock, HOUR_MS } from '../../../common/src/clock.ts';
import { createToken, isWellFormedToken, randomBase62, sha256 } from '../../../common/src/crypto.ts';
import type { SimulationInput, SimulationMessage, SimulationState } from '../../../common/src/simulation.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type * as accountStore from '../accounts/account-store.ts';
import type { SignInContext } from '../accounts/password-check.ts';
import type { SessionService, SignedIn } from '../accounts/sessions.ts';
import { DomainError, notFound } from '../shared/errors.ts';
import type { Language } from '../shared/language.ts';
import type { deleteCounts } from '../storage/counters.ts';
import { isUniqueViolation } from '../storage/dialect.ts';
import type { Storage } from '../storage/open.ts';
import type { LaunchSimulation, SimulationProcess } from './simulation-process.ts';
import * as store from './simulation-store.ts';

/** How long the account of a simulation stays if nobody removes it. */
const KEPT_MS = HOUR_MS;
/** How long a day takes, for those who have to wait for another one to end. */
const DAY_SECONDS = 200;
/** A day that another process began so long ago is over, or its process has crashed. */
const OVER_AFTER_MS = 300_000;
const NAMES: Record<Language, string> = { en: 'Simulated farm', ru: 'Симулированная ферма' };
const CONTEXT: SignInContext = { client: '', userAgent: 'simulation', token: undefined, device: undefined };

interface SimulationDeps {
  storage: Storage;
  clock: Clock;
  accounts: Pick<AccountService, 'createAccount'> &
    Pick<typeof accountStore, 'deleteAccount' | 'findAccount' | 'findCurrency'>;
  counters: { deleteCounts: typeof deleteCounts };
  sessions: Pick<SessionService, 'openUnlocked' | 'endAll'>;
  launch: LaunchSimulation;
  /** how many may run at a time in this process */
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
  const { storage, clock, accounts, counters, sessions, launch, max } = deps;
  /** the processes of this one, by account */
  const processes = new Map<string, Running>();
  const countRunning = () => [...processes.values()].filter(({ isOver }) => !isOver).length;

  function run(accountId: string, input: SimulationInput, onMessage: StartOptions['onMessage']): Running {
    const child = launch(input, (message) => {
      if (message.kind === 'state') running.state = message.state;
      onMessage?.(message);
    });
    const running: Running = { ...child, state: undefined, isOver: false };
    processes.set(accountId, running);
    void child.ended.then(() => {
      running.isOver = true;
    });
    return running;
  }

  /** Stops the simulation and deletes its account with everything in it. */
  async function remove(accountId: string): Promise<void> {
    await processes.get(accountId)?.stop();
    processes.delete(accountId);
    await storage.inTransaction(async (tx) => {
      await sessions.endAll(tx, accountId);
      await accounts.deleteAccount(tx.db, accountId);
      await counters.deleteCounts(tx.db, accountId);
    });
  }

  /** Opens a session in the simulation's account. @throws DomainError not_found */
  async function enter(accountId: string, context: SignInContext): Promise<SignedIn> {
    const account = await accounts.findAccount(storage.read, accountId);
    if (!account) throw new DomainError('not_found', 'This simulation has been removed.');
    return sessions.openUnlocked(account, context);
  }

  async function removeBefore(before: number): Promise<void> {
    for (const { accountId } of await store.listSimulationsBefore(storage.read, before)) await remove(accountId);
  }

  return {
    /** Whether another one may be started now. */
    isAvailable: (): boolean => countRunning() < max,

    find: (accountId: string) => store.findSimulation(storage.read, accountId),

    /** What its printers do; they are unknown if it runs in another process. */
    progress({ accountId, startedAt }: store.Simulation): { state: SimulationState | undefined; isOver: boolean } {
      const isOver = clock() - startedAt > OVER_AFTER_MS;
      return processes.get(accountId) ?? { state: undefined, isOver };
    },

    /**
     * Creates the account of a simulation and starts its day. An owner who has one already gets that one.
     * @returns its account, and the code that opens it
     * @throws DomainError not_found if they are turned off, rate_limited if too many are running
     */
    async start({ ownerId, language, seed, speed = 1, onMessage }: StartOptions) {
      if (max === 0) throw notFound();
      const known = ownerId === undefined ? undefined : await store.findSimulationOf(storage.read, ownerId);
      if (known) return { accountId: known.accountId, code: undefined, ended: undefined };
      if (countRunning() >= max) {
        const detail = 'As many simulated farms are running as this server allows. Try again when one has ended.';
        throw new DomainError('rate_limited', detail, { retryAfter: DAY_SECONDS });
      }
      const code = createToken('set');
      const account = await createAccount(ownerId, language, code);
      const session = await sessions.openUnlocked(account, CONTEXT);
      const input = { server: deps.server(), cookie: deps.toCookie(session), seed, speed, language };
      return { accountId: account.id, code, ended: run(account.id, input, onMessage).ended };
    },

    enter,

    /** As `enter`, with the code of its link. @throws DomainError not_found */
    async enterByCode(code: string, context: SignInContext): Promise<SignedIn> {
      const found = isWellFormedToken('set', code)
        ? await store.findSimulationByCode(storage.read, sha256(code))
        : undefined;
      if (!found) throw new DomainError('not_found', 'This simulation has been removed.');
      return enter(found.accountId, context);
    },

    remove,

    /** Removes those that nobody has removed, and all of them if their processes can't be running any more. */
    removeOld: (areAllOver = false): Promise<void> =>
      removeBefore(areAllOver ? Number.MAX_SAFE_INTEGER : clock() - KEPT_MS),

    /** Removes those of this process. */
    async stop(): Promise<void> {
      await Promise.all([...processes.keys()].map(remove));
    },
  };

  async function createAccount(ownerId: string | undefined, language: Language, code: string) {
    const currency =
      ownerId === undefined ? { en: 'EUR', ru: 'RUB' }[language] : await accounts.findCurrency(storage.read, ownerId);
    const email = `simulation-${randomBase62(12).toLowerCase()}@farm.invalid`;
    const owner = { email, name: NAMES[language], password: randomBase62(40), currency };
    return accounts.createAccount(owner, undefined, async (tx, { id: accountId }) => {
      const simulation = { accountId, ownerId: ownerId ?? null, codeHash: sha256(code), startedAt: clock() };
      await store.insertSimulation(tx.db, simulation).catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        // two clicks at once
        throw new DomainError('rate_limited', 'Your simulated farm is being started.', { retryAfter: 1 });
      });
    });
  }
}
