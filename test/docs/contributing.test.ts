import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { listFiles } = require('../kit/list-files.cjs') as { listFiles(root: string): string[] };

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

/** What stands in code quotes. */
const quotedIn = (item: string) => [...item.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted);

test('finds every name in the files that its step of "Where to add…" names', () => {
  const tree = listFiles(ROOT);
  const isIn = (file: string, name: string) =>
    new RegExp(`(?<!\\w)${name.replaceAll('.', '\\.')}(?!\\w)`).test(readFileSync(join(ROOT, file), 'utf8'));
  const items = readFileSync(join(ROOT, 'docs/contributing/where-to-add.md'), 'utf8').match(/^\d+\. .*$/gm) ?? [];
  let names = 0;
  const lost = items.flatMap((item) => {
    // get('/print-jobs/{id}', { … }) is get; commands, SQL and examples have spaces
    const quoted = quotedIn(item)
      .map((text) => text.replace(/\(.*\)$|: true$/g, ''))
      .filter((text) => !/ |YYYY/.test(text));
    // a path, or the end of one, such as -store.ts
    const isPath = (text: string) => /\/|\.(tsx?|cjs|mjs|json|yml|md)$/.test(text);
    const named = quoted.filter(isPath).map((path) => {
      const end = path.replace(/^[*…]|\/$/g, '');
      return { path, files: tree.filter((file) => file.endsWith(end) || file.startsWith(`${end}/`)) };
    });
    const files = named.flatMap((one) => one.files);
    const identifiers = quoted.filter((text) => !isPath(text));
    names += identifiers.length;
    return [
      ...named.filter((one) => one.files.length === 0).map(({ path }) => path),
      ...identifiers.filter((name) => !(files.length > 0 ? files : tree).some((file) => isIn(file, name))),
    ];
  });
  expect(lost).toEqual([]);
  expect(names).toBeGreaterThan(30);
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
  const suites = listFiles(ROOT).filter((file) => file.endsWith('.test.ts'));
  for (const left of LEFT_TO_CI)
    expect([left, suites.some((path) => new RegExp(left).test(`/${path}`))]).toEqual([left, true]);
});
