import type { JobInfo, Status } from '../../../agent/src/printers/prusalink/prusalink-state.ts';
import { createAccount, forget, type Model, type World } from './model.ts';

// Written from the sources that test/fixtures/printers/README.md names, not from the agent.

const POLL_S = 5;
/** An idle state counts if it is seen twice. */
const SETTLE_S = 2 * POLL_S;

/**
 * A Prusa printer, asked every five seconds. Its file becomes known late, and newer firmware shows the job only while it
 * goes on.
 * @param poll asks it once, if the agent is connected
 */
export function createPrusaLinkModel(world: World, nameOf: (print: number) => string, poll: () => Promise<void>) {
  const { random, wait } = world;
  const account = createAccount(world, SETTLE_S);
  const hidesEndedJobs = random.between(0, 1) === 0;
  let state = 'IDLE';
  let job: { id: number; progress: number; time_remaining: number; time_printing: number; filename: string } | null =
    null;
  let isFileKnown = false;
  let isIdleOnce = false;
  let jobs = 0;

  /** Time passes, in which the agent asks. */
  async function pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= POLL_S) {
      await wait(Math.min(POLL_S, left));
      account.look();
      // connected is not enough: it has seen the job once it has asked
      if (left >= POLL_S && (await ask()) && job && state !== 'BUSY') account.see();
    }
  }

  /** @returns whether the agent was answered */
  async function ask(): Promise<boolean> {
    const truth = account.current();
    const connection = world.connections();
    await poll();
    const isTold = world.isConnected() && world.connections() === connection;
    if (truth && job && isFileKnown && state !== 'BUSY' && isTold) truth.aliases = [];
    return isTold;
  }

  async function begin(): Promise<void> {
    account.replace();
    jobs += 1;
    const filename = `${nameOf(jobs)}.gcode`;
    const truth = account.begin(filename);
    // the number while the file is not known; without a job, not even that
    truth.aliases = [`job ${jobs}`, 'unknown'];
    job = { id: jobs, progress: 0, time_remaining: 3600, time_printing: 0, filename };
    isFileKnown = false;
    if (random.between(0, 2) === 0) {
      state = 'ATTENTION';
      await pass(random.between(6, 30));
      if (random.between(0, 3) === 0) return withdraw();
    }
    state = 'PRINTING';
    if (random.between(0, 2) > 0) await pass(random.between(6, 20));
    isFileKnown = true;
    // long enough for a poll that has the name
    await pass(11);
  }

  /** Somebody answers the questions before the print with no. */
  async function withdraw(): Promise<void> {
    account.end(['cancelled', 'failed']);
    const truth = account.last();
    if (truth) truth.mayBeUnsaid = true;
    job = null;
    state = 'IDLE';
    await pass(SETTLE_S + 6);
    account.replace();
  }

  async function progress(): Promise<void> {
    if (!job) return;
    job.progress = Math.min(99, job.progress + random.between(1, 30));
    job.time_remaining = Math.round(36 * (100 - job.progress));
    job.time_printing += 300;
    await pass(random.between(5, 30));
  }

  /** The printer is busy, or asks something, in the middle. */
  async function interrupt(): Promise<void> {
    state = random.pick(['BUSY', 'ATTENTION', 'PAUSED']);
    await pass(random.between(1, 20));
    state = 'PRINTING';
    await pass(random.between(5, 10));
  }

  /** Shown as idle, once. */
  async function flicker(): Promise<void> {
    isIdleOnce = true;
    await ask();
    isIdleOnce = false;
    await ask();
  }

  async function end(): Promise<void> {
    const [shown, outcome] = random.pick([
      ['FINISHED', 'finished'],
      ['STOPPED', 'cancelled'],
      ['ERROR', 'failed'],
    ] as const);
    account.end([outcome]);
    if (job && shown === 'FINISHED') job.progress = 100;
    state = shown;
    if (hidesEndedJobs) job = null;
    await pass(random.between(SETTLE_S + 1, 40));
    // an end without its job doesn't say which print it was
    if (!hidesEndedJobs) account.known();
  }

  /** The end is confirmed before anybody has asked. */
  async function vanish(): Promise<void> {
    account.end(['failed']);
    const truth = account.last();
    if (truth) forget(truth);
    job = null;
    state = random.pick(['IDLE', 'READY']);
    await pass(SETTLE_S + 6);
    account.replace();
  }

  async function clear(): Promise<void> {
    account.replace();
    job = null;
    state = 'IDLE';
    await pass(random.between(1, 30));
  }

  return {
    status: (): Status => {
      if (isIdleOnce) {
        isIdleOnce = false;
        return { printer: { state: 'IDLE' } };
      }
      const { filename: _filename, ...shown } = job ?? { filename: '' };
      return { printer: { state }, ...(job && state !== 'BUSY' ? { job: shown as Status['job'] } : {}) } as Status;
    },
    job: (): JobInfo | null =>
      job && isFileKnown ? { id: job.id, state, file: { name: 'PART~1.GCO', display_name: job.filename } } : null,
    truths: account.truths,
    async act() {
      const step = account.current()
        ? random.pick([progress, progress, progress, interrupt, flicker, end, end, vanish])
        : random.pick([begin, begin, clear]);
      await step();
    },
    async finish() {
      if (account.current()) await end();
      await pass(30);
      if (!hidesEndedJobs) account.known();
    },
  } satisfies Model & Record<string, unknown>;
}
