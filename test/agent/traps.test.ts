import { startBambu } from '../../agent/src/simulation/printers/bambu.ts';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { startOctoPrint } from '../../agent/src/simulation/printers/octoprint.ts';
import { startPrusaLink } from '../../agent/src/simulation/printers/prusalink.ts';
import type { SimulatedPrinter } from '../../agent/src/simulation/printers/simulated-printer.ts';
import { type AgentProcess, createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { type FakeAgentApi, PRINTER_ID, startFakeAgentApi } from '../kit/agent-server.ts';
import { eventually } from '../kit/eventually.ts';

// Behavior of printer software that misleads naive listeners into wrong reports.

let agentApi: FakeAgentApi;
let agentProcess: AgentProcess | undefined;
let files: ReturnType<typeof createAgentFolder>;
const printers: SimulatedPrinter[] = [];

beforeAll(async () => {
  agentApi = await startFakeAgentApi();
});
afterEach(async () => {
  await agentProcess?.kill();
  agentProcess = undefined;
  for (const printer of printers.splice(0)) await printer.stop();
  files.remove();
});
afterAll(() => agentApi.stop());

async function watch<T extends SimulatedPrinter>(printer: T, more: Record<string, unknown> = {}): Promise<T> {
  printers.push(printer);
  files = createAgentFolder({
    server: agentApi.url,
    printers: [{ ...printer.config, name: 'One', printer_id: PRINTER_ID, ...more }],
  });
  agentProcess = spawnAgent(files.file);
  await agentProcess.logged('One: connected');
  return printer;
}

async function begin(printer: SimulatedPrinter, filename: string): Promise<void> {
  printer.start(filename);
  await agentProcess?.logged(`started printing ${filename}`);
}

const lastOf = (prefix: string) => agentApi.effects().filter(({ filename }) => filename.startsWith(prefix));

/** All reports of files with this prefix, once the given number has arrived. */
const reported = (prefix: string, count = 1) =>
  eventually(
    () => lastOf(prefix).map(({ outcome, grams, reason }) => ({ outcome, ...(grams ? { grams } : {}), reason })),
    (all) => all.length >= count,
  );

/** A marker print: anything wrongly reported would arrive before it. */
async function nothingMore(printer: SimulatedPrinter, prefix: string, count: number): Promise<void> {
  await begin(printer, `fence-${prefix}`);
  printer.end('finished');
  await reported(`fence-${prefix}`);
  expect(lastOf(prefix)).toHaveLength(count);
}

describe('Moonraker', () => {
  test.each([
    ['completed', 'finished', 30],
    ['error', 'failed', 7.5],
    ['klippy_shutdown', 'failed', 7.5],
    ['klippy_disconnect', 'failed', 7.5],
    ['interrupted', 'failed', 7.5],
    ['server_exit', 'failed', 7.5],
    ['cancelled', 'cancelled', 7.5],
  ])('%s is %s, with the grams of what was extruded', async (status, outcome, grams) => {
    const printer = await watch(await startMoonraker());
    await begin(printer, `moon-${status}`);
    if (status === 'interrupted') {
      // Moonraker was killed: no event, and the history entry has no end
      await printer.gate.down();
      printer.endAs(status);
      await printer.gate.up();
    } else {
      printer.endAs(status);
    }
    expect(await reported(`moon-${status}`)).toMatchObject([{ outcome, grams }]);
  });

  test('ignores starts and repeated ends, and handles a cleared history', async () => {
    const printer = await watch(await startMoonraker());
    await begin(printer, 'moon-one');
    expect(lastOf('moon-one')).toEqual([]);
    const [job] = printer.history;
    printer.end('finished');
    await reported('moon-one');
    if (job) printer.notify('finished', job);
    printer.empty();
    await begin(printer, 'moon-two');
    printer.end('finished');
    await reported('moon-two');
    await nothingMore(printer, 'moon-one', 1);
  });

  test('reports prints that ran while it was disconnected, in order, but none from before its first start', async () => {
    const moonraker = await startMoonraker();
    moonraker.start('moon-before');
    moonraker.end('finished');
    const printer = await watch(moonraker);
    await printer.gate.down();
    for (let i = 0; i < 120; i++) {
      printer.start(`moon-gap-${String(i).padStart(3, '0')}`);
      printer.end('finished');
    }
    await printer.gate.up();
    await reported('moon-gap', 120);
    const names = lastOf('moon-gap').map(({ filename }) => filename);
    expect(names).toEqual([...names].sort());
    expect(lastOf('moon-before')).toEqual([]);
  });
});

describe('OctoPrint', () => {
  test('a cancel fires PrintCancelled and PrintFailed: one report, whichever comes first', async () => {
    const printer = await watch(await startOctoPrint());
    await begin(printer, 'octo-double');
    printer.end('cancelled');
    expect(await reported('octo-double')).toEqual([{ outcome: 'cancelled', reason: undefined }]);
    await begin(printer, 'octo-reverse');
    printer.record(false);
    printer.event('PrintFailed', { reason: 'cancelled' });
    printer.event('PrintCancelled');
    expect(await reported('octo-reverse')).toMatchObject([{ outcome: 'cancelled' }]);
    await nothingMore(printer, 'octo-double', 1);
    expect(lastOf('octo-reverse')).toHaveLength(1);
  });

  test.each([
    ['only PrintCancelled', 'PrintCancelled', undefined],
    ['only PrintFailed', 'PrintFailed', 'cancelled'],
  ])('handles one lost event of the two: %s', async (what, type, reason) => {
    const printer = await watch(await startOctoPrint());
    await begin(printer, `octo-${what}`);
    printer.record(false);
    printer.event(type, { reason });
    expect(await reported(`octo-${what}`)).toMatchObject([{ outcome: 'cancelled' }]);
    await nothingMore(printer, `octo-${what}`, 1);
  });

  test('handles an old OctoPrint that sends the failure first and no reason', async () => {
    const printer = await watch(await startOctoPrint());
    await begin(printer, 'octo-old');
    printer.record(false);
    printer.event('PrintFailed');
    printer.event('PrintCancelled');
    expect(await reported('octo-old')).toMatchObject([{ outcome: 'cancelled' }]);
    await begin(printer, 'octo-old-failure');
    printer.record(false);
    printer.event('PrintFailed');
    expect(await reported('octo-old-failure')).toMatchObject([{ outcome: 'failed' }]);
  });

  test('uses OctoPrint’s file record if no end event arrives', async () => {
    const printer = await watch(await startOctoPrint());
    await begin(printer, 'octo-silent');
    printer.record(true);
    expect(await reported('octo-silent')).toEqual([{ outcome: 'finished', grams: 11.93, reason: undefined }]);
    await begin(printer, 'octo-crash');
    printer.forget();
    expect(await reported('octo-crash')).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('without saying how the print ended') },
    ]);
  });

  test('reports a print that ran while disconnected from the file record', async () => {
    const printer = await watch(await startOctoPrint());
    await printer.gate.down();
    await agentProcess?.logged('One: connection lost');
    printer.start('octo-unseen');
    printer.record(true);
    await printer.gate.up();
    expect(await reported('octo-unseen')).toMatchObject([{ outcome: 'finished' }]);
    await nothingMore(printer, 'octo-unseen', 1);
  });

  test('reconnects when OctoPrint asks for a new login', async () => {
    const printer = await watch(await startOctoPrint());
    await begin(printer, 'octo-login');
    printer.broadcast({ reauthRequired: { reason: 'stale' } });
    await agentProcess?.logged('One: connected', 2);
    printer.end('finished');
    expect(await reported('octo-login')).toHaveLength(1);
  });
});

