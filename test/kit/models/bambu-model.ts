import type { Print } from '../../../agent/src/printers/bambu/bambu-print.ts';
import type { PrintOutcome } from '../../../agent/src/report.ts';
import { createAccount, type Model, shuffle, type World } from './model.ts';

// Written from the sources that test/fixtures/printers/README.md names, not from the agent.

/** How long a failure without a code may be explained. */
const SETTLE_S = 16;
/** How long after a failure its code may come. */
const MAX_CODE_DELAY_S = 8;
const CANCELS = [50348044, 83902478];
const FAULTS = [0x0300_8003, 0x0500_4003, 0x0700_8011, 0x0300_404b, 0x0c00_8009];
const CALIBRATIONS: Print[] = [
  {
    subtask_name: 'auto_cali_for_user_param',
    gcode_file: '/usr/etc/print/auto_cali_for_user_param.gcode',
    print_type: 'system',
  },
  { subtask_name: '', gcode_file: '/usr/etc/print/O1S/calibrate_motion_precision.gcode', print_type: 'system' },
  { subtask_name: 'auto_pa_line_calib_mode', gcode_file: 'auto_pa_line_calib_mode.gcode.3mf', print_type: 'local' },
];

const BAMBU_IDLE: Print = {
  gcode_state: 'IDLE',
  gcode_file: '',
  subtask_name: '',
  task_id: '0',
  subtask_id: '0',
  print_type: 'idle',
  print_error: 0,
  fail_reason: '0',
  mc_percent: 0,
  mc_remaining_time: 0,
  hms: [],
};

/**
 * A Bambu printer that prints, is paused, fails, is cancelled and calibrates itself.
 * @param send a message with these fields, if the agent is connected
 */
