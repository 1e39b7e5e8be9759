// npm run test:profile [-- Jest options]: runs the suites one after the other and prints the cost of each, the highest
// first.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'farmboard-profile-'));
const file = join(folder, 'suites.jsonl');
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const environment = fileURLToPath(new URL('profile-environment.cjs', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [jest, '--maxWorkers=1', '--env', environment, ...process.argv.slice(2)],
  {
    env: { ...process.env, FARMBOARD_TEST_PROFILE: file },
    stdio: ['ignore', 2, 2],
  },
);
const suites = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });

// time in which neither the suite nor its processes computed
for (const suite of suites) suite.waiting = Math.max(0, suite.wall - suite.cpu);
suites.sort((a, b) => b.wall - a.wall);
const total = { suite: `${suites.length} suites` };
for (const name of ['wall', 'cpu', 'waiting', 'services', 'commands', 'databases'])
  total[name] = suites.reduce((sum, suite) => sum + suite[name], 0);

const row = ({ suite, wall, cpu, waiting, services, commands, databases }) =>
  [
    ...[wall, cpu, waiting].map((seconds) => seconds.toFixed(1).padStart(8)),
    ...[services, commands, databases].map((count) => String(count).padStart(9)),
    `  ${suite}`,
  ].join('');
console.log('  wall s   cpu s  wait s services commands databases  suite');
for (const suite of [...suites, total]) console.log(row(suite));
process.exit(status ?? 1);
