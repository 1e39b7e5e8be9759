import { boxed, createOutput } from './setup-box.ts';

const LINK = 'http://127.0.0.1:3000/console/setup#set_0123456789012345678901234567890123456';

describe('the setup link on a terminal', () => {
  test('is alone on its line, in a box', () => {
    const lines = boxed(LINK, 120).trimEnd().split('\n');
    expect(lines.filter((line) => line.includes(LINK)).map((line) => line.replace(/[│ ]/g, ''))).toEqual([LINK]);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect([lines[0]?.[0], lines.at(-1)?.at(-1)]).toEqual(['┌', '┘']);
  });

  test('is not broken by the box on a narrow terminal', () => {
    const lines = boxed(LINK, 60).split('\n');
    expect(lines).toContain(LINK);
    expect(lines[0]).toBe('─'.repeat(60));
  });
});

describe('the log', () => {
  const open = (isTerminal: boolean) => {
    const written: string[] = [];
    const stdout = { write: (line: string | Uint8Array) => written.push(String(line)) > 0 };
    return { written, ...createOutput(stdout, isTerminal) };
  };

  test('follows the link on a terminal', () => {
    const { written, write, release } = open(true);
    write('{"msg":"the database is up to date"}\n');
    expect(written).toEqual([]);
    release();
    write('{"msg":"Farmboard listens"}\n');
    expect(written).toEqual(['{"msg":"the database is up to date"}\n', '{"msg":"Farmboard listens"}\n']);
  });

  test('is written immediately without a terminal', () => {
    const { written, write } = open(false);
    write('{}\n');
    expect(written).toEqual(['{}\n']);
  });
});
