import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Paths in code quotes that begin at the root, without patterns and examples. */
const paths = [...text.matchAll(/`((?:agent|backend|nodes|docs|test|examples)\/[\w./-]+)`/g)].map(
  ([, path]) => path ?? '',
);

test('finds every file and folder that CONTRIBUTING.md names', () => {
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('finds every command that CONTRIBUTING.md names', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
  expect(commands.filter((name) => !(name in scripts))).toEqual([]);
});