describe('PrusaLink', () => {
  /** until the agent has polled twice more */
  async function polled(printer: { polls: () => number }): Promise<void> {
    const before = printer.polls();
    await eventually(printer.polls, (polls) => polls >= before + 2);
  }

  test.each([
    ['FINISHED', 'finished', 15.42],
    ['ERROR', 'failed', 1.542],
    ['STOPPED', 'cancelled', 1.542],
  ])('%s is reported once as %s while the display shows it', async (state, outcome, grams) => {
    const printer = await watch(await startPrusaLink());
    await begin(printer, `prusa-${state}`);
    printer.setState('BUSY');
    await polled(printer);
    if (state === 'FINISHED') printer.end('finished');
    else printer.setState(state);
    expect(await reported(`prusa-${state}`)).toMatchObject([{ outcome, grams }]);
    await printer.gate.down();
    await agentProcess?.logged('One: connection lost');
    await printer.gate.up();
    await polled(printer);
    printer.clear();
    await polled(printer);
    await nothingMore(printer, `prusa-${state}`, 1);
    // nonces expired during the test
    expect(printer.stale()).toBeGreaterThan(0);
  });

  test('supports an older server without quality of protection', async () => {
    const printer = await watch(await startPrusaLink({ qop: false }));
    await begin(printer, 'prusa-2069');
    printer.end('finished');
    expect(await reported('prusa-2069')).toHaveLength(1);
  });

  test('infers a print that ended unseen from its remaining time', async () => {
    const printer = await watch(await startPrusaLink());
    for (const [name, remaining, outcome] of [
      ['prusa-cleared-early', 3600, 'failed'],
      ['prusa-cleared-late', 0, 'finished'],
    ] as const) {
      await begin(printer, name);
      printer.setRemaining(remaining);
      await polled(printer);
      const lost = (agentProcess?.count('One: connection lost') ?? 0) + 1;
      await printer.gate.down();
      await agentProcess?.logged('One: connection lost', lost);
      printer.clear();
      await printer.gate.up();
      expect(await reported(name)).toMatchObject([{ outcome, reason: expect.stringContaining('inferred') }]);
    }
  });
});

