import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const PAGES = ['AGENTS.md', 'CONTRIBUTING.md', 'docs/contributing/tests.md', 'docs/contributing/where-to-add.md'];
const text = PAGES.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');

/** Paths in code quotes that begin at the root, without patterns and examples. */
const paths = [...text.matchAll(/`((?:agent|backend|nodes|docs|test|examples)\/[\w./-]+)`/g)].map(
  ([, path]) => path ?? '',
);

test('finds every file and folder that the pages for contributors name', () => {
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('finds every command that the pages for contributors name', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
});

test('finds every suite that npm test leaves to .ci/run', () => {
  const { LEFT_TO_CI } = require('../../jest.quick.config.cjs') as { LEFT_TO_CI: string[] };
  const suites = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  for (const left of LEFT_TO_CI)
    expect([left, suites.some((path) => new RegExp(left).test(`/${path}`))]).toEqual([left, true]);
});
