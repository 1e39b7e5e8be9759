import { createSigner } from '../../../common/src/crypto.ts';
import { failure } from '../../../test/kit/failure.ts';
import { createTestLogger } from '../../../test/kit/logger.ts';
import { forTest } from '../../../test/kit/opened.ts';
import { insertTestAccount, openTestStorage } from '../../../test/kit/storage.ts';
import { createAccountService } from '../accounts/account-service.ts';
import { findAccount, findCurrency } from '../accounts/account-store.ts';
import { createDevices } from '../accounts/device-cookie.ts';
import type { SignInContext } from '../accounts/password-check.ts';
import { createPasswords } from '../accounts/passwords.ts';
import { createSessionService } from '../accounts/sessions.ts';
import { createLimits } from '../composition/limits.ts';
import { createRateLimits } from '../jobs/rate-limits.ts';
import { closeAccount, deleteAccount } from '../storage/account-removal.ts';
import { findMiscounts } from '../storage/counters.ts';
import { query } from '../storage/dialect.ts';
import { createSimulationService, type SimulationService } from './simulation-service.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 21);
const CONTEXT: SignInContext = { client: '', userAgent: 'browser', token: undefined, device: undefined };
const MAX = 2;

let opened: SimulationService[];
// defined before that of the database, so that it runs first
afterEach(async () => {
  for (const simulations of opened) await simulations.stop();
});

const storage = forTest(openTestStorage);
let now: number;
/** ends of the days that were launched */
let days: (() => void)[];
let launchFails: boolean;

beforeEach(() => {
  opened = [];
  now = START;
  days = [];
  launchFails = false;
});

/** The simulations of a process, which launches nothing. */
function createProcess(deletesRows = true) {
  const clock = () => now;
  const { logger } = createTestLogger();
  const passwords = createPasswords();
  const accounts = createAccountService({ storage, clock, logger, passwords, hasPrices: async () => false });
  const { signIn: limits } = createLimits({ createRateLimit: createRateLimits() }, { rateLimitPerMinute: 0 });
  const devices = createDevices({ sign: createSigner('a key of the tests, long enough', 'devices'), clock });
  const pause = async () => undefined;
  const deps = { storage, clock, logger, passwords, accounts, signUp: 'closed' as const, limits, devices, pause };
  const sessions = createSessionService(deps);
  const simulations = createSimulationService({
    ...{ storage, clock, logger, sessions, max: MAX },
    accounts: {
      ...{ createUnlocked: accounts.createUnlocked, findAccount, findCurrency, close: closeAccount },
      delete: deletesRows ? deleteAccount : async () => undefined,
    },
    launch() {
      if (launchFails) throw new Error('no process');
      let end: (how: 'over' | 'stopped') => void = () => undefined;
      const ended = new Promise<'over' | 'stopped'>((resolve) => {
        end = resolve;
      });
      days.push(() => end('over'));
      return { ended, stop: async () => end('stopped') };
    },
    server: () => '',
    toCookie: () => '',
  });
  opened.push(simulations);
  return { sessions, simulations };
}

const newOwner = () => insertTestAccount(storage);

async function start({ simulations }: { simulations: SimulationService }, ownerId?: string) {
  const of = ownerId ?? (await newOwner());
  return simulations.start({ ownerId: of, language: 'en', seed: 1 });
}

const countRows = async (table: string) => (await query(storage.read, `SELECT * FROM ${table}`)).length;

test('of starts at once in several processes, as many succeed as may run', async () => {
  const processes = [createProcess(), createProcess(), createProcess()];
  const owners = await Promise.all(processes.flatMap(() => [newOwner(), newOwner()]));
  const starts = owners.map((owner, i) => start(processes[i % 3] as (typeof processes)[number], owner));
  const results = await Promise.allSettled(starts);
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(refused).toEqual(Array(owners.length - MAX).fill('rate_limited'));
  expect(days).toHaveLength(MAX);
  // those that were refused have left nothing
  expect(await countRows('accounts')).toBe(owners.length + MAX);
});

test('an owner who clicks at once in several processes gets one farm', async () => {
  const owner = await newOwner();
  const started = await Promise.all([createProcess(), createProcess()].map((process) => start(process, owner)));
  expect(new Set(started.map(({ accountId }) => accountId)).size).toBe(1);
  expect(days).toHaveLength(1);
});

type Started = Awaited<ReturnType<typeof start>>;

const FREES: [string, (process: ReturnType<typeof createProcess>, started: Started) => unknown][] = [
  ['its removal', ({ simulations }, { accountId }) => simulations.remove(accountId)],
  ['its removal in another process', (_, { accountId }) => createProcess().simulations.remove(accountId)],
  [
    'the end of its day',
    (_, { ended }) => {
      days[0]?.();
      return ended;
    },
  ],
  [
    'the time in which a day is over, if its process was killed',
    () => {
      now += 5 * MINUTE_MS;
    },
  ],
  ['a start without Redis after a crash', () => createProcess().simulations.retireOld(true)],
];

test.each(FREES)('a place is free again after %s', async (_, free) => {
  const first = createProcess();
  const started = await start(first);
  await start(createProcess());
  expect(await first.simulations.isAvailable()).toBe(false);
  expect(await failure(start(createProcess()))).toMatchObject({ code: 'rate_limited' });
  await free(first, started);
  expect(await first.simulations.isAvailable()).toBe(true);
  await start(createProcess());
  expect(days).toHaveLength(3);
});

test('a farm whose process cannot be started takes no place', async () => {
  const process = createProcess();
  launchFails = true;
  for (let i = 0; i <= MAX; i++) await expect(start(process)).rejects.toThrow('no process');
  launchFails = false;
  await start(process);
});

test('nobody finds a farm that was removed, while its rows are deleted', async () => {
  // ends before it has deleted anything
  const process = createProcess(false);
  const { simulations, sessions } = process;
  const owner = await newOwner();
  const { accountId, code = '' } = await start(process, owner);
  const session = await simulations.enter(accountId, CONTEXT);
  await query(
    storage.writer,
    "INSERT INTO tokens (id, account_id, name, hash, hint, created_at) VALUES ('t', ?, '', 'hash', '', 0)",
    [accountId],
  );
  await simulations.remove(accountId);
  await simulations.stop();

  expect(await simulations.find(accountId)).toBeUndefined();
  expect(await failure(simulations.enter(accountId, CONTEXT))).toMatchObject({ code: 'not_found' });
  expect(await failure(simulations.enterByCode(code, CONTEXT))).toMatchObject({ code: 'not_found' });
  expect(await sessions.find(session.token)).toBeUndefined();
  expect(await countRows('tokens')).toBe(0);
  expect((await start(process, owner)).accountId).not.toBe(accountId);

  // what is left is deleted by the next process, and the other farm stays
  expect(await countRows('accounts')).toBe(3);
  await createProcess().simulations.removeOld();
  expect(await countRows('accounts')).toBe(2);
  expect(await countRows('simulations')).toBe(1);
  expect(await findMiscounts(storage.read)).toEqual([]);
});
