import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUN = join(__dirname, 'run.mjs');

test('every fault has a unique ID, a unique anchor and existing suites', () => {
  const lines = execFileSync(process.execPath, [RUN, '--list'], { encoding: 'utf8' }).trim().split('\n');
  expect(Number.parseInt(lines.pop() ?? '', 10)).toBe(lines.length);
  expect(lines.length).toBeGreaterThanOrEqual(64);
  expect(lines.filter((line) => !/^[\w ]+: [\w-]+: [A-Za-z].*\.$/.test(line))).toEqual([]);
});

test('reports each fault whose code or suites are missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'farmboard-empty-'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, '--list', '--root', root, '--only', 'csv-'], {
    encoding: 'utf8',
  });
  rmSync(root, { recursive: true });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^csv-[\w-]+: there is no file .*\ncsv-[\w-]+: there is no suite .*\n$/);
});