describe('Bambu', () => {
  test('reports a repeated FINISH once, even over a new connection', async () => {
    const printer = await watch(await startBambu());
    await begin(printer, 'bambu-finish');
    printer.end('finished');
    await reported('bambu-finish');
    printer.change({ gcode_state: 'FINISH' });
    await printer.gate.down();
    await printer.gate.up();
    await agentProcess?.logged('One: connected', 2);
    printer.change({ gcode_state: 'FINISH' });
    await nothingMore(printer, 'bambu-finish', 1);
  });

  test.each([
    ['no error', { print_error: 0 }, 'cancelled'],
    ['0300 400C', { print_error: 50348044 }, 'cancelled'],
    ['another error', { print_error: 0x0500_4003 }, 'failed'],
  ])('FAILED with %s', async (what, error, outcome) => {
    const printer = await watch(await startBambu());
    await begin(printer, `bambu-${what}`);
    printer.change({ gcode_state: 'PAUSE' });
    printer.change({ gcode_state: 'FAILED', ...error });
    expect(await reported(`bambu-${what}`)).toMatchObject([{ outcome }]);
  });

  test('handles an error that arrives after the state', async () => {
    const printer = await watch(await startBambu());
    await begin(printer, 'bambu-late-error');
    printer.change({ gcode_state: 'FAILED' });
    printer.change({ print_error: 0x0300_8003 });
    expect(await reported('bambu-late-error')).toEqual([{ outcome: 'failed', reason: 'print_error 0300 8003' }]);
  });

  test('an error of an earlier print is not this one’s, unless this one fails without another', async () => {
    const printer = await watch(await startBambu());
    printer.change({ print_error: 0x0500_4003 });
    await begin(printer, 'bambu-stale-finish');
    printer.change({ gcode_state: 'FINISH', print_error: 0x0500_4003 });
    expect(await reported('bambu-stale-finish')).toMatchObject([{ outcome: 'finished' }]);
    await begin(printer, 'bambu-stale-failure');
    printer.change({ gcode_state: 'FAILED', print_error: 0x0500_4003 });
    // nobody says that it was cancelled
    expect(await reported('bambu-stale-failure')).toMatchObject([{ outcome: 'failed' }]);
  });

  test('reports a task that ran while disconnected once, and one that is cancelled before it runs', async () => {
    const printer = await watch(await startBambu());
    await printer.gate.down();
    printer.start('bambu-unseen');
    printer.end('finished');
    await printer.gate.up();
    await reported('bambu-unseen');
    printer.change({ gcode_state: 'PREPARE', subtask_name: 'bambu-prepare', task_id: '900', subtask_id: '901' });
    printer.change({ gcode_state: 'FAILED', print_error: 50348044 });
    expect(await reported('bambu-prepare')).toMatchObject([{ outcome: 'cancelled' }]);
    await nothingMore(printer, 'bambu-unseen', 1);
    expect(lastOf('bambu-prepare')).toHaveLength(1);
  });

  test('doesn’t send the access code if the certificate has changed', async () => {
    const printer = await watch(await startBambu());
    await printer.gate.down();
    printer.renewCertificate();
    await printer.gate.up();
    await agentProcess?.logged('the certificate has changed');
  });
});
