import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMoonraker } from '../../agent/src/simulation/printers/moonraker.ts';
import { createAgentFolder, spawnAgent } from '../kit/agent-process.ts';
import { PRINTER_ID, startFakeAgentApi } from '../kit/agent-server.ts';
import { eventually, PATIENCE_MS } from '../kit/eventually.ts';
import { HOSTILE_PRINTERS } from '../kit/hostile-printers.ts';
import { times } from '../kit/length.ts';
import { peakMemoryOf } from '../kit/processes.ts';

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

/** The agent as it is released: one file, with all packages in it. @returns the program */
function unpackRelease(folder: string): string {
  execFileSync(process.execPath, [join(__dirname, '../../deploy/pack/agent.mjs'), folder]);
  const [name = ''] = readdirSync(folder);
  execFileSync('tar', ['-xzf', join(folder, name), '-C', folder]);
  return join(folder, 'package/bin/farmboard-agent.js');
}

/** MiB; deploy/systemd/farmboard-agent.service allows twice as much. */
const MAX_MEMORY = 128;

test(
  'stays within its memory while a printer of each protocol sends what no printer sends',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farmboard-release-'));
    const api = await startFakeAgentApi();
    const good = await startMoonraker();
    const hostile = await Promise.all(Object.values(HOSTILE_PRINTERS).map((open) => open()));
    const files = createAgentFolder({
      server: api.url,
      printers: [
        { ...good.config, name: 'Good', printer_id: PRINTER_ID },
        ...hostile.map(({ config }) => ({ ...config, name: `Hostile ${config.type}`, printer_id: PRINTER_ID })),
      ],
    });
    const agent = spawnAgent(files.file, {}, [unpackRelease(folder)]);
    try {
      await agent.logged('Good: connected');
      good.start('part.gcode');
      await agent.logged('started printing part.gcode');
      const until = performance.now() + times(0, 60_000);
      const rounds = () => hostile.map(({ count, names }) => Math.floor(count() / names.length));
      await eventually(rounds, (all) => Math.min(...all) >= 1 && performance.now() > until, 3 * PATIENCE_MS);
      good.end('finished');
      await eventually(api.effects, (reports) => reports.some(({ filename }) => filename === 'part.gcode'));
      expect(peakMemoryOf(agent.pid)).toBeLessThan(MAX_MEMORY);
      expect(await agent.stop()).toBe(0);
    } finally {
      await agent.kill();
      for (const printer of [good, ...hostile]) await printer.gate.down();
      await api.stop();
      files.remove();
      rmSync(folder, { recursive: true });
    }
  },
  5 * PATIENCE_MS,
);

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
