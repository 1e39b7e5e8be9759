import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { PRINTER_ID, startFakeAgentApi } from '../kit/agent-server.ts';
import { eventually } from '../kit/eventually.ts';

// The agent installed on its own, without the server.

const AGENT = join(__dirname, '../../agent');
const BIN = join(AGENT, 'bin/farmboard-agent.js');
const run = (...args: string[]) => spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8' });

beforeAll(() => execFileSync(process.execPath, [join(AGENT, 'build.mjs')]));

test('reports a print', async () => {
  const api = await startFakeAgentApi();
  const printer = await startMoonraker();
  const files = createAgentFolder({
    server: api.url,
    printers: [{ ...printer.config, name: 'One', printer_id: PRINTER_ID }],
  });
  const agent = spawnAgent(files.file, {}, [BIN]);
  try {
    await agent.logged('One: connected');
    printer.start('part.gcode');
    await agent.logged('started printing part.gcode');
    printer.end('finished');
    await eventually(api.effects, (reports) => reports.length === 1);
    expect(api.effects()).toMatchObject([{ printer_id: PRINTER_ID, outcome: 'finished', filename: 'part.gcode' }]);
    expect(await agent.stop()).toBe(0);
  } finally {
    await agent.kill();
    await printer.stop();
    await api.stop();
    files.remove();
  }
});

test('prints its usage and what is wrong with the arguments', () => {
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: farmboard-agent') });
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('--config is required.') });
  expect(run('--nonsense')).toMatchObject({ status: 2, stderr: expect.stringContaining("'--nonsense'") });
  const missing = run('--config', '/nowhere/agent.json');
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('/nowhere/agent.json') });
});

test('imports only its declared dependencies and nothing native', () => {
  const code = readFileSync(join(AGENT, 'dist/farmboard-agent.js'), 'utf8');
  const asked = [...code.matchAll(/^import .*? from "([^"]+)";$/gm)].map(([, name]) => name ?? '');
  const packages = asked.filter((name) => !name.startsWith('node:'));
  const { dependencies } = JSON.parse(readFileSync(join(AGENT, 'package.json'), 'utf8'));
  expect([...new Set(packages)].sort()).toEqual(Object.keys(dependencies).sort());
});
