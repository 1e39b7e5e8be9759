// Shows that every check can fail: node test/n8n/lint/faults.mjs [--package FOLDER]
// Plants each fault in a copy of the package; its check must find and report it. Takes a few minutes.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { filesBelow, installLinter, prepare } from './artefacts.mjs';
import { checks, problemsOf } from './checks.mjs';

/** @import { Check } from './types.d.ts' */
/** @typedef {(folder: string) => void} Change of a copy of the package */

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const { values } = parseArgs({ options: { package: { type: 'string', default: repository } } });
const original = resolve(values.package);

const action = 'nodes/Farmboard/Farmboard.node.ts';
const codex = 'nodes/Farmboard/Farmboard.node.json';
const credential = 'credentials/FarmboardApi.credentials.ts';
const light = 'nodes/Farmboard/farmboard.svg';
const dark = 'nodes/Farmboard/farmboard.dark.svg';
const publish = '.github/workflows/publish-n8n.yml';
const publisher = 'deploy/release/publish-package.mjs';
const built = 'dist/nodes/Farmboard/Farmboard.node.js';

/** @type {(file: string, edit: (text: string) => string) => Change} */
const change = (file, edit) => (folder) => {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  const after = edit(before);
  if (after === before) throw new Error(`the fault changes nothing in ${file}`);
  writeFileSync(path, after);
};
/** @type {(file: string, text: string) => Change} */
const add = (file, text) => (folder) => appendFileSync(join(folder, file), text);
/** @type {(file: string) => Change} */
const remove = (file) => (folder) => rmSync(join(folder, file));
/** @type {(file: string, from: string | RegExp, to: string) => Change} */
const replace = (file, from, to) => change(file, (text) => text.replace(from, to));
/**
 * Changes a value of package.json; undefined removes it.
 * @type {(path: string, toValue: (before: unknown) => unknown) => Change}
 */
const edit = (path, toValue) =>
  change('package.json', (text) => {
    const data = JSON.parse(text);
    const names = path.split('.');
    const last = String(names.pop());
    const parent = names.reduce((inner, name) => inner[name], data);
    parent[last] = toValue(parent[last]);
    return `${JSON.stringify(data, null, 2)}\n`;
  });
/** @type {(path: string, value: unknown) => Change} */
const set = (path, value) => edit(path, () => value);
/** @type {(command: string) => Change} */
const afterBuild = (command) => edit('scripts.build:nodes', (before) => `${before} && ${command}`);
/** @type {(folder: string) => string} */
const someSchema = (folder) =>
  String(filesBelow(join(folder, 'nodes')).find((file) => /__schema__.*\.json$/.test(file)));

/**
 * The start of the check's name, the change of the copy, and what the check must say.
 * @type {[string, Change, RegExp][]}
 */
