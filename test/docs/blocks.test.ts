import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Block, blocksOf, pagesIn, ROOT } from '../kit/docs/blocks.ts';
import { type PreparedFarm, prepareFarm } from '../kit/docs/prepared-farm.ts';
import { isShell, runSession, runsHere, sessionsOf } from '../kit/docs/run-blocks.ts';

// Executes the blocks of the pages as they stand. docs/contributing/tests.md says what the comments above them mean.

const PAGES = ['README.md', 'nodes/README.md', ...pagesIn('docs')];
const blocks = PAGES.flatMap(blocksOf);

const CODE = new Set(['js', 'ts', 'python', 'php']);
/** Diagrams, and what is shown but is no program. */
const PLAIN = new Set(['', 'text', 'mermaid', 'sql', 'http', 'caddy', 'nginx', 'diff']);

/** What every program that reads settings in this form accepts: sections, names with values, continued lines. */
function parseIni(text: string): void {
  for (const line of text.split('\n'))
    if (!/^(\s*$|[#;]|\[[^\]]+\]$|[\w. -]+\s*[=:]|\s+\S)/.test(line)) throw new Error(`not of an INI file: ${line}`);
}
const PARSERS: Record<string, (text: string) => unknown> = { json: JSON.parse, yaml: parse, ini: parseIni };

const isProgram = (block: Block) => isShell(block) || CODE.has(block.language);
const programs = blocks.filter(isProgram);
const marked = programs.filter(({ directive }) => directive?.kind === 'not run');

let farm: PreparedFarm;

beforeAll(async () => {
  farm = await prepareFarm();
});
afterAll(() => {
  farm?.remove();
  const executed = programs.length - marked.length;
  const reasons = marked.map(({ place, directive }) => `  ${place}: ${directive?.kind === 'not run' && directive.reason}`);
  process.stdout.write([`blocks.test: ${executed} of ${programs.length} blocks executed; not run:`, ...reasons, ''].join('\n'));
});

test('every block is executed, or says why not', () => {
  const isDone = (block: Block) =>
    runsHere(block) || ['run by', 'not run'].includes(block.directive?.kind ?? '');
  expect(programs.filter((block) => !isDone(block)).map(({ place }) => place)).toEqual([]);
  const isKnown = (block: Block) => isProgram(block) || block.language in PARSERS || PLAIN.has(block.language);
  expect(blocks.filter((block) => !isKnown(block)).map(({ place, language }) => [place, language])).toEqual([]);
});

test('every block of data can be parsed', () => {
  for (const { place, language, text } of blocks.filter((block) => block.language in PARSERS))
    expect({ place, fault: faultOf(() => PARSERS[language]?.(text)) }).toEqual({ place, fault: null });
});

function faultOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test('what a page says runs a block exists, and what it shows of an example is all of it', () => {
  for (const { place, text, directive } of blocks) {
    if (directive?.kind === 'run by') expect([place, existsSync(join(ROOT, directive.file))]).toEqual([place, true]);
    if (directive?.kind === 'file' && directive.name.startsWith('examples/'))
      expect([place, text]).toEqual([place, readFileSync(join(ROOT, directive.name), 'utf8')]);
  }
});

test('every script that a block names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  for (const { place, text } of blocks.filter(isShell))
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g))
      expect([place, name in scripts]).toEqual([place, true]);
});

const sessions = PAGES.flatMap((page) => sessionsOf(blocksOf(page)));

test.each(sessions.map((session) => [session.blocks[0]?.place as string, session] as const))(
  'the blocks from %s run',
  async (_, session) => {
    await runSession(session, farm);
  },
);
