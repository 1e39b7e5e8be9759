import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECK = join(__dirname, 'glossary.mjs');
const folder = mkdtempSync(join(tmpdir(), 'farmboard-glossary-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the check on one file. @returns the exit status and "line: term" for each finding */
function check(name: string, lines: string[]) {
  const file = join(folder, name);
  writeFileSync(file, lines.join('\n'));
  const { status, stderr } = spawnSync(process.execPath, [CHECK, file], { encoding: 'utf8' });
  const found = stderr.split('\n').flatMap((line) => {
    const [, at, term] = /:(\d+): "([^"]+)" is banned; write ".+"$/.exec(line) ?? [];
    return at ? [`${at}: ${term}`] : [];
  });
  return { status, found };
}

/** The first cells of the table with this header. */
function firstColumn(text: string, header: string): string[] {
  const [table = ''] = text.slice(text.indexOf(header)).split('\n\n');
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) => row.split('|')[1]?.trim() ?? '');
}

describe('the check of banned terms', () => {
  test('finds every term of the table in a document, and names its line', () => {
    const glossary = readFileSync(join(__dirname, '../../docs/glossary.md'), 'utf8');
    const terms = firstColumn(glossary, '| Banned |');
    const { status, found } = check(
      'every.md',
      terms.map((term) => `Here it says ${term.replace('*', 's')}.`),
    );
    expect(status).toBe(1);
    expect(found).toEqual(expect.arrayContaining(terms.map((term, at) => `${at + 1}: ${term}`)));
  });

  test('reads strings, templates, joined strings and the text of JSX', () => {
    const { status, found } = check('texts.tsx', [
      "const a = 'The interface answers.';",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
      'const b = `The ${a} is out',
      'of reach.`;',
      "const c = 'The grams were ' + 'booked.';",
      'const d = <p title="This is no number">Make an account</p>;',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
      "const e = `${a ? 'the door is open' : ''}`;",
      "const f = { title: 'Interface' };",
    ]);
    expect(found).toEqual([
      '1: interface',
      '2: out of reach',
      '4: booked',
      '5: this is no',
      '5: make an account',
      '6: door',
      '7: interface',
    ]);
    expect(status).toBe(1);
  });

  test('reads single words in lower case where all strings are shown', () => {
    expect(check('page-messages.ts', ["const en = { state: 'booked' };"]).found).toEqual(['1: booked']);
  });

  test('leaves identifiers, keys, codes, imports, SQL, comments and what the table allows', () => {
    expect(
      check('code.ts', [
        "import { door } from './door.ts';",
        'interface Bridge { bridge: "door" }',
        "const booked = { door: door('bridge'), 'the-bridge': 1 };",
        "const sql = 'SELECT booked FROM bridge';",
        '// the door of the bridge',
        "const text = 'Pages at /masters/name, the user interface, agent-door and set_up. This is no longer needed.';",
      ]),
    ).toEqual({ status: 0, found: [] });
    expect(check('code.md', ['`door`', '```', 'the bridge', '```', '[the page](the-door.md)'])).toEqual({
      status: 0,
      found: [],
    });
  });
});

describe('the check of terms banned in code', () => {
  /**
   * Runs the check on one file of code. @returns the exit status, the count, and "line: term (where)" for each finding
   */
  function checkCode(name: string, lines: string[]) {
    const file = join(folder, name);
    writeFileSync(file, lines.join('\n'));
    const { status, stderr, stdout } = spawnSync(process.execPath, [CHECK, '--code', file], { encoding: 'utf8' });
    const found = stderr.split('\n').flatMap((line) => {
      const [, at, term, where] = /:(\d+): "([^"]+)" is banned in code \((.+)\); write ".+"$/.exec(line) ?? [];
      return at ? [`${at}: ${term} (${where})`] : [];
    });
    return { status, count: Number(/: (\d+) found$/m.exec(stdout)?.[1]), found };
  }

  test('finds every term of the table, in a comment or in a name', () => {
    const glossary = readFileSync(join(__dirname, '../../docs/glossary.md'), 'utf8');
    const terms = firstColumn(glossary, '| Banned in code |');
    // a name with an ending is a file name
    const lines = terms.map((term) =>
      term.startsWith('`') && !term.includes('.')
        ? `const ${term.replaceAll('`', '').replace('*', 'OF')} = 1;`
        : `// here is the ${term} of it`,
    );
    const { status, found } = checkCode('words.ts', lines);
    expect(status).toBe(1);
    expect(found).toEqual(
      expect.arrayContaining(
        terms.map((term, at) =>
          expect.stringMatching(
            new RegExp(`^${term.includes('.') ? 1 : at + 1}: ${term.replaceAll('`', '').replace('*', '\\*')} `),
          ),
        ),
      ),
    );
  });

  test('reads names of files, names of every spelling, comments and titles of tests, each name once', () => {
    const { status, count, found } = checkCode('door-page.test.ts', [
      "import { consoleDoor } from './auth.ts';",
      'const DOOR_PATH = consoleDoor;',
      'interface Lanes { bell_count: number }',
      '/** What the far end says. */',
      'const MOST_CHANNELS = 10; // books are kept in the red',
      "test('rings once', () => {});",
      "describe.each([1])('a stock-take of %i', () => {});",
      "get('/rings/{id}', { operationId: 'openDoor' });",
    ]);
    expect(found).toEqual([
      '1: door (door-page.test.ts)',
      '1: door (consoleDoor)',
      '2: door (DOOR_PATH)',
      '3: lane (Lanes)',
      '3: bell (bell_count)',
      '4: far end (comment)',
      '5: MOST_* (MOST_CHANNELS)',
      '5: in the red (comment)',
      '6: ring (test title)',
      '7: stock take (test title)',
      '8: ring (/rings/{id})',
      '8: door (openDoor)',
    ]);
    expect([status, count]).toEqual([1, found.length]);
  });

  test('reads paths, names and descriptions of OpenAPI, what is printed and logged, and errors', () => {
    const { status, found } = checkCode('route.ts', [
      "const Body = z.object({ notice_id: uuid().describe('sealed') }).meta({ id: 'AppriseNotice' });",
      "route({ path: '/stock-take', operationId: 'setUp' });",
      "console.log('  set-up: ' + link);",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
      "process.stderr.write(`the bridge ${name} ${ok ? 'mends' : ''}`);",
      "deps.logger.warn({ err: error }, 'rings again');",
      "throw new DomainError('not_found', 'The door is closed.');",
      "const other = z.string().describe('`door`, which others set up');",
    ]);
    expect(found).toEqual([
      '1: notice (notice_id)',
      '1: notice (AppriseNotice)',
      '1: sealed (description)',
      '2: stock take (/stock-take)',
      '2: set-up (setUp)',
      '3: set-up (output)',
      '4: bridge (output)',
      '4: mend (output)',
      '5: ring (output)',
      '6: door (error)',
    ]);
    expect(status).toBe(1);
  });

  test('leaves strings, paths, code quotes in comments, other words and what the table allows', () => {
    expect(
      checkCode('clean.ts', [
        "const path = '/masters/door';",
        '// the pages at /masters, `door` and what was written within 10 s to a string, to set up another',
        'const row = { booked_grams: 1, withinMs: 2, doorbellString: 3 };',
        'const mostRecent = [row, path];',
      ]),
    ).toEqual({ status: 0, count: 0, found: [] });
  });
});