export function createBambuModel(
  world: World,
  nameOf: (print: number) => string,
  send: (print: Print) => Promise<void>,
) {
  const { random, wait } = world;
  const full: Print = { ...BAMBU_IDLE };
  const account = createAccount(world, SETTLE_S);
  /** X1, P2 and H2 send everything, P1 and A1 what has changed, and in what order they like */
  const isWhole = random.between(0, 1) === 0;
  let jobs = 0;
  let hasFault = false;

  /** The printer's state changes, and it says so in one message or several. */
  async function change(patch: Print): Promise<void> {
    const fields = Object.entries(patch);
    const isSplit = !isWhole && random.between(0, 3) === 0;
    const parts = isSplit ? shuffle(random, fields).map((field) => [field]) : [fields];
    for (const part of parts) {
      const changed = Object.fromEntries(part) as Print;
      Object.assign(full, changed);
      account.see();
      await send(isWhole ? { ...full } : changed);
      if (random.between(0, 9) === 0) await send(isWhole ? { ...full } : changed);
    }
  }

  async function pass(seconds: number): Promise<void> {
    await wait(seconds);
    account.look();
    account.see();
  }

  /** A code as firmware writes it: a number or text. */
  const code = (value: number) => (random.between(0, 3) === 0 ? `${value}` : value);

  async function begin(): Promise<void> {
    account.replace();
    jobs += 1;
    hasFault = false;
    const isLan = random.between(0, 1) === 0;
    const filename = nameOf(jobs);
    const ids = isLan ? { task_id: '0', subtask_id: '0' } : { task_id: `${1000 + jobs}`, subtask_id: `${5000 + jobs}` };
    const job: Print = {
      subtask_name: filename,
      gcode_file: `/data/${filename}.gcode.3mf`,
      print_type: isLan ? 'local' : 'cloud',
      ...ids,
    };
    account.begin(filename);
    // what an earlier print left may stay for a while
    const fresh: Print = random.between(0, 1) === 0 ? { print_error: 0, fail_reason: '0' } : {};
    const showStart = clearLater(fresh);
    if (isLan && random.between(0, 1) === 0) await change({ ...job, ...fresh, gcode_state: 'RUNNING' });
    else if (await prepare({ ...job, ...fresh })) await change({ gcode_state: 'RUNNING' });
    else return withdraw();
    await pass(random.between(1, 5));
    await showStart();
  }

  /** @returns what clears the error that an earlier print left, if the print did not begin with that */
  function clearLater(fresh: Print): () => Promise<void> {
    const isLeft = Number(full.print_error) !== 0 && fresh.print_error === undefined;
    const connection = world.isConnected() ? world.connections() : undefined;
    return async () => {
      await change({ mc_percent: 0, mc_remaining_time: 60, ...(isLeft ? { print_error: 0 } : {}) });
      // who connects meanwhile takes the error for this print's
      hasFault = isLeft && connection !== world.connections();
    };
  }

  /** @returns false if the job is withdrawn or fails before it runs */
  async function prepare(job: Print): Promise<boolean> {
    if (random.between(0, 1) === 0) await change({ ...job, gcode_state: 'SLICING' });
    await change({ ...job, gcode_state: 'PREPARE', mc_percent: 0, mc_remaining_time: 60 });
    await pass(random.between(1, 40));
    return random.between(0, 4) > 0;
  }

  /** Somebody takes the job back, or it fails, before it runs. */
  async function withdraw(): Promise<void> {
    if (random.between(0, 1) === 0) return fail();
    account.end(['cancelled']);
    await change({ gcode_state: 'IDLE' });
    const truth = account.last();
    if (truth) truth.mayBeUnsaid = true;
    await pass(20);
    // an idle printer says nothing about how it became idle
    account.replace();
  }

  async function progress(): Promise<void> {
    const percent = Math.min(99, Number(full.mc_percent) + random.between(1, 30));
    await change({ mc_percent: percent, mc_remaining_time: Math.max(1, 60 - Math.floor(percent / 2)) });
  }

  /** An error that somebody clears, after which the print goes on. */
  async function pause(): Promise<void> {
    hasFault = true;
    await change({ gcode_state: 'PAUSE', print_error: code(fault()) });
    await pass(random.between(1, 60));
    await change({ gcode_state: 'RUNNING', print_error: 0 });
  }

  async function finish(): Promise<void> {
    account.end(['finished']);
    await change({ gcode_state: 'FINISH', mc_percent: 100, mc_remaining_time: 0 });
  }

  /** The code comes with the state, shortly before it, as its reason, or afterwards. */
  const WAYS: ((value: number, outcomes: PrintOutcome[]) => Promise<void>)[] = [
    async (value, outcomes) => {
      account.end(outcomes);
      await change({ print_error: code(value), gcode_state: 'FAILED' });
    },
    async (value, outcomes) => {
      const toldAt = world.isConnected() ? world.now() : undefined;
      await change({ print_error: code(value) });
      await pass(random.between(0, 2));
      account.end(account.mayBeLost(toldAt) ? ['cancelled', 'failed'] : outcomes);
      await change({ gcode_state: 'FAILED', print_error: 0 });
    },
    async (value, outcomes) => {
      // nobody can tell the reason from the same one of an earlier print
      account.end(full.fail_reason === `${value}` ? [...outcomes, 'cancelled', 'failed'] : outcomes);
      await change({ gcode_state: 'FAILED', fail_reason: `${value}`, print_error: 0 });
    },
    async (value, outcomes) => {
      account.end(outcomes);
      const failedAt = world.now();
      await change({ gcode_state: 'FAILED', mc_percent: 0, print_error: 0 });
      await pass(random.between(0, MAX_CODE_DELAY_S));
      await change({ print_error: code(value) });
      // waiting for a connection took longer than a printer takes: nobody waits that long for a code
      const truth = account.last();
      const isLate = world.now() - failedAt > (MAX_CODE_DELAY_S + 2) * 1000;
      if (truth && isLate) truth.outcomes = [...truth.outcomes, 'cancelled'];
    },
  ];
  const endWith = (value: number, outcomes: PrintOutcome[]) => random.pick(WAYS)(value, outcomes);

  /** Another error than the one that an earlier print may have left. */
  const fault = () => random.pick(FAULTS.filter((one) => one !== Number(full.print_error)));

  const fail = () => endWith(fault(), ['failed']);

  async function cancel(): Promise<void> {
    if (random.between(0, 4) === 0) {
      // no code at all; after an error, nobody can tell
      const isClear = !hasFault && full.fail_reason === '0' && Number(full.print_error) === 0;
      account.end(isClear ? ['cancelled'] : ['cancelled', 'failed']);
      return change({ gcode_state: 'FAILED', print_error: 0 });
    }
    return endWith(random.pick(CANCELS), ['cancelled']);
  }

  /** Switched off, or reset: idle without a word. */
  async function vanish(): Promise<void> {
    account.end(['failed', 'finished', 'cancelled']);
    const truth = account.last();
    if (truth) truth.mayBeUnsaid = true;
    await change({ gcode_state: 'IDLE' });
    await pass(20);
    account.replace();
  }

  async function calibrate(): Promise<void> {
    account.replace();
    await change({
      ...random.pick(CALIBRATIONS),
      gcode_state: 'RUNNING',
      task_id: '0',
      subtask_id: '0',
      mc_percent: 0,
    });
    await pass(random.between(1, 30));
    await change({ gcode_state: random.pick(['FINISH', 'FAILED']), mc_percent: 100 });
    await pass(random.between(1, 20));
  }

  async function clear(): Promise<void> {
    account.replace();
    await change({ gcode_state: 'IDLE' });
  }

  async function act(): Promise<void> {
    const isPrinting = account.current() !== undefined;
    const step = isPrinting
      ? random.pick([progress, progress, progress, pause, finish, finish, fail, cancel, vanish])
      : random.pick([begin, begin, begin, calibrate, clear]);
    await step();
    await pass(random.between(1, 90));
    // an end that a person who connects finds on the display
    account.known();
  }

  return {
    full,
    truths: account.truths,
    act,
    async finish() {
      if (account.current()) await finish();
      await pass(30);
      account.known();
      // what nobody has said by then is certain once another print has begun
      await begin();
      if (account.current()) await finish();
      await pass(30);
    },
  } satisfies Model & Record<string, unknown>;
}
