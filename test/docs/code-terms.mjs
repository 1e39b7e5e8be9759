// What the check of the glossary reads in code: identifiers, file and folder names, comments, titles of tests, paths of
// routes, names of operations and schemas in OpenAPI, descriptions, and what is printed and logged.
import { basename, dirname } from 'node:path';
import ts from 'typescript';

/**
 * A term banned in code.
 * @typedef {object} Term
 * @property {string} term
 * @property {string} write
 * @property {(name: string) => boolean} isIn
 * @property {RegExp} [inText]
 * @property {RegExp[]} [fineInText]
 */
/** @typedef {{ line: number, term: string, write: string, where: string }} Finding */

const TABLE = '| Banned in code | Write | Fine in | Why |';

/**
 * The rows of the table of terms banned in code. A term in code quotes is a whole name, where `*` stands for the rest of it,
 * or with an ending the name of a file; any other is one word or several, also as a part of a name. One with a hyphen has it
 * in texts, too.
 * @param {string} glossary
 */
export function termsBannedInCode(glossary) {
  const lines = glossary.split('\n');
  const start = lines.indexOf(TABLE);
  if (start < 0) throw new Error('docs/glossary.md has no table of terms banned in code');
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map(toTerm);
}

/** @type {(row: string) => Term} */
function toTerm(row) {
  const [banned = '', write = '', fine = ''] = row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
  const fineIn = fine === '' ? [] : fine.split(', ').map((name) => name.replaceAll('`', ''));
  const [, name] = /^`(.+)`$/.exec(banned) ?? [];
  if (name !== undefined) {
    const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replace(/\*$/, '\\w+')}$`);
    return { term: name, write, isIn: (other) => pattern.test(other) && !fineIn.includes(other) };
  }
  const words = wordsOf(banned);
  return {
    term: banned,
    write,
    isIn: (other) => !fineIn.includes(other) && contains(wordsOf(other), words),
    inText: new RegExp(`(?<![\\w/.#-])${words.join(banned.includes('-') ? '-' : '[\\s-]+')}s?(?![\\w/-]|\\.\\w)`, 'gi'),
    fineInText:
      fine === ''
        ? []
        : fine
            .split(', ')
            .filter((phrase) => !phrase.startsWith('`'))
            .map((phrase) => new RegExp(phrase, 'gi')),
  };
}

/**
 * consoleDoor, CONSOLE_DOOR and console-door are two words, and ORDERTable too.
 * @type {(name: string) => string[]}
 */
const wordsOf = (name) =>
  name
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean);

/**
 * Whether words contain others one after the other, the last one also in the plural.
 * @param {string[]} words
 * @param {string[]} wanted
 */
function contains(words, wanted) {
  /** @type {(word: string | undefined, want: string, isLast: boolean) => boolean} */
  const isSame = (word, want, isLast) => word === want || (isLast && word === `${want}s`);
  return words.some((_, at) => wanted.every((want, i) => isSame(words[at + i], want, i === wanted.length - 1)));
}

/**
 * @param {string} file
 * @param {string} source
 * @param {Term[]} terms
 * @returns {Finding[]} each name once, in the order of the file
 */
export function findBannedInCode(file, source, terms) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  /** @param {number} position */
  const lineOf = (position) => tree.getLineAndCharacterOfPosition(position).line + 1;
  const { names, texts } = read(tree, source);
  const inNames = [...names].flatMap(([name, position]) =>
    terms.filter(({ isIn }) => isIn(name)).map((found) => toFinding(found, lineOf(position), name)),
  );
  const inTexts = texts.flatMap(({ text, position, where }) =>
    terms.flatMap((found) => hitsOf(text, found).map((index) => toFinding(found, lineOf(position + index), where))),
  );
  return [...inNames, ...inTexts].sort((a, b) => a.line - b.line);
}

/** @type {(term: Term, line: number, where: string) => Finding} */
const toFinding = ({ term, write }, line, where) => ({ line, term, write, where });

/**
 * A file is found by its name, with its endings and without them, and its folder by its own.
 * @param {string} path
 * @param {Term[]} terms
 */
export function findBannedInPath(path, terms) {
  const file = basename(path);
  const names = [file, file.split('.')[0] ?? '', basename(dirname(path))];
  return terms.flatMap((term) =>
    names
      .filter(term.isIn)
      .slice(0, 1)
      .map((name) => toFinding(term, 1, name)),
  );
}

/**
 * Where a text has a term that its exceptions don't cover.
 * @param {string} text
 * @param {Term} term
 */
