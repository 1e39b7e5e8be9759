import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../../..');

/** What a block starts from: a folder with Farmboard installed, or a clone; a service; variables. */
export interface Setup {
  clone: boolean;
  /** one that listens, with an account or without any; or what one that was stopped has left */
  service?: 'running' | 'new' | 'stopped' | undefined;
  /** Farmboard isn't installed yet: its packed file is there */
  isPacked?: boolean;
  variables: string[];
}

/** What the comment above a block says about it. */
type Directive =
  | { kind: 'background' }
  | { kind: 'file'; name: string }
  | { kind: 'answers'; status: string }
  | { kind: 'run by'; file: string }
  | { kind: 'not run'; reason: string };

export interface Block {
  /** `docs/guide/operate.md:5`, of its first line */
  place: string;
  language: string;
  text: string;
  directive?: Directive | undefined;
  /** what it and the blocks after it start from, if a comment since the block before says so */
  setup?: Setup | undefined;
}

const SERVICES: Record<string, Setup['service']> = {
  'with a service': 'running',
  'with a new service': 'new',
  'with a stopped service': 'stopped',
};
const IN_ANOTHER_TERMINAL = 'in another terminal';

function readSetup(place: string, value: string): Setup {
  const words = value.split(', ');
  const faults = words.filter(
    (word) => !/^(in a clone|with (a|a new|a stopped|no) service|with the packed file|\$[A-Z_]+)$/.test(word),
  );
  if (faults.length > 0) throw new Error(`${place}: a block can't run "${faults.join(', ')}"`);
  return {
    clone: words.includes('in a clone'),
    isPacked: words.includes('with the packed file'),
    service: SERVICES[words.find((word) => word.endsWith(' service')) ?? ''],
    variables: words.filter((word) => word.startsWith('$')).map((word) => word.slice(1)),
  };
}

function readDirective(name: string, value: string): Directive {
  if (name === 'run') return { kind: 'background' };
  if (name === 'file') return { kind: 'file', name: value };
  if (name === 'answers') return { kind: 'answers', status: value };
  return name === 'run by' ? { kind: 'run by', file: value } : { kind: 'not run', reason: value };
}

/** What comments have said so far about the next block. */
type Said = Pick<Block, 'setup' | 'directive'>;

function listen(said: Said, place: string, line: string): Said {
  const [, name, value = ''] = /^\s*<!-- (run|run by|not run|file|answers): (.+) -->$/.exec(line) ?? [];
  if (name === 'run' && value !== IN_ANOTHER_TERMINAL) return { setup: readSetup(place, value) };
  if (name !== undefined) return { ...said, directive: readDirective(name, value) };
  return line.trim() === '' ? said : { setup: said.setup };
}

/**
 * The fenced blocks of a page, in order, without the indentation of a list. Comments such as `<!-- not run: needs
 * Docker -->` are about the block directly below them; other comments are none of ours.
 */
export function blocksIn(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: { block: Block; fence: string; indent: string } | undefined;
  let said: Said = {};
  text.split('\n').forEach((line, at) => {
    const [, indent = '', fence, info = ''] = /^(\s*)(`{3,})(.*)$/.exec(line) ?? [];
    const place = `${page}:${at + 2}`;
    if (open) {
      if (fence === open.fence && info === '') open = undefined;
      else open.block.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
    } else if (fence === undefined) {
      said = listen(said, place, line);
    } else {
      const language = /^[\w-]*/.exec(info.trim())?.[0] ?? '';
      open = { block: { place, language, text: '', ...said }, fence, indent };
      blocks.push(open.block);
      said = {};
    }
  });
  return blocks;
}

export const blocksOf = (page: string): Block[] => blocksIn(page, readFileSync(join(ROOT, page), 'utf8'));

/** Every page in a folder, at any depth, in order. What is installed or built there is none. */
export const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|dist|\.vitepress)\//.test(name))
    .map((name) => join(folder, name))
    .sort();
