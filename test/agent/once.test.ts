import type { PrintOutcome } from '../../agent/src/report.ts';
import { startBambu } from '../../agent/src/simulation/printers/bambu.ts';
import type { SimulatedPrinter } from '../../agent/src/simulation/printers/simulated-printer.ts';
import { type AgentProcess, createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { type FakeAgentApi, PRINTER_ID, startFakeAgentApi } from '../kit/agent-server.ts';
import { eventually } from '../kit/eventually.ts';
import { hasMosquitto, startBambuOn } from '../kit/fake-bambu.ts';
import { FAKE_PRINTERS } from '../kit/fake-printers.ts';
import { times } from '../kit/length.ts';

// Every print is reported once and in order over disconnects and kills of the agent, for every printer type.

const KINDS: [string, () => Promise<SimulatedPrinter>][] = [
  ...FAKE_PRINTERS,
  ['bambu, printing from the LAN', () => startBambu({ isLan: true })],
];
// also with a broker that is not ours: Debian's if it is installed
KINDS.push(
  hasMosquitto
    ? ['bambu, on mosquitto', () => startBambuOn('mosquitto')]
    : ['bambu, on aedes', () => startBambuOn('aedes')],
);

const OUTCOMES: PrintOutcome[] = ['finished', 'failed', 'cancelled'];
const DISCONNECTS = times(6, 20);
const KILLS = times(3, 5);

let agentApi: FakeAgentApi;
let printer: SimulatedPrinter;
let agentProcess: AgentProcess;
let files: ReturnType<typeof createAgentFolder>;

beforeEach(async () => {
  agentApi = await startFakeAgentApi();
});

afterEach(async () => {
  await agentProcess?.kill();
  await printer?.stop();
  await agentApi.stop();
  files?.remove();
});

test.each(KINDS)(
  `%s: reports each print once and in order over ${DISCONNECTS} disconnects and ${KILLS} kills`,
  async (_kind, startPrinter) => {
    printer = await startPrinter();
    files = createAgentFolder({
      server: agentApi.url,
      printers: [{ ...printer.config, name: 'One', printer_id: PRINTER_ID }],
    });
    /** possible outcomes of each: prints that end unseen are only known as well as the printer's record */
    const expected: { filename: string; outcomes: PrintOutcome[] }[] = [];

    /** A print whose start the agent has seen. */
    async function begin(): Promise<PrintOutcome> {
      const filename = `part-${expected.length + 1}.gcode`;
      const outcome = OUTCOMES[expected.length % OUTCOMES.length] ?? 'finished';
      expected.push({ filename, outcomes: [outcome] });
      printer.start(filename);
      await agentProcess.logged(`started printing ${filename}`);
      return outcome;
    }

    /** Ends the print while the agent is away. */
    function endUnseen(outcome: PrintOutcome): void {
      const unseen = printer.unseen?.[outcome];
      if (unseen) expected.at(-1)?.outcomes.push(unseen);
      printer.end(outcome);
    }

    const reported = () =>
      eventually(
        () => agentApi.effects().length,
        (count) => count >= expected.length,
      ).catch((error: Error) => {
        throw new Error(`${error.message} of ${expected.length}\n${agentProcess.log.slice(-20).join('\n')}`);
      });

    agentProcess = spawnAgent(files.file);
    await agentProcess.logged('One: connected');
    for (let i = 1; i <= DISCONNECTS; i++) {
      const outcome = await begin();
      // every other end falls into the gap
      if (i % 2 === 0) {
        printer.end(outcome);
        await reported();
      }
      await printer.gate.down();
      if (i % 2 === 1) endUnseen(outcome);
      await agentProcess.logged('One: connection lost', i);
      await printer.gate.up();
      await agentProcess.logged('One: connected', i + 1);
      await reported();
    }

    for (let i = 1; i <= KILLS; i++) {
      const outcome = await begin();
      if (i % 3 === 0) {
        // the server accepts the report and the agent is killed before the response
        const taken = new Promise<void>((resolve) => agentApi.onReport(() => resolve()));
        printer.end(outcome);
        await taken;
        agentApi.onReport(undefined);
        await agentProcess.kill();
      } else if (i % 3 === 1) {
        await agentProcess.kill();
        endUnseen(outcome);
      } else {
        endUnseen(outcome);
        await agentProcess.kill();
      }
      agentProcess = spawnAgent(files.file);
      await agentProcess.logged('One: connected');
      await reported();
    }
    // one more print: any repeated report would arrive before it
    printer.end(await begin());
    await reported();

    const effects = agentApi.effects();
    expect(effects.map(({ filename }) => filename)).toEqual(expected.map(({ filename }) => filename));
    for (const [i, { outcome }] of effects.entries()) expect(expected[i]?.outcomes).toContain(outcome);
    expect(new Set(effects.map(({ event_id }) => event_id)).size).toBe(expected.length);
    expect(effects.every(({ printer_id }) => printer_id === PRINTER_ID)).toBe(true);
    expect(agentApi.received.filter(({ status }) => status === 409)).toEqual([]);
    expect(await agentProcess.stop()).toBe(0);
  },
);
