// Checks that faults can be planted: their anchors and suites exist.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @import { Fault } from './types.d.ts' */

/**
 * The test files that a suite's path stands for: itself, or those in its folder.
 * @param {string} root
 * @param {string} suite
 */
function expand(root, suite) {
  if (!statSync(join(root, suite)).isDirectory()) return [suite];
  return readdirSync(join(root, suite))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${suite}/${name}`);
}

/**
 * The text of a test file, with the suites of its folder (`*.suite.ts`) if it loads them.
 * @param {string} root
 * @param {string} file
 */
function textOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  if (!text.includes('runSuites(')) return text;
  const folder = join(root, dirname(file));
  const parts = readdirSync(folder).filter((name) => name.endsWith('.suite.ts'));
  return parts.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/**
 * The test files that must detect a fault.
 * @param {string} root
 * @param {Pick<Fault, 'suite' | 'tests'>} fault only files that contain `tests`, a part of the name of the tests that do
 */
export function filesOf(root, { suite, tests = '' }) {
  return expand(root, suite).filter((file) => textOf(root, file).includes(tests));
}

/** @type {(text: string, part: string) => number} */
export const countOf = (text, part) => text.split(part).length - 1;

/** @type {(root: string, fault: Fault) => string | undefined} */
function anchorProblem(root, { file, find, replace }) {
  if (!existsSync(join(root, file))) return `there is no file ${file}`;
  const count = countOf(readFileSync(join(root, file), 'utf8'), find);
  if (count !== 1) return `its anchor is ${count} times in ${file}, not once: ${JSON.stringify(find)}`;
  return find === replace ? 'it changes nothing' : undefined;
}

/** @type {(root: string, fault: Fault) => string | undefined} */
function suiteProblem(root, fault) {
  if (!existsSync(join(root, fault.suite))) return `there is no suite ${fault.suite}`;
  if (filesOf(root, fault).length > 0) return undefined;
  return fault.tests === undefined
    ? 'it names no suite'
    : `no test of its suite is named ${JSON.stringify(fault.tests)}`;
}

/** @type {(fault: Fault, index: number, all: Fault[]) => boolean} */
const isRepeated = ({ id }, index, all) => all.findIndex((other) => other.id === id) < index;

/**
 * Why faults can't be planted in a checkout, one line for each reason.
 * @param {string} root
 * @param {Fault[]} faults
 */
export function findProblems(root, faults) {
  const repeated = faults.filter(isRepeated).map(({ id }) => `${id}: another fault has this id`);
  const others = faults.flatMap((fault) =>
    [anchorProblem(root, fault), suiteProblem(root, fault)].flatMap((problem) =>
      problem === undefined ? [] : [`${fault.id}: ${problem}`],
    ),
  );
  return [...repeated, ...others];
}
