// Reads all faults, each with its part of the product, from the files of `faults/`:
//
//     in FILE             of this fault and those after it
//     id: what goes wrong, in a sentence
//     - its place, which must be in the file exactly once
//     + what stands there instead; nothing where there is no such line
//     by SUITE: TEST      a file or folder; a suite beside the code by its name alone
//     on postgres         if SQLite can't show it
//     fails with TEXT     a part of the error by which its tests fail, if that isn't one of their assertions
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { FaultOfPart } from './types.d.ts' */

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'faults');

/**
 * What stands behind a word at the start of a line.
 * @type {(lines: string[], word: string) => string | undefined}
 */
const textAfter = (lines, word) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);

/** @type {(lines: string[], sign: '-' | '+') => string} */
const codeOf = (lines, sign) =>
  lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(2))
    .join('\n');

/** @type {(part: string, text: string) => FaultOfPart[]} */
function readFaults(part, text) {
  let file = '';
  const paragraphs = text.trim().split('\n\n').slice(1);
  return paragraphs.map((paragraph) => {
    const lines = paragraph.split('\n');
    file = textAfter(lines, 'in') ?? file;
    const [, id = '', breaks = ''] = paragraph.match(/^([\w-]+): (.*)$/m) ?? [];
    const [suite = '', ...tests] = (textAfter(lines, 'by') ?? '').split(': ');
    return {
      part,
      id,
      breaks,
      file,
      find: codeOf(lines, '-'),
      replace: codeOf(lines, '+'),
      suite: suite.includes('/') ? suite : join(dirname(file), suite),
      tests: tests.length === 0 ? undefined : tests.join(': '),
      engine: textAfter(lines, 'on') === undefined ? undefined : 'postgres',
      failsWith: textAfter(lines, 'fails with'),
    };
  });
}

export const FAULTS = readdirSync(FOLDER).flatMap((name) =>
  readFaults(name.replace('.faults', '').replaceAll('-', ' '), readFileSync(join(FOLDER, name), 'utf8')),
);
