import type { SimulatedPrinter } from '../../agent/src/simulation/printers/simulated-printer.ts';
import { type AgentProcess, createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { FAKE_PRINTERS } from '../kit/fake-printers.ts';
import { type Farm, startFarm } from '../kit/farm.ts';
import { isGenuine } from '../kit/receiver.ts';

// End to end: from the printer's software through the real agent and server to a signed delivery.

let farm: Farm;
let agentProcess: AgentProcess;
let files: ReturnType<typeof createAgentFolder>;
const printers: SimulatedPrinter[] = [];

beforeAll(async () => {
  farm = await startFarm();
});
afterAll(async () => {
  await agentProcess?.kill();
  for (const printer of printers) await printer.stop();
  files?.remove();
  await farm.close();
});

test('delivers a signed event once for a print of each printer type', async () => {
  const entries: Record<string, unknown>[] = [];
  for (const [name, start] of FAKE_PRINTERS) {
    const software = await start();
    printers.push(software);
    const printer = await farm.printer({ name });
    const { token } = await farm.agent({ printer_id: printer.id, signed_only: true });
    entries.push({ ...software.config, name, printer_id: printer.id, token });
  }
  const subscription = await farm.subscription({ events: ['printer.print_finished', 'printer.print_failed'] });
  files = createAgentFolder({ server: farm.origin, token: undefined, printers: entries });
  agentProcess = spawnAgent(files.file);
  for (const [name] of FAKE_PRINTERS) await agentProcess.logged(`${name}: connected`);
  for (const [i, [name]] of FAKE_PRINTERS.entries()) {
    const software = printers[i] as SimulatedPrinter;
    for (const [file, outcome] of [
      [`${name}-good`, 'finished'],
      [`${name}-bad`, 'failed'],
    ] as const) {
      software.start(file);
      await agentProcess.logged(`started printing ${file}`);
      software.end(outcome);
      await agentProcess.logged(`reported ${file}`);
    }
  }
  await subscription.until((all) => all.length >= 2 * FAKE_PRINTERS.length);
  for (const one of subscription.received) expect(isGenuine(subscription.secret, one)).toBe(true);
  for (const [name] of FAKE_PRINTERS) {
    const events = subscription.received
      .filter(({ body }) => String(body.data.filename).startsWith(name))
      .map(({ body }) => [body.event, body.data.filename]);
    expect(events).toEqual([
      ['printer.print_finished', `${name}-good`],
      ['printer.print_failed', `${name}-bad`],
    ]);
  }
});
