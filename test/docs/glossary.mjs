// npm run glossary: fails if a name that is bold under *Not* in docs/glossary.md stands in a page, or in a name, text or
// comment of the product's code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { listFiles } from '../kit/list-files.cjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READ = /\.md$|^(agent|backend|common|credentials|nodes)\/.*\.tsx?$/;
/** The headings are those of other programs. */
const NOT_READ = /\/csv\/headings\.ts$|\/migrations\/|\.test\.tsx?$|\.d\.ts$|^docs\/glossary\.md$/;

/** The banned names, and what to write instead. @returns {{ banned: string, write: string, pattern: RegExp }[]} */
function readTerms() {
  const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
  return [...glossary.matchAll(/^\|[^|\n]*\|([^|\n]+)\|([^|\n]+)\|$/gm)].flatMap(([, name = '', not = '']) =>
    [...not.matchAll(/\*\*(.+?)\*\*/g)].map(([, banned = '']) => ({
      banned,
      write: name.trim().replaceAll('**', ''),
      // whole words, not parts of a path or of a name such as /masters/
      pattern: new RegExp(`(?<![\\w/.#-])${banned.replaceAll(' ', '\\s+')}(s|es)?(?![\\w/-]|\\.\\w)`, 'gi'),
    })),
  );
}

/** Without code blocks, code quotes and targets of links; the lines stay. @param {string} page */
const proseOf = (page) =>
  page.replace(/^```[\s\S]*?^```|`[^`\n]*`|\]\([^)\n]*\)|<[^>\n]*>/gm, (code) => code.replace(/[^\n]/g, '·'));

/** agentKey, AGENT_KEY and agent-key are "agent key". @param {string} name */
const wordsOf = (name) => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');

/** @param {string} file @param {string} source @returns {{ text: string, at: number }[]} names, texts and comments */
function textsOfCode(file, source) {
  /** @type {{ text: string, at: number }[]} */
  const texts = [{ text: wordsOf(file.replace(/^.*\/|\..*$/g, '')), at: 0 }];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const at = node.getStart();
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node)) texts.push({ text: wordsOf(node.text), at });
    else if (ts.isJsxText(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node))
      texts.push({ text: proseOf(node.text), at });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  const comments = [...source.matchAll(/^\s*(\/\/|\/?\*).*$/gm)];
  return [...texts, ...comments.map(({ 0: text, index: at }) => ({ text: proseOf(text), at }))];
}

const terms = readTerms();
const files = listFiles(ROOT).filter((file) => READ.test(file) && !NOT_READ.test(file));
const found = files.flatMap((file) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const texts = file.endsWith('.md') ? [{ text: proseOf(source), at: 0 }] : textsOfCode(file, source);
  return texts.flatMap(({ text, at }) =>
    terms.flatMap(({ banned, write, pattern }) =>
      [...text.matchAll(pattern)].map(({ index }) => {
        const line = source.slice(0, at + index).split('\n').length;
        return `${file}:${line}: write ${write}, not "${banned}" (docs/glossary.md)`;
      }),
    ),
  );
});
for (const finding of new Set(found)) console.error(finding);
console.log(`${files.length} files read for ${terms.length} banned names: ${found.length} found`);
if (found.length > 0 || terms.length === 0) process.exitCode = 1;
