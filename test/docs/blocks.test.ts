import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Block, blocksIn, blocksOf, pagesIn, ROOT } from '../kit/docs/blocks.ts';
import { type PreparedFarm, prepareFarm } from '../kit/docs/prepared-farm.ts';
import { isShell, runSession, runsHere, sessionsOf } from '../kit/docs/run-blocks.ts';

// Executes the blocks of the pages as they stand. docs/contributing/tests.md says what the comments above them mean.

const PAGES = ['README.md', 'nodes/README.md', ...pagesIn('docs')];
// test/examples runs those of the examples
const blocks = [...PAGES, ...pagesIn('examples')].flatMap(blocksOf);

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
  const reasons = marked.map(
    ({ place, directive }) => `  ${place}: ${directive?.kind === 'not run' && directive.reason}`,
  );
  process.stdout.write(
    [`blocks.test: ${executed} of ${programs.length} blocks executed; not run:`, ...reasons, ''].join('\n'),
  );
});

test('every block is executed, or says why not', () => {
  const isDone = (block: Block) => runsHere(block) || ['run by', 'not run'].includes(block.directive?.kind ?? '');
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
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const { place, text } of blocks.filter(isShell))
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g))
      expect([place, name in scripts]).toEqual([place, true]);
});

const sessions = PAGES.flatMap((page) => sessionsOf(blocksOf(page)));

/** What shows that a page does what it says: text that its blocks, or commands after them, write. */
const RESULTS: Record<string, { after?: string; written: string }> = {
  'README.md': { written: '"workflow_status":"done"' },
  'docs/guide/invoices.md': { written: '{"result":"recorded"}' },
  'docs/guide/receive-webhooks.md': {
    after: 'eventually grep order.created "$SAID"',
    written: '"model_name":"Wall bracket"',
  },
  'docs/guide/orders-from-a-shop.md': { written: '"dry_run":true,"status":200' },
  'docs/reference/clients.md': { written: 'Wall bracket is assigned' },
};

test.each(sessions.map((session) => [session.blocks[0]?.place as string, session] as const))(
  'the blocks from %s run',
  async (place, session) => {
    const { after = '', written = '' } = RESULTS[place.replace(/:\d+$/, '')] ?? {};
    const outcome = await runSession(session, farm, after);
    expect(Object.values(outcome.output).join('') + outcome.after).toContain(written);
  },
);

describe('what the comments above blocks say', () => {
  const read = (text: string) => blocksIn('page.md', text);

  test('is about the next block only, and names what a block and those after it start from', () => {
    const page = [
      '<!-- run: in a clone, with a service, $TOKEN -->',
      'Text',
      '<!-- run: in another terminal -->',
      '```sh\none\n```',
      '1. Text',
      '   ```js\n   two\n```',
      '```\n   ```',
      '<!-- not run: needs Docker -->',
      '',
      '```sh\nthree\n```',
      '<!-- file: a.js -->',
      'Text',
      '```js\nfour\n```',
    ].join('\n');
    expect(read(page)).toEqual([
      {
        place: 'page.md:5',
        language: 'sh',
        text: 'one\n',
        setup: { clone: true, isPacked: false, service: 'running', variables: ['TOKEN'] },
        directive: { kind: 'background' },
      },
      { place: 'page.md:9', language: 'js', text: 'two\n' },
      { place: 'page.md:12', language: '', text: '' },
      { place: 'page.md:16', language: 'sh', text: 'three\n', directive: { kind: 'not run', reason: 'needs Docker' } },
      { place: 'page.md:21', language: 'js', text: 'four\n' },
    ]);
  });

  test('is refused if it asks for what there is not', async () => {
    expect(() => read('<!-- run: with a servce -->')).toThrow('page.md:2: a block can\'t run "with a servce"');
    const [session] = sessionsOf(read('<!-- run: $NOTHING -->\n```sh\ntrue\n```'));
    await expect(runSession(session!, farm)).rejects.toThrow('page.md:3: there is no $NOTHING');
  });

  test('a block that fails, or whose request is refused, fails with what it wrote', async () => {
    const fails = async (text: string) => {
      const [session] = sessionsOf(read(`<!-- run: with a new service -->\n\`\`\`sh\n${text}\n\`\`\``));
      return runSession(session!, farm).then(
        () => '',
        (error: Error) => error.message,
      );
    };
    expect(await fails('echo fine')).toBe('');
    const refused = 'curl -sS http://127.0.0.1:3000/api/v1/me';
    expect(await fails(`true\n\`\`\`\n<!-- answers: 401 -->\n\`\`\`sh\n${refused}`)).toBe('');
    expect(await fails(`true\n\`\`\`\n<!-- answers: 422 -->\n\`\`\`sh\n${refused}`)).toContain('"status":401');
    expect(await fails('echo seen; false; true')).toMatch(/status 1\n\npage\.md:3:\nseen\n/);
    expect(await fails('curl -sS http://127.0.0.1:3000/api/v1/me | cat')).toContain('"code":"unauthorized"');
  });
});
