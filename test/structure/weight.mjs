// What each room weighs, beside its row in weight.json: statements, so that comments, formatting, tables of data and texts
// weigh nothing, and words of the documents. Fails where a room is more than a tenth above its row; --set writes the rows.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { listFiles } from '../kit/list-files.cjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROWS = join(ROOT, 'test/structure/weight.json');
const CODE = /\.[cm]?[jt]sx?$/;
/** Data and texts: generated types, messages, fixtures. */
const WEIGHTLESS = /\.d\.ts$|messages\.ts$|\/fixtures\//;
const DOCUMENT = /\.md$/;

/**
 * Where code belongs: the first that matches, with the folder that its group captures.
 * @type {[RegExp, string, string][]}
 */
const ROOMS = [
  [/^(agent|backend|common)\/.*\.test\.tsx?$/, 'proof', 'unit tests of $1'],
  [/^backend\/bench\//, 'proof', 'benches'],
  [/^test\/(?:kit|fixtures)\//, 'proof', 'test/kit'],
  [/^test\/(\w+)\//, 'proof', 'test/$1'],
  [/^jest|^test\//, 'proof', 'test/structure'],
  [/^(agent\/src\/(?:simulation|printers))\//, 'product', '$1'],
  [/^(agent|common|examples|deploy|docs)\//, 'product', '$1'],
  [/^(nodes|credentials)\//, 'product', 'nodes'],
  [/^backend\/src\/(\w+)\//, 'product', 'server/$1'],
  [/^backend\/src\//, 'product', 'server/composition'],
  [/^backend\/web\/src\/(orders|stock|invoices|automation|printers|ui)\//, 'product', 'console/$1'],
  [/^backend\/web\//, 'product', 'console'],
  [/./, 'product', 'builds'],
];

/** @param {string} file @param {string} source */
function statementsOf(file, source) {
  let count = 0;
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    const isBody = ts.isArrowFunction(node) && !ts.isBlock(node.body);
    if (isBody || (ts.isStatement(node) && !ts.isBlock(node) && !ts.isEmptyStatement(node))) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return count;
}

/** @returns {Map<string, { kind: string, now: number }>} */
function weigh() {
  /** @type {Map<string, { kind: string, now: number }>} */
  const rooms = new Map();
  /** @type {(room: string, kind: string, weight: number) => void} */
  const add = (room, kind, weight) => {
    const { now } = rooms.get(room) ?? { now: 0 };
    rooms.set(room, { kind, now: now + weight });
  };
  for (const file of listFiles(ROOT)) {
    const read = () => readFileSync(join(ROOT, file), 'utf8');
    if (DOCUMENT.test(file)) add('words of documents', 'documents', read().split(/\s+/).filter(Boolean).length);
    if (!CODE.test(file) || WEIGHTLESS.test(file)) continue;
    const [pattern, kind, name] = ROOMS.find(([where]) => where.test(file)) ?? [/./, 'product', 'builds'];
    const folder = pattern.exec(file)?.[1] ?? '';
    add(name.replace('$1', folder), kind, statementsOf(file, read()));
  }
  return rooms;
}

const rooms = weigh();
/** @type {Record<string, number>} */
const rows = JSON.parse(readFileSync(ROWS, 'utf8'));
const names = [...new Set([...rooms.keys(), ...Object.keys(rows)])].sort();
/** @type {(kind: string, of: (name: string) => number) => number} */
const total = (kind, of) =>
  names.filter((name) => rooms.get(name)?.kind === kind).reduce((sum, name) => sum + of(name), 0);
const now = (/** @type {string} */ name) => rooms.get(name)?.now ?? 0;
const row = (/** @type {string} */ name) => rows[name] ?? 0;

/** @type {(name: string, before: number | string, after: number | string, mark?: string) => void} */
const print = (name, before, after, mark = '') =>
  console.log(`  ${name.padEnd(24)}${`${before}`.padStart(9)}${`${after}`.padStart(9)}${mark}`);
const heavy = names.filter((name) => name in rows && now(name) > row(name) * 1.1);
print('statements', 'row', 'now');
for (const name of names)
  print(name, rows[name] ?? 'new', now(name), heavy.includes(name) ? '  more than 10 % above' : '');
for (const kind of ['product', 'proof']) print(kind, total(kind, row), total(kind, now));
/** @param {(name: string) => number} of */
const ratio = (of) => (total('proof', of) / (total('product', of) || 1)).toFixed(2);
print('proof to product', ratio(row), ratio(now));

if (process.argv.includes('--set')) {
  const set = Object.fromEntries(
    [...rooms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, room]) => [name, room.now]),
  );
  writeFileSync(ROWS, `${JSON.stringify(set, null, 2)}\n`);
} else if (heavy.length > 0) process.exitCode = 1;
