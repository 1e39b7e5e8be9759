import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECK = join(__dirname, 'glossary.mjs');
const folder = mkdtempSync(join(tmpdir(), 'farmboard-glossary-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the check says of one file: the exit status and "line: term" for each finding. */
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

describe('the check of banned terms', () => {
  test('finds every term of the table in a document, and names its line', () => {
    const glossary = readFileSync(join(__dirname, '../../docs/glossary.md'), 'utf8');
    const table = glossary.slice(glossary.indexOf('| Banned |')).split('\n').slice(2).filter(Boolean);
    const terms = table.map((row) => row.split('|')[1]?.trim() ?? '');
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
