// npm run structure: what the import rules cannot say in numbers. Prints the entries of backend/src and the imports
// between them, the tables with stores in several folders, and the longest files; fails where a limit is exceeded.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import layers from './layers.cjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SRC = 'backend/src';
const CONSOLE = 'backend/web/src';
/** A fifth above what there was when they were set: code isn't shaped to fit them. */
const MAX_ENTRIES = 24;
const MAX_IMPORTS = 132;
const MAX_LINES = 480;

/** @type {(layers: string[][], entry: string) => number} */
const layerOf = (layers, entry) => layers.findIndex((layer) => layer.includes(entry));

/** @type {(file: string) => boolean} */
const isProduct = (file) => !/\.test\.tsx?$|\.d\.ts$/.test(file);
/** @type {(folder: string) => string[]} */
const filesBelow = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && isProduct(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
/** @type {(file: string) => string} */
const read = (file) => readFileSync(join(ROOT, file), 'utf8');

/** @returns {Promise<{ from: string, to: string, isType: boolean }[]>} each pair of entries once; a type if all of its imports are */
async function importsBetweenEntries(/** @type {string} */ folder) {
  const options = { tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' }, baseDir: ROOT };
  const { output } = await cruise([folder], options);
  if (typeof output === 'string') throw new Error(output);
  /** @param {string} file */
  const entryOf = (file) => (file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined);
  /** @type {Map<string, { from: string, to: string, isType: boolean }>} */
  const pairs = new Map();
  for (const { source, dependencies } of output.modules.filter((module) => isProduct(module.source))) {
    for (const { resolved, dependencyTypes } of dependencies) {
      const [from, to] = [entryOf(source), entryOf(resolved)];
      if (!from || !to || from === to) continue;
      const isType = dependencyTypes.includes('type-only');
      const known = pairs.get(`${from} ${to}`);
      pairs.set(`${from} ${to}`, { from, to, isType: isType && (known?.isType ?? true) });
    }
  }
  return [...pairs.values()];
}

/** Reads across features by design: reports, and the checks of the command line. */
const MAY_READ = /\/reports\/|-check-store\.ts$/;

/**
 * The tables that a source reads in statements of their own; joins and subqueries are part of another table's.
 * @param {string} text
 * @returns {Set<string | undefined>}
 */
function tablesReadAlone(text) {
  const statements = [...text.matchAll(/(['"`])SELECT\b[^'"`]*?\bFROM\b[\s\S]*?\1/g)].map(([statement]) => statement);
  const tables = statements.map(withoutParentheses).filter((statement) => !/\bJOIN\b/.test(statement));
  const pages = [...text.matchAll(/\btable: '(\w+)',/g)].map(([, table]) => table);
  return new Set([...tables.map((statement) => /\bFROM (\w+)/.exec(statement)?.[1]), ...pages]);
}

/** @type {(text: string) => string} */
function withoutParentheses(text) {
  const shorter = text.replace(/\([^()]*\)/g, '');
  return shorter === text ? text : withoutParentheses(shorter);
}

/** @returns {Map<string, string[]>} the files that write or read each table, for tables with files in several folders */
function tablesInSeveralFolders() {
  const migrations = filesBelow(`${SRC}/storage/migrations`).map(read).join('\n');
  const tables = new Set([...migrations.matchAll(/CREATE TABLE (\w+)/g)].map(([, table = '']) => table));
  const sources = filesBelow(SRC)
    .filter((file) => !file.includes('/storage/'))
    .map((file) => ({ file, text: read(file) }))
    .map(({ file, text }) => ({ file, text, reads: MAY_READ.test(file) ? new Set() : tablesReadAlone(text) }));
  const stores = [...tables].map((table) => {
    const writes = new RegExp(`(INSERT INTO|UPDATE|DELETE FROM)\\s+${table}\\b`);
    return { table, files: sources.filter(({ text, reads }) => writes.test(text) || reads.has(table)) };
  });
  const shared = stores.filter(({ files }) => new Set(files.map(({ file }) => dirname(file))).size > 1);
  return new Map(shared.map(({ table, files }) => [table, files.map(({ file }) => file)]));
}

/** @type {(folders: string[], count: number) => { file: string, lines: number }[]} */
const longestFiles = (folders, count) =>
  folders
    .flatMap(filesBelow)
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .sort((a, b) => b.lines - a.lines)
    .slice(0, count);

/**
 * Plain objects that are indexed like a table: a key from outside would also find what every object inherits, such as
 * `constructor`.
 */
function indexedObjects() {
  const sources = [SRC, 'agent/src'].flatMap(filesBelow).map((file) => ({ file, text: read(file) }));
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^(export )?const (\w+): (?:\w+<)*Record<string\b.* = \{(?!\})/gm)]
      .filter(([, isExported, name]) => {
        const isIndexed = new RegExp(`\\b${name}\\[(?!['"])`);
        return isExported ? sources.some((source) => isIndexed.test(source.text)) : isIndexed.test(text);
      })
      .map(([, , name]) => `${file}: ${name}`),
  );
}

/** May read bodies of requests: the one reader, the parser of forms that it passes pieces to, and the receiver of a demo. */
const MAY_READ_BODIES = /\/http\/(body-reader|form)\.ts$|\/cli\/commands\/demo-flow\.ts$/;
const READS_BODY =
  /\bexpress\.(json|raw|text|urlencoded)\b|\breq(uest)?(\.on\('(data|readable|end)'|\.pipe\(|\.read\()|\bof req(uest)?\)|'busboy'/;

/** Bodies of requests are read in one place, which limits what they hold. */
const ownReaders = () => filesBelow(SRC).filter((file) => !MAY_READ_BODIES.test(file) && READS_BODY.test(read(file)));

const entries = readdirSync(join(ROOT, SRC));
const imports = await importsBetweenEntries(SRC);
const upward = imports.filter(
  ({ from, to, isType }) => !isType && layerOf(layers.server, to) > layerOf(layers.server, from),
);
const consoleEntries = readdirSync(join(ROOT, CONSOLE));
const consoleImports = await importsBetweenEntries(CONSOLE);
const consoleUpward = consoleImports.filter(
  ({ from, to }) => layerOf(layers.console, to) >= layerOf(layers.console, from),
);
const shared = tablesInSeveralFolders();

console.log(`${entries.length} entries of ${SRC} (at most ${MAX_ENTRIES})`);
console.log(`${imports.length} imports between them (at most ${MAX_IMPORTS})`);
console.log(`${upward.length} upward, other than types${upward.map(({ from, to }) => `\n  ${from} → ${to}`).join('')}`);
console.log(`${consoleEntries.length} entries of ${CONSOLE}, ${consoleImports.length} imports between them`);
console.log(
  `${consoleUpward.length} to one that is not below${consoleUpward.map(({ from, to }) => `\n  ${from} → ${to}`).join('')}`,
);
console.log(`${shared.size} tables with stores in several folders`);
for (const [table, files] of shared) console.log(`  ${table}: ${files.join(', ')}`);
const longest = longestFiles([SRC, CONSOLE, 'agent/src', 'nodes'], 5);
console.log(`longest files (at most ${MAX_LINES} lines)`);
for (const { file, lines } of longest) console.log(`  ${lines} ${file}`);
const unknown = [
  ...entries.filter((entry) => layerOf(layers.server, entry) < 0),
  ...consoleEntries.filter((entry) => layerOf(layers.console, entry) < 0),
];
if (unknown.length > 0) console.log(`without a layer: ${unknown.join(', ')}`);
const indexed = indexedObjects();
if (indexed.length > 0) console.log(`plain objects indexed by a variable; use lookupTable:\n  ${indexed.join('\n  ')}`);
const readers = ownReaders();
if (readers.length > 0) console.log(`reads bodies by itself; use http/body.ts:\n  ${readers.join('\n  ')}`);
const faults = upward.length + consoleUpward.length + unknown.length + shared.size + indexed.length + readers.length;
const tooLong = longest.some(({ lines }) => lines > MAX_LINES);
if (entries.length > MAX_ENTRIES || imports.length > MAX_IMPORTS || tooLong || faults > 0) process.exitCode = 1;
