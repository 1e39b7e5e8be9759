import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileAtMost } from './read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'farmboard-read-'));
const file = join(folder, 'file');

afterAll(() => rmSync(folder, { recursive: true }));

test.each([0, 1, 65_535, 65_536, 65_537, 200_000])('reads %i bytes, and not one more than the limit', (size) => {
  const content = Buffer.alloc(size, 'aé');
  writeFileSync(file, content);
  expect(readFileAtMost(file, size).equals(content)).toBe(true);
  writeFileSync(file, Buffer.concat([content, Buffer.from('x')]));
  expect(() => readFileAtMost(file, size)).toThrow(`it has more than ${size} bytes`);
});

test('ends where a device never does, and says why a file can’t be read', () => {
  expect(() => readFileAtMost('/dev/zero', 100_000)).toThrow('it has more than 100000 bytes');
  expect(() => readFileAtMost(join(folder, 'missing'), 1)).toThrow('ENOENT');
  expect(() => readFileAtMost(folder, 1)).toThrow('EISDIR');
});