function hitsOf(text, { inText, fineInText = [] }) {
  if (inText === undefined) return [];
  const allowed = fineInText.flatMap((phrase) => [...text.matchAll(phrase)]);
  return [...text.matchAll(inText)]
    .filter((hit) => !allowed.some((ok) => ok.index <= hit.index && hit.index < ok.index + ok[0].length))
    .map(({ index }) => index);
}

/**
 * Every name with its first position, and every comment, title of a test, description and printed text.
 * @param {ts.SourceFile} tree
 * @param {string} source
 */
function read(tree, source) {
  /** @type {Map<string, number>} */
  const names = new Map();
  /** @type {{ text: string, position: number, where: string }[]} */
  const texts = [];
  const comments = new Set();
  /** @param {ts.CommentRange[] | undefined} ranges */
  const addComments = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      texts.push({ text: maskCode(source.slice(pos, end)), position: pos, where: 'comment' });
    }
  };
  /** @param {ts.Node} node */
  const addNames = (node) => {
    for (const name of [ts.isIdentifier(node) && !isHtmlElement(node) ? node : undefined, openApiNameOf(node)]) {
      if (name && !names.has(name.text)) names.set(name.text, name.getStart());
    }
  };
  /** @param {ts.Node} node */
  const addText = (node) => {
    const title = titleOf(node);
    if (title) texts.push({ text: title.text, position: title.getStart() + 1, where: 'test title' });
    const use = useOf(node);
    if (use) texts.push({ text: maskCode(node.getText()), position: node.getStart(), where: use });
    if (ts.isJsxText(node)) return;
    addComments(ts.getLeadingCommentRanges(source, node.getFullStart()));
    addComments(ts.getTrailingCommentRanges(source, node.getEnd()));
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    addNames(node);
    addText(node);
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return { names, texts };
}

/**
 * Names in code quotes are read where they are declared.
 * @param {string} text
 */
const maskCode = (text) => text.replace(/(?<!^)`[^`\n]+`/g, (code) => '·'.repeat(code.length));

/** @type {(node: ts.Node) => boolean} */
const isText = (node) =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);

/**
 * What a text is for, if it is an argument of what describes, prints, logs or throws; undefined for others.
 * @param {ts.Node} node
 */
function useOf(node) {
  if (!isText(node)) return undefined;
  for (let at = node; at.parent && !ts.isFunctionLike(at); at = at.parent) {
    const { parent } = at;
    if (!ts.isCallExpression(parent) && !ts.isNewExpression(parent)) continue;
    const [callee] = parent.expression.getText().match(/[\w.]+$/) ?? [''];
    return USES.find(([, pattern]) => pattern.test(callee))?.[0];
  }
  return undefined;
}

/** @type {[string, RegExp][]} */
const USES = [
  ['description', /\.describe$/],
  ['output', /(^|\.)(console|logger|log)\.(log|debug|info|warn|error|fatal)$|\bstd(out|err)\.write$/],
  ['error', /(^|\.)(invalid|\w*Error)$/],
];

/**
 * `figure` in `<figure>` is the name of an HTML element.
 * @type {(node: ts.Identifier) => boolean}
 */
const isHtmlElement = ({ parent, text }) =>
  (ts.isJsxOpeningLikeElement(parent) || ts.isJsxClosingElement(parent)) && /^[a-z]/.test(text);

/**
 * The text of `path`, `id` or `operationId` in an object, and the path in get('/…', { operationId: … }).
 * @param {ts.Node} node
 */
function openApiNameOf(node) {
  if (ts.isCallExpression(node)) {
    const [path, declaration] = node.arguments;
    const isRoute =
      declaration && ts.isObjectLiteralExpression(declaration) && declaration.getText().includes('operationId:');
    return isRoute && path && ts.isStringLiteralLike(path) ? path : undefined;
  }
  if (!ts.isPropertyAssignment(node) || !ts.isStringLiteralLike(node.initializer)) return undefined;
  return /^(path|id|operationId)$/.test(node.name.getText()) ? node.initializer : undefined;
}

/**
 * The title in test('…'), describe.each(…)('…') and the like.
 * @param {ts.Node} node
 */
function titleOf(node) {
  if (!ts.isCallExpression(node)) return undefined;
  const [first] = node.arguments;
  if (!first || !ts.isStringLiteralLike(first)) return undefined;
  return /^(test|it|describe)\b/.test(node.expression.getText()) ? first : undefined;
}
