import type { Job } from '../../../agent/src/printers/moonraker/moonraker-state.ts';
import type { PrintOutcome } from '../../../agent/src/report.ts';
import { createAccount, forget, type Model, type World } from './model.ts';

// Written from the sources that test/fixtures/printers/README.md names, not from the agent.

const ENDS: [string, PrintOutcome][] = [
  ['completed', 'finished'],
  ['completed', 'finished'],
  ['cancelled', 'cancelled'],
  ['error', 'failed'],
  ['klippy_shutdown', 'failed'],
  ['klippy_disconnect', 'failed'],
  ['server_exit', 'failed'],
];

/**
 * A Klipper printer with Moonraker's history. Its host's clock is up to a day off; entries are deleted, the history is
 * cleared, and Moonraker is killed.
 * @param notify sends a changed entry, if the agent is connected
 */
export function createMoonrakerModel(
  world: World,
  nameOf: (print: number) => string,
  notify: (job: Job) => Promise<void>,
) {
  const { random, wait } = world;
  const account = createAccount(world, 0);
  const offset = random.pick([0, 0, 600_000, -600_000, 86_400_000, -86_400_000]);
  let history: Job[] = [];
  let current: Job | null = null;
  let prints = 0;

  const hostTime = () => (world.now() + offset) / 1000;

  async function tell(job: Job): Promise<void> {
    account.see();
    await notify(job);
    if (random.between(0, 9) === 0) await notify(job);
  }

  async function pass(seconds: number): Promise<void> {
    await wait(seconds);
    account.look();
    if (current && history.includes(current)) account.see();
  }

  async function begin(): Promise<void> {
    prints += 1;
    const filename = `${nameOf(prints)}.gcode`;
    account.begin(filename);
    // numbers of deleted entries are used again
    const id = history.reduce((largest, { job_id }) => Math.max(largest, Number.parseInt(job_id, 16)), 0) + 1;
    current = {
      job_id: id.toString(16).toUpperCase().padStart(6, '0'),
      filename,
      status: 'in_progress',
      start_time: hostTime(),
      end_time: null,
      total_duration: 0,
      filament_used: 0,
      metadata: random.pick([null, {}, { filament_total: 1000, filament_weight_total: 3 }]),
    };
    history.push(current);
    await tell(current);
  }

  async function end(): Promise<void> {
    if (!current) return;
    const [status, outcome] = random.pick(ENDS);
    const isDeleted = !history.includes(current);
    account.end([outcome]);
    // the history keeps what ended, for everybody who connects
    const truth = account.last();
    if (truth) truth.mayBeUnknown = false;
    Object.assign(current, { status, end_time: hostTime(), total_duration: 60, filament_used: 1000 });
    if (isDeleted) history.push(current);
    await tell(current);
    current = null;
  }

  /** Moonraker is killed; when it is back, the entry has no end. */
  async function kill(): Promise<void> {
    if (!current) return;
    account.end(['failed']);
    const truth = account.last();
    Object.assign(current, { status: 'interrupted', total_duration: 30 });
    if (truth && history.includes(current)) truth.mayBeUnknown = false;
    // it was deleted, so nobody knows any more
    else if (truth) forget(truth);
    current = null;
    await world.reconnect();
  }

  /** Somebody deletes the entry of the print that runs. */
  async function remove(): Promise<void> {
    history = history.filter((job) => job !== current);
  }

  return {
    history: () => history,
    offset: () => offset,
    truths: account.truths,
    async act() {
      const step = current ? random.pick([end, end, end, kill, remove]) : begin;
      await step();
      await pass(random.between(1, 200));
    },
    async finish() {
      if (current) await end();
      await begin();
      await end();
      await pass(30);
    },
  } satisfies Model & Record<string, unknown>;
}