const faults = [
  ['eslint.config.mjs', add('eslint.config.mjs', '\n'), /differs/],
  ['eslint.config.mjs', set('n8n.strict', false), /strict/],
  ['n8n-node lint', remove('eslint.config.mjs'), /Strict mode violation/],
  ['n8n-node lint', add(action, 'export const home = process.env.HOME;\n'), /no-restricted-globals/],
  ['n8n-node lint', add(action, "import 'node:fs';\n"), /no-restricted-imports/],
  ['n8n-node lint', add(action, "import './absent';\n"), /no-unresolved/],
  ['n8n-node lint', set('homepage', undefined), /1 warning/],
  ['n8n-node lint', set('peerDependencies.lodash', '*'), /valid-peer-dependencies/],
  [
    'the linter read',
    add(action, '// eslint-disable-next-line no-console\nconsole.log(1);\n'),
    /suppresses no-console/,
  ],
  [
    'the linter read',
    (folder) => cpSync(join(folder, credential), join(folder, 'nodes/node_modules/Hidden.ts')),
    /Hidden.ts was not linted/,
  ],
  ['n8n-node lint', add(action, 'export const = 1;\n'), /Parsing error/],
  ['no comment turns', add(credential, '/* eslint-disable */\n'), /eslint-disable/],
  ['no comment turns', add(credential, '// @ts-nocheck\n'), /ts-nocheck/],
  ['the sources compile', add(action, "export const wrong: number = 'word';\n"), /TS2322/],
  ['package.json brings', set('dependencies', { lodash: '*' }), /^dependencies/],
  ['package.json brings', set('overrides', { lodash: '4' }), /^overrides/],
  ['package.json brings', set('bundledDependencies', ['n8n-workflow']), /^bundled/],
  ['package.json runs', set('scripts.postinstall', 'true'), /postinstall/],
  ['package.json runs', set('scripts.prepublishOnly', 'true'), /prepublishOnly/],
  ['MIT licence', set('license', 'ISC'), /licence/],
  ['MIT licence', set('repository.directory', 'nodes'), /directory/],
  ['MIT licence', set('repository.url', 'git@example.org:a/b.git'), /GitHub/],
  ['icons:', (folder) => cpSync(join(folder, light), join(folder, dark)), /on #2b2b2b is 2\.\d+:1|no dark variant/],
  ['icons:', replace(light, /fill="#\w+"/, 'fill="#ffd400"'), /#ffd400 on #ffffff is 1/],
  ['icons:', replace(light, /fill="#\w+"/, 'fill="teal"'), /teal on #ffffff is NaN/],
  ['icons:', replace(light, /0 0 \d+ \d+/, '0 0 64 48'), /no square/],
  ['icons:', replace(light, '</svg>', '<script>1</script></svg>'), /plain shapes/],
  ['icons:', replace(light, '</svg>', `<!--${'x'.repeat(1500)}--></svg>`), /1500 bytes/],
  ['icons:', remove(dark), /no dark variant/],
  ['workflows:', replace(publish, /@[0-9a-f]{40} # v[\d.]+/, '@v6'), /is not pinned/],
  ['workflows:', replace(publish, /@([0-9a-f]{40}) # v[\d.]+/, '@$1'), /is not pinned/],
  ['workflows:', replace(publish, 'permissions: {}', 'permissions: write-all'), /default permissions/],
  ['workflows:', replace(publish, /^permissions.*\n/m, ''), /default permissions/],
  ['workflows:', add(publish, '        env: { TOKEN: secrets.NPM_TOKEN }\n'), /a stored secret/],
  ['workflows:', replace(publisher, '--provenance', ''), /no publishing with provenance/],
  [
    "n8n's package scanner, first",
    add(action, '// eslint-disable-next-line\nexport const home = process.env.HOME;\n'),
    /no-restricted-globals/,
  ],
  ['npm run build:nodes', add(action, "export const wrong: number = 'word';\n"), /TS2322/],
  ['the tarball holds', edit('files', (files) => [files, 'tsconfig.json'].flat()), /tsconfig.json is in it/],
  ['the tarball holds', afterBuild('echo {} > dist/nodes/Farmboard.node.js.map'), /js\.map is in it/],
  ['the tarball holds', afterBuild('echo {} > dist/nodes/tsconfig.tsbuildinfo'), /tsbuildinfo is in it/],
  ['the tarball holds', add('nodes/Farmboard/order.test.ts', 'export const test = 1;\n'), /order\.test\.js is in it/],
  ['the tarball holds', remove('nodes/README.md'), /README\.md/],
  ['the manifest in the tarball', set('bugs', undefined), /bugs\.url is not in it/],
  ['the README and', add('nodes/README.md', '[events](docs/reference/events.md)\n'), /leads nowhere on npm/],
  ['the tarball is what', afterBuild('echo 1 > dist/nodes/Stale.js'), /Stale\.js has no source/],
  ['the tarball is what', afterBuild(`rm dist/${light}`), /farmboard\.svg is not the file/],
  ['the tarball is what', afterBuild(`sed -i s/Sales/Sale/ dist/${codex}`), /Farmboard\.node\.json is not the file/],
  [
    'the tarball is what',
    afterBuild('rm dist/nodes/Farmboard/FarmboardTrigger.node.js'),
    /FarmboardTrigger\.node\.js is missing/,
  ],
  [
    'the tarball is what',
    afterBuild(
      'mkdir -p dist/nodes/Farmboard/__schema__/v9.0.0 && echo {} > dist/nodes/Farmboard/__schema__/v9.0.0/a.json',
    ),
    /v9\.0\.0\/a\.json has no source/,
  ],
  ['no path of a machine', add(action, "export const place = '/home/someone/farm';\n"), /\/home\/someone/],
  ['no path of a machine', afterBuild(`echo '//# sourceMappingURL=x.map' >> ${built}`), /sourceMappingURL/],
  ['every registered', set('n8n.nodes', [built]), /is not registered/],
  [
    'every registered',
    edit('n8n.nodes', (nodes) => [nodes, 'dist/nodes/Absent.node.js'].flat()),
    /Absent\.node\.js is not in the tarball/,
  ],
  ['every registered', set('n8n.credentials', []), /no credential is registered/],
  [
    'every registered',
    replace(action, 'export class Farmboard ', 'export class Farmbord '),
    /exports no class Farmboard/,
  ],
  ['every registered', afterBuild(`echo 'require("express")' >> ${built}`), /Cannot find module 'express'/],
  ['nodes and credential show', replace(action, 'file:farmboard.dark.svg', 'file:farmboard.svg'), /no light and dark/],
  ['nodes and credential show', afterBuild(`rm dist/${dark}`), /farmboard\.dark\.svg is not in the tarball/],
  ['every node has a codex', remove(codex), /Farmboard\.node\.json is not in the tarball/],
  ['every node has a codex', replace(codex, '.farmboard"', '.farmbord"'), /node is/],
  ['every node has a codex', replace(codex, '"nodeVersion": "1.0"', '"nodeVersion": "7.0"'), /nodeVersion is 7\.0/],
  ['every node has a codex', replace(codex, '"Productivity"', '"Printing"'), /no category Printing/],
  ['every node has a codex', replace(codex, '#credentials', '#nowhere'), /no heading/],
  ['every node has a codex', replace(codex, 'primaryDocumentation', 'otherDocumentation'), /no primaryDocumentation/],
  ['README', replace('nodes/README.md', /^#+ Compatibility$/m, 'Compatibility'), /no section Compatibility/],
  ['README', add('nodes/README.md', 'TODO\n'), /TODO is left in it/],
  ['README', replace(action, "name: 'Order'", "name: 'Zeppelin'"), /does not name Zeppelin/],
  ['the help link', replace(credential, '#credentials', '#nowhere'), /no heading/],
  ['every operation', (folder) => rmSync(join(folder, 'nodes', someSchema(folder))), /is missing/],
  [
    'every operation',
    (folder) =>
      cpSync(
        join(folder, 'nodes', someSchema(folder)),
        join(folder, 'nodes', dirname(someSchema(folder)), 'explode.json'),
      ),
    /explode\.json belongs to no operation/,
  ],
  ['every operation', remove('nodes/Farmboard/__schema__/v1.0.0/output.json'), /output\.json is missing/],
  ['every operation', (folder) => writeFileSync(join(folder, 'nodes', someSchema(folder)), '{}\n'), /names no type/],
  [
    "n8n's package scanner, second",
    afterBuild(`echo 'exports.home = process.env.HOME;' >> ${built}`),
    /no-restricted-globals/,
  ],
];

const left = new Set(['node_modules', '.git', 'dist', 'backend', 'data', 'coverage']);
const tools = installLinter();

/**
 * Runs one check on a copy of the package with a fault.
 * @param {Check} check
 * @param {Change} fault
 */
async function problemsWith(check, fault) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-fault-'));
  cpSync(original, folder, { recursive: true, filter: (path) => !left.has(relative(original, path)) });
  symlinkSync(join(original, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const artefacts = prepare({ root: folder, tools });
  try {
    fault(folder);
    return await problemsOf(check, artefacts);
  } catch (error) {
    return [`the fault could not be made: ${/** @type {Error} */ (error).message}`];
  } finally {
    artefacts.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

let passed = 0;
let failed = 0;
/** @type {(fine: boolean, text: string, details: string[]) => void} */
const report = (fine, text, details) => {
  if (fine) passed += 1;
  else failed += 1;
  console.log(`${fine ? 'ok  ' : 'FAIL'} ${text}`);
  if (!fine) for (const detail of details) console.log(`       ${detail}`);
};

for (const check of checks) {
  const sound = await problemsWith(check, () => {});
  report(sound.length === 0, `no fault: ${check.name}`, sound);
  const own = faults.filter(([start]) => check.name.startsWith(start));
  if (own.length === 0) report(false, `no fault is known for: ${check.name}`, []);
  for (const [, fault, says] of own) {
    const problems = await problemsWith(check, fault);
    report(
      problems.some((problem) => says.test(problem)),
      `  says ${says}`,
      ['it said:', ...problems],
    );
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
