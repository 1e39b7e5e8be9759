import type { Message } from '../../../agent/src/printers/octoprint/octoprint-session.ts';
import type { Current, LastPrint } from '../../../agent/src/printers/octoprint/octoprint-state.ts';
import type { PrintOutcome } from '../../../agent/src/report.ts';
import { createAccount, forget, type Model, shuffle, type World } from './model.ts';

// Written from the sources that test/fixtures/printers/README.md names, not from the agent.

/** How long an end without an event is waited for. */
const SETTLE_S = 4;
const FLAGS = ['printing', 'paused', 'pausing', 'resuming', 'cancelling', 'finishing', 'error', 'closedOrError'];

/**
 * OctoPrint with a printer. Its clock is up to a day off, its record of a file knows only the last print, and printers
 * are disconnected or in error.
 * @param push sends a message, if the agent is connected
 */
export function createOctoPrintModel(
  world: World,
  nameOf: (print: number) => string,
  push: (message: Message) => Promise<void>,
) {
  const { random, wait } = world;
  const account = createAccount(world, SETTLE_S);
  const offset = random.pick([0, 0, 600_000, -600_000, 86_400_000, -86_400_000]);
  const records = new Map<string, LastPrint>();
  let flags: string[] = [];
  let path: string | null = null;
  let origin = 'local';
  let completion: number | null = null;
  let startedAt = 0;
  let prints = 0;

  const time = () => world.now() + offset;

  const current = (): Current => ({
    state: {
      text: flags.includes('error') ? 'Offline after error' : 'Operational',
      flags: Object.fromEntries(FLAGS.map((flag) => [flag, flags.includes(flag)])),
    },
    job: { file: { name: path, path, origin: path === null ? null : origin }, filament: null },
    progress: {
      completion,
      printTime: flags.includes('printing') || flags.includes('paused') ? (time() - startedAt) / 1000 : null,
      printTimeLeft: flags.includes('printing') ? Math.round(36 * (100 - (completion ?? 0))) : null,
    },
    serverTime: time() / 1000,
  });

  const tick = () => push({ current: current() });
  const event = (type: string, more: Record<string, string> = {}) =>
    push({ event: { type, payload: { name: path ?? '', path: path ?? '', origin, ...more } } });

  /** Time passes, in which OctoPrint pushes its state. */
  async function pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 20) {
      await wait(Math.min(20, left));
      account.look();
      if (account.current()) account.see();
      await tick();
    }
  }

  async function begin(): Promise<void> {
    account.replace();
    const last = account.truths.at(-1);
    // the same file is printed again now and then
    if (path === null || random.between(0, 3) > 0) {
      prints += 1;
      path = `${nameOf(prints)}.gcode`;
      origin = random.between(0, 5) === 0 ? 'sdcard' : 'local';
    }
    // two prints of one file, of which the agent has not seen both, look like one
    if (last?.filename === path && last.mayBeUnsaid) last.mayBeUnknown = true;
    account.begin(path);
    completion = 0;
    startedAt = time();
    flags = ['printing'];
    account.see();
    await event('PrintStarted');
    if (random.between(0, 1) === 0) await tick();
    await pass(random.between(31, 60));
  }

  async function progress(): Promise<void> {
    completion = Math.min(99, (completion ?? 0) + random.between(1, 30));
    await pass(random.between(1, 40));
  }

  async function pause(): Promise<void> {
    flags = ['paused'];
    await pass(random.between(1, 60));
    flags = ['printing'];
    await pass(random.between(1, 5));
  }

  /** Who wasn't there when it happened has the record, which knows success and failure only. */
  function record(outcome: PrintOutcome): void {
    if (path !== null && origin === 'local') records.set(path, { at: time(), success: outcome === 'finished' });
    const truth = account.last();
    if (!truth || world.isConnected()) return;
    if (origin === 'local') truth.outcomes = outcome === 'cancelled' ? ['cancelled', 'failed'] : [outcome];
    else forget(truth);
  }

  async function over(outcome: PrintOutcome, events: [string, Record<string, string>?][]): Promise<void> {
    account.end([outcome]);
    record(outcome);
    flags = [];
    if (outcome === 'finished') completion = 100;
    for (const [type, more] of events) await event(type, more);
    await pass(random.between(SETTLE_S + 1, 40));
    // there is no record of the printer's card
    if (origin === 'local') account.known();
  }

  const done = () => over('finished', [['PrintDone']]);
  const fail = () => over('failed', [['PrintFailed', { reason: 'error', error: 'Heating failed' }]]);

  /** A cancel fires two events, in either order. */
  const cancel = () =>
    over('cancelled', [
      ['PrintCancelling', {}],
      ...shuffle(random, [['PrintCancelled'], ['PrintFailed', { reason: 'cancelled' }]] as [
        string,
        Record<string, string>?,
      ][]),
    ]);

  /** The printer is in error, and no event says what became of the print. */
  async function breakDown(): Promise<void> {
    account.end(['failed']);
    const truth = account.last();
    if (truth && !world.isConnected()) forget(truth);
    flags = ['error', 'closedOrError'];
    if (random.between(0, 1) === 0) completion = 100;
    // a change of state is pushed at once
    await tick();
    await pass(random.between(30, 60));
    account.replace();
    flags = [];
    await pass(5);
  }

  /** OctoPrint is killed, and comes back without the print. */
  async function crash(): Promise<void> {
    account.end(['failed']);
    const truth = account.last();
    if (truth) forget(truth);
    flags = [];
    completion = null;
    await world.reconnect();
    await pass(30);
    account.replace();
  }

  return {
    greeting: (): Message => ({ history: current() }),
    record: (file: string): LastPrint | null => records.get(file) ?? null,
    truths: account.truths,
    async act() {
      const step = account.current()
        ? random.pick([progress, progress, pause, done, done, fail, cancel, breakDown, crash])
        : begin;
      await step();
    },
    async finish() {
      if (account.current()) await done();
      await pass(30);
    },
  } satisfies Model & Record<string, unknown>;
}
