// npm run glossary [-- FILE…]: fails if a term banned in docs/glossary.md appears in a text that users read. In code these are
// the string literals and the text of JSX; identifiers, import paths, keys, codes and SQL are not read.
// In code, identifiers, file names, comments and titles of tests are read for the terms banned in code, too.
// node test/docs/glossary.mjs --code FILE|FOLDER…: lists and counts these alone, in any folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { findBannedInCode, findBannedInPath, termsBannedInCode } from './code-terms.mjs';

/**
 * A banned term.
 * @typedef {{ term: string, write: string, pattern: RegExp, fine: RegExp[] }} Term
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Files and folders with texts that users read. */
const PLACES = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/contributing',
  'docs/decisions',
  'docs/guide',
  'docs/reference',
  'changes',
  'agent/src',
  'common/src',
  'backend/src',
  'backend/web/src',
  'nodes',
  'credentials',
];

/** The folders of all code. */
const CODE = ['agent', 'backend', 'common', 'credentials', 'examples', 'nodes', 'test'];

/** Migrations never change, api-types.d.ts is generated, and fixtures are what a release left. */
const NO_CODE = /\.d\.ts$|\/migrations\/|(^|\/)(node_modules|dist|fixtures)\//;
const IS_CODE = /\.[cm]?[jt]sx?$/;

/** Tests are not shipped, migrations never change, and api-types.d.ts is generated. */
const NOT_READ = /\.test\.tsx?$|\.d\.ts$|\/migrations\//;
const READ = /\.(md|tsx?)$/;

/**
 * The rows of the table of banned terms: what to look for, what to write, and where the term is fine.
 * @param {string} glossary
 * @returns {Term[]}
 */
export function bannedTerms(glossary) {
  const lines = glossary.split('\n');
  const start = lines.indexOf('| Banned | Write | Fine in |');
  if (start < 0) throw new Error('docs/glossary.md has no table of banned terms');
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map((line) => {
    const [term = '', write = '', fine = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return { term, write, pattern: wholeWords(term), fine: fine ? fine.split(', ').map(wholeWords) : [] };
  });
}

/**
 * Not within a path or identifier such as /masters/, agent-door or set_up.
 * @param {string} term
 */
function wholeWords(term) {
  const words = term
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*$/, '\\w*')
    .replace(/ /g, '\\s+');
  return new RegExp(`(?<![\\w/.#-])${words}(?![\\w/-]|\\.\\w)`, 'gi');
}

/**
 * @param {string} file
 * @param {string} source
 * @param {Term[]} terms
 * @returns {{ line: number, term: string, write: string }[]} in the order of the file
 */
export function findBanned(file, source, terms) {
  const texts = file.endsWith('.md') ? textsOfMarkdown(source) : textsOfCode(file, source);
  return texts
    .flatMap(({ text, line }) =>
      terms.flatMap(({ term, write, pattern, fine }) => {
        const allowed = fine.flatMap((phrase) => [...text.matchAll(phrase)]);
        return [...text.matchAll(pattern)]
          .filter(
            (hit) =>
              !allowed.some((ok) => ok.index <= hit.index && hit.index + hit[0].length <= ok.index + ok[0].length),
          )
          .map((hit) => ({ line: line + text.slice(0, hit.index).split('\n').length - 1, term, write }));
      }),
    )
    .sort((a, b) => a.line - b.line);
}

/** @typedef {{ text: string, line: number }} Text */

/**
 * Prose alone: code blocks, inline code and the targets of links are blanked out, so that line numbers stay.
 * @param {string} source
 * @returns {Text[]}
 */
function textsOfMarkdown(source) {
  /** @param {string} code */
  const blank = (code) => code.replace(/[^\n]/g, '·');
  const text = source
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank)
    .replace(/<[^>\n]*>/g, blank);
  return [{ text, line: 1 }];
}

/**
 * @param {string} file
 * @param {string} source
 */
function textsOfCode(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const everyString = /(^|\/)[\w-]*messages\.ts$/.test(file);
  /** @type {Text[]} */
  const texts = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    // the name of a schema in OpenAPI is not shown
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'id') return;
    const text = ts.isJsxText(node) ? node.text : textOf(node);
    if (text !== undefined && isRead(text, everyString)) {
      texts.push({ text, line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
    }
    // the parts of a text are read with it; insertions may contain texts of their own
    if (text === undefined) ts.forEachChild(node, visit);
    else insertedInto(node).forEach(visit);
  };
  visit(tree);
  return texts;
}

/**
 * A text of code, its insertions as …; undefined if the expression isn't a text.
 * @param {ts.Node} node
 * @returns {string | undefined}
 */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`;
  }
  return undefined;
}

/** @type {(node: ts.Node) => ts.Node[]} */
function insertedInto(node) {
  if (ts.isTemplateExpression(node)) return node.templateSpans.map((span) => span.expression);
  if (ts.isBinaryExpression(node)) {
    return [node.left, node.right].flatMap((side) => (textOf(side) === undefined ? [side] : insertedInto(side)));
  }
  return [];
}

/**
 * A single word in lower case is a key or a code, except in a file of messages.
 * @type {(text: string, everyString: boolean) => boolean}
 */
const isRead = (text, everyString) =>
  (everyString || /\s|^[A-Z]/.test(text)) && !/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|PRAGMA)\b/.test(text);

/**
 * Every file of a folder, relative to the root; for a file, itself.
 * @param {string} place
 */
function filesOf(place) {
  const path = resolve(ROOT, place);
  if (!statSync(path).isDirectory()) return [place];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const readGlossary = () => readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');

/**
 * @param {string[]} named
 * @returns how many terms were found in the texts of the given files, or of all that users read
 */
function checkTexts(named) {
  const terms = bannedTerms(readGlossary());
  /** @param {string} file */
  const read = (file) => READ.test(file) && !NOT_READ.test(file);
  const files = named.length > 0 ? named : PLACES.flatMap(filesOf).filter(read);
  let count = 0;
  for (const file of files) {
    for (const { line, term, write } of findBanned(file, readFileSync(resolve(ROOT, file), 'utf8'), terms)) {
      console.error(`${file}:${line}: "${term}" is banned; write "${write}"`);
      count += 1;
    }
  }
  console.log(`${files.length} files read for ${terms.length} banned terms: ${count} found`);
  return count;
}

/**
 * @param {string[]} places
 * @returns how many terms were found in the code of the given files and folders
 */
function checkCode(places) {
  const terms = termsBannedInCode(readGlossary());
  const files = places.flatMap(filesOf).filter((file) => IS_CODE.test(file) && !NO_CODE.test(file));
  const told = new Set();
  for (const file of files) {
    const found = [
      ...findBannedInPath(file, terms),
      ...findBannedInCode(file, readFileSync(resolve(ROOT, file), 'utf8'), terms),
    ];
    for (const { line, term, write, where } of found) {
      told.add(`${file}:${line}: "${term}" is banned in code (${where}); write "${write}"`);
    }
  }
  for (const finding of told) console.error(finding);
  console.log(`${files.length} files of code read for ${terms.length} banned terms: ${told.size} found`);
  return told.size;
}

function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { code: { type: 'boolean' } } });
  const inTexts = values.code ? 0 : checkTexts(positionals);
  const isWholeCheck = !values.code && positionals.length === 0;
  const inCode = values.code || isWholeCheck ? checkCode(isWholeCheck ? CODE : positionals) : 0;
  process.exitCode = inTexts + inCode > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
