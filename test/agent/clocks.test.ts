import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGate } from '../../agent/src/simulation/printers/gate.ts';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { startPrusaLink } from '../../agent/src/simulation/printers/prusalink.ts';
import type { SimulatedPrinter } from '../../agent/src/simulation/printers/simulated-printer.ts';
import type { Report } from '../kit/agent.ts';
import { type AgentProcess, createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { eventually } from '../kit/eventually.ts';
import { startFarm } from '../kit/farm.ts';
import { forSuite } from '../kit/opened.ts';
import { freePort } from '../kit/ports.ts';
import { withShiftedClock } from '../kit/service.ts';

// The real agent and the real service, whose clocks differ: every print is stored once, with its time.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const farm = forSuite(startFarm);
let software: SimulatedPrinter;
let agentProcess: AgentProcess;
let files: ReturnType<typeof createAgentFolder>;
let printerId: string;

afterEach(async () => {
  await agentProcess?.kill();
  await software?.stop();
  files?.remove();
});

/** An agent that may only send signed reports. */
async function place(start: () => Promise<SimulatedPrinter>, server = farm.origin): Promise<void> {
  software = await start();
  ({ id: printerId } = await farm.printer({ name: 'One' }));
  const { token } = await farm.agent({ printer_id: printerId, signed_only: true });
  files = createAgentFolder({ server, token, printers: [{ ...software.config, name: 'One' }] });
}

async function run(env: Record<string, string> = {}): Promise<void> {
  agentProcess = spawnAgent(files.file, env);
  await agentProcess.logged('One: connected');
}

async function print(filename: string): Promise<void> {
  software.start(filename);
  await agentProcess.logged(`started printing ${filename}`);
  software.end('finished');
  await agentProcess.logged(`${filename} finished`);
}

const reports = async () =>
  (await (await farm.console()).get<{ items: Report[] }>(`/printers/${printerId}/reports`)).body.items;
const secondsOff = ({ at }: Report) => Math.abs(Date.parse(at) - Date.now()) / 1000;

test.each([
  ['10 minutes ahead', 10 * MINUTE_MS],
  ['a day ahead', DAY_MS],
  ['a day behind', -DAY_MS],
  ['in 1970', -Date.now()],
  ['in 2076', 50 * 365 * DAY_MS],
])('an agent whose clock is %s reports each print once, with its time, and warns once', async (_, ms) => {
  await place(startPrusaLink);
  await run(withShiftedClock(ms) as Record<string, string>);
  for (const name of ['a.gcode', 'b.gcode']) {
    await print(name);
    await agentProcess.logged(`reported ${name}`);
  }
  const stored = await reports();
  expect(stored.map(({ filename }) => filename)).toEqual(['b.gcode', 'a.gcode']);
  for (const one of stored) expect(secondsOff(one)).toBeLessThan(60);
  expect(agentProcess.count('s ahead of the server') + agentProcess.count('s behind the server')).toBe(1);
  // each signature but the first was right at once
  expect(agentProcess.count('retrying')).toBe(0);
  expect(agentProcess.count('the server rejected')).toBe(0);
});

test('a printer whose clock is ahead of both is reported with the time at which its print was seen to end', async () => {
  await place(() => startMoonraker({ clock: () => Date.now() + DAY_MS }));
  await run();
  await print('a.gcode');
  await agentProcess.logged('reported a.gcode');
  const [stored, ...more] = await reports();
  expect([stored?.filename, more]).toEqual(['a.gcode', []]);
  expect(secondsOff(stored as Report)).toBeLessThan(60);
});

test('a clock that is corrected while reports wait for the server doesn’t change when their prints ended', async () => {
  const forward = (await import('node:http')).createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const { method, headers } = req;
      const answer = await fetch(farm.origin + req.url, {
        method: method as string,
        headers: Object.fromEntries(
          ['authorization', 'x-agent-signature', 'content-type'].flatMap((name) =>
            headers[name] === undefined ? [] : [[name, String(headers[name])]],
          ),
        ),
        ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
      });
      res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
    });
  });
  const gate = await createGate(forward, await freePort());
  try {
    await place(startPrusaLink, `http://127.0.0.1:${gate.port}`);
    await gate.down();
    const shift = join(files.folder, 'shift');
    const env = { ...withShiftedClock(0), CLOCK_SHIFT_FILE: shift } as Record<string, string>;
    for (const [name, ms] of [
      ['a.gcode', -Date.now() + DAY_MS],
      ['b.gcode', 3 * DAY_MS],
    ] as const) {
      writeFileSync(shift, String(ms));
      if (name === 'a.gcode') await run(env);
      await print(name);
    }
    writeFileSync(shift, '0');
    await gate.up();
    const stored = await eventually(reports, (all) => all.length === 2);
    for (const one of stored) expect(secondsOff(one)).toBeLessThan(60);
  } finally {
    await gate.down();
  }
});
