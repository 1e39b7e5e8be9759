// Requirements for the sources and package.json. Each check returns problems, none if all is well.
import { basename, join } from 'node:path';
import { run } from '../../kit/tools.mjs';
import { filesBelow } from './artefacts.mjs';
import { contrast, paints } from './svg.mjs';
import { lines, plain, read, scan } from './text.mjs';

/** @import { Check } from './types.d.ts' */

const lifecycle = /^(pre|post)?(install|prepare|publish|pack|uninstall|shrinkwrap)$|^prepublishOnly$|^dependencies$/;
const backgrounds = { light: ['#ffffff'], dark: ['#2b2b2b', '#2d2e2e'] };

/**
 * Replaces absolute paths in a text by those in the package.
 * @type {(folder: string, text: string) => string}
 */
const withoutFolder = (folder, text) => text.replaceAll(`${folder}/`, '');

/**
 * @param {string} root
 * @param {string} icon
 * @param {string[]} icons
 */
function problemsOfIcon(root, icon, icons) {
  const svg = read(root, icon);
  const theme = icon.endsWith('.dark.svg') ? 'dark' : 'light';
  const problems = [];
  const [, x, y, width, height] = svg.match(/viewBox="(\S+) (\S+) (\S+) (\S+)"/) ?? [];
  if (x !== '0' || y !== '0' || width !== height) problems.push("the view box isn't a square that starts at 0 0");
  if (Buffer.byteLength(svg) > 1500) problems.push('more than 1500 bytes');
  if (/<(script|image|foreignObject|style|use)\b|href|url\(|\son\w+=|<!ENTITY/i.test(svg))
    problems.push('something but plain shapes');
  const found = paints(svg);
  if (found.length === 0) problems.push('no colour');
  const pairs = found.flatMap((color) => backgrounds[theme].map((background) => ({ color, background })));
  for (const { color, background } of pairs) {
    const ratio = contrast(color, background);
    if (!(ratio >= 3)) problems.push(`${color} on ${background} is ${ratio.toFixed(2)}:1`);
  }
  const dark = icon.replace(/\.svg$/, '.dark.svg');
  if (theme === 'light' && (!icons.includes(dark) || read(root, dark) === svg))
    problems.push('no dark variant that differs');
  return problems;
}

/** @type {Check[]} */
export const sourceChecks = [
  {
    name: "eslint.config.mjs is n8n's stock file, byte for byte, and strict mode is on",
    find({ root, tools, manifest }) {
      const stock = 'node_modules/@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs';
      const problems = [];
      if (read(root, 'eslint.config.mjs') !== read(tools, stock)) problems.push('eslint.config.mjs differs');
      if (manifest().n8n.strict !== true) problems.push('n8n.strict is not true');
      return problems;
    },
  },
  {
    name: 'n8n-node lint in strict mode: no error, no warning',
    find({ stage }) {
      const cli = 'node_modules/@n8n/node-cli/bin/n8n-node.mjs';
      const { status, output } = run('node', [cli, 'lint'], { cwd: stage(), seconds: 180 });
      return status === 0 && !/\d+ problems?\b/.test(plain(output)) ? [] : lines(withoutFolder(stage(), output));
    },
  },
  {
    name: 'the linter read every source file, and nothing is suppressed',
    find({ stage, sources }) {
      const { stdout, output } = run('node_modules/.bin/eslint', ['.', '--format', 'json'], {
        cwd: stage(),
        seconds: 180,
      });
      if (!stdout.startsWith('[')) return lines(output);
      /** @type {{ filePath: string, suppressedMessages: { line: number, ruleId: string }[] }[]} */
      const results = JSON.parse(stdout);
      const linted = new Set(results.map(({ filePath }) => filePath.slice(stage().length + 1)));
      const wanted = ['package.json', ...sources().filter((file) => file.endsWith('.ts'))];
      return [
        ...(wanted.length > 1 ? [] : ['there is no source file']),
        ...wanted.filter((file) => !linted.has(file)).map((file) => `${file} was not linted`),
        ...results.flatMap(({ filePath, suppressedMessages }) =>
          suppressedMessages.map(({ line, ruleId }) => `${basename(filePath)}:${line} suppresses ${ruleId}`),
        ),
      ];
    },
  },
  {
    name: 'no comment turns a rule off in nodes/ and credentials/',
    find: ({ root, sources }) =>
      sources().flatMap((file) =>
        read(root, file)
          .split('\n')
          .flatMap((line, index) =>
            /eslint-(disable|enable)|\/\*\s*eslint\s|@ts-(nocheck|ignore|expect-error)/.test(line)
              ? [`${file}:${index + 1} ${line.trim()}`]
              : [],
          ),
      ),
  },
  {
    name: 'the sources compile against the newest n8n-workflow as well',
    find({ stage }) {
      const tsc = ['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false', '-p', 'tsconfig.json'];
      const { status, output } = run('node', tsc, { cwd: stage(), seconds: 180 });
      return status === 0 ? [] : lines(output);
    },
  },
  {
    name: 'package.json brings nothing along: no dependency, override or bundle',
    find: ({ manifest }) =>
      ['dependencies', 'optionalDependencies', 'overrides', 'resolutions', 'bundledDependencies', 'bundleDependencies']
        .filter((field) => Object.keys(manifest()[field] ?? {}).length > 0 || manifest()[field] === true)
        .map((field) => `${field} is not empty`),
  },
  {
    name: 'package.json runs nothing at install or publish',
    find: ({ manifest }) =>
      Object.keys(manifest().scripts ?? {})
        .filter((script) => lifecycle.test(script))
        .map((script) => `the script ${script} is a lifecycle script`),
  },
  {
    name: 'MIT licence, one public repository, no folder inside one',
    find({ root, manifest }) {
      const { license, repository } = manifest();
      const problems = [];
      if (license !== 'MIT' || !/^MIT License/.test(read(root, 'LICENSE'))) problems.push('the licence is not MIT');
      if (!/^git\+https:\/\/github\.com\/[^/]+\/[^/]+\.git$/.test(repository?.url ?? ''))
        problems.push('repository.url is no GitHub repository');
      if (repository?.directory !== undefined) problems.push('repository.directory is set');
      return problems;
    },
  },
  {
    name: 'icons: small, square, self-contained, themed, 3:1 on their background',
    find({ root, sources }) {
      const icons = sources().filter((file) => file.endsWith('.svg'));
      if (icons.length === 0) return ['there is no icon'];
      return icons.flatMap((icon) => problemsOfIcon(root, icon, icons).map((problem) => `${icon}: ${problem}`));
    },
  },
  {
    name: 'workflows: actions pinned to commits, nothing allowed by default, no stored token, provenance',
    find({ root }) {
      const folder = join(root, '.github/workflows');
      const problems = [];
      for (const file of filesBelow(folder)) {
        const text = read(folder, file);
        for (const [, action = ''] of text.matchAll(/\buses: +(?! |\.\/)(.+)/g))
          if (!/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))
            problems.push(`${file}: ${action} is not pinned`);
        const [, byDefault] = text.match(/^permissions:( \{\}|\n {2}contents: read\n(?! ))/m) ?? [];
        if (byDefault === undefined) problems.push(`${file}: the default permissions are more than reading`);
        if (/\bsecrets\./.test(text)) problems.push(`${file}: a stored secret`);
      }
      const publish = read(folder, 'publish-n8n.yml');
      const isSigned = read(root, 'deploy/release/publish-package.mjs').includes("'--provenance'");
      if (!isSigned || !/id-token: write[\s\S]*publish-package\.mjs packed --tag/.test(publish))
        problems.push('publish-n8n.yml: no publishing with provenance');
      return problems;
    },
  },
  {
    name: "n8n's package scanner, first leg: the sources",
    find: async (artefacts) =>
      (await scan(artefacts, artefacts.stage())).map((line) => withoutFolder(artefacts.stage(), line)),
  },
];
