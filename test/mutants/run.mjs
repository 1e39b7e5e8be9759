// Plants faults in a copy of the product, one at a time: the suites that each fault names must fail.
// Shows that changed tests still detect what they did before. `--list` names the faults.
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { enginesThatAnswer } from '../kit/engines.cjs';
import { filesOf, findProblems } from './check.mjs';
import { FAULTS } from './faults.mjs';
import { runJest, stopAll } from './jest.mjs';
import { createCopies } from './workspace.mjs';

/** @import { Copy, Engine, Fault, FaultOfPart, Result } from './types.d.ts' */

const CHECKOUT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const HELP = `npm run mutants -- [options]

  --only TEXT  only the faults whose part or id has this text
  --list       the faults by part, after the check that each can be planted
  --root DIR   plants them in another checkout
  --jobs N     how many copies are worked on beside each other
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      root: { type: 'string', default: CHECKOUT },
      jobs: { type: 'string', default: String(Math.min(2, availableParallelism())) },
      help: { type: 'boolean', default: false },
    },
  });
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs is a whole number from 1');
  return { ...values, root: resolve(values.root), jobs };
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}
/** @type {(since: number) => string} */
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(8);

/** @type {(fault: Fault) => boolean} */
const isOnPostgres = ({ engine }) => engine === 'postgres';

/** @param {FaultOfPart[]} faults */
function list(faults) {
  for (const { part, id, breaks } of faults) say(`${part}: ${id}: ${breaks}`);
  say(`${faults.length} faults`);
}

/**
 * Leaves out faults whose engine is missing, and says so.
 * @param {FaultOfPart[]} faults
 */
async function choosePossible(faults) {
  const needed = faults.filter(isOnPostgres);
  if (needed.length === 0) return faults;
  const { postgres, redis } = await enginesThatAnswer();
  if (postgres && redis) return faults;
  for (const { id } of needed) say(`skipped              ${id}: it needs PostgreSQL and Redis, which do not answer`);
  return faults.filter((fault) => !isOnPostgres(fault));
}

/**
 * What must pass without a fault, in as few runs as possible.
 * @param {Copy} copy
 * @param {Fault[]} faults
 */
function cleanRuns({ folder }, faults) {
  /** @type {Map<string, { engine: Engine, files: Set<string>, tests: Set<string> }>} */
  const runs = new Map();
  for (const fault of faults) {
    const { engine = 'sqlite', tests } = fault;
    const key = `${engine} ${tests === undefined ? 'whole' : 'parts'}`;
    const run = runs.get(key) ?? { engine, files: new Set(), tests: new Set() };
    for (const file of filesOf(folder, fault)) run.files.add(file);
    if (tests !== undefined) run.tests.add(tests);
    runs.set(key, run);
  }
  return [...runs.values()];
}

/**
 * @param {Fault[]} faults
 * @param {Copy} copy
 * @param {number} jobs
 * @returns whether all tests that the faults name pass without a fault
 */
async function passesWithout(faults, copy, jobs) {
  const since = performance.now();
  let passed = 0;
  for (const { engine, files, tests } of cleanRuns(copy, faults)) {
    const run = await runJest(copy, { engine, files: [...files], tests: [...tests], workers: jobs });
    for (const { suite, name, message } of run.failed) say(`fails without a fault: ${suite}: ${name}\n${message}`);
    if (run.failed.length > 0 || run.trouble !== undefined) {
      if (run.trouble !== undefined) say(run.trouble);
      return false;
    }
    passed += run.passed;
  }
  say(`passed   ${seconds(since)}  ${passed} tests without a fault`);
  return true;
}

const VERDICTS = /** @type {const} */ (['killed', 'survived', 'error']);
/** @typedef {(typeof VERDICTS)[number]} Verdict */

/**
 * @param {Fault} fault
 * @param {Copy} copy
 */
async function judge(fault, copy) {
  const since = performance.now();
  const planted = copy.plant(fault);
  const run =
    planted ??
    (await runJest(copy, {
      engine: fault.engine ?? 'sqlite',
      files: filesOf(copy.folder, fault),
      tests: fault.tests === undefined ? [] : [fault.tests],
      workers: 1,
      failsWith: fault.failsWith,
      stopsAtFirst: !isOnPostgres(fault) && !fault.suite.includes('/browser/'),
    }));
  copy.restore(fault);
  const { verdict, why } = verdictOf(run);
  say(`${verdict.padEnd(8)} ${seconds(since)}  ${fault.id}: ${why}`);
  return verdict;
}

/**
 * A test must fail by an assertion: code that does not compile or start fails every test and proves nothing.
 * @type {(result: Result) => { verdict: Verdict, why: string }}
 */
function verdictOf({ trouble, failed, passed }) {
  const killer = failed.find(({ isAssertion }) => isAssertion);
  if (killer) return { verdict: 'killed', why: `${killer.suite}: ${killer.name}` };
  if (trouble !== undefined) return { verdict: 'error', why: trouble };
  const [other] = failed;
  if (other) return { verdict: 'error', why: `no assertion failed, but ${other.name}: ${other.message}` };
  return passed === 0
    ? { verdict: 'error', why: 'no test ran' }
    : { verdict: 'survived', why: `${passed} tests passed` };
}

/**
 * Each copy takes the next fault when it has finished one.
 * @param {Fault[]} faults
 * @param {Copy[]} copies
 */
async function judgeAll(faults, copies) {
  /** @type {Verdict[]} */
  const verdicts = [];
  const waiting = [...faults];
  await Promise.all(
    copies.map(async (copy) => {
      for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
        verdicts.push(await judge(fault, copy));
      }
    }),
  );
  return verdicts;
}

/**
 * @param {{ root: string, jobs: number }} options
 * @param {FaultOfPart[]} faults
 */
async function plantAll({ root, jobs }, faults) {
  const possible = await choosePossible(faults);
  /** @type {ReturnType<typeof createCopies> | undefined} */
  let copies;
  const giveUp = () => {
    stopAll();
    copies?.remove();
    process.exit(130);
  };
  process.once('SIGINT', giveUp).once('SIGTERM', giveUp);
  copies = createCopies(root, Math.min(jobs, possible.length));
  try {
    const [first] = copies.all;
    if (first === undefined || !(await passesWithout(possible, first, jobs))) return false;
    const verdicts = await judgeAll(possible, copies.all);
    const [killed, survived, error] = VERDICTS.map((one) => verdicts.filter((verdict) => verdict === one).length);
    if (error !== 0) say(`${error} could not be judged`);
    say(`${killed} killed, ${survived} survived`);
    return killed === possible.length;
  } finally {
    copies.remove();
  }
}

async function main() {
  const options = readOptions();
  if (options.help) return say(HELP);
  const faults = FAULTS.filter(({ part, id }) => `${part}: ${id}`.includes(options.only));
  const problems = findProblems(options.root, faults);
  if (problems.length > 0 || faults.length === 0) {
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (faults.length === 0) process.stderr.write(`No fault has "${options.only}" in its part or id.\n`);
    process.exitCode = 2;
    return;
  }
  if (options.list) return list(faults);
  if (!(await plantAll(options, faults))) process.exitCode = 1;
}

await main();
