// Runs suites in a copy and reports the result of each test.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Copy, Engine, Result, Run } from './types.d.ts' */

const HERE = dirname(fileURLToPath(import.meta.url));
const MAX_RUN_MS = 60 * 60_000;
/** Long, because a timeout on a busy machine proves nothing. */
const MAX_TEST_MS = 10 * 60_000;
/** Nothing listens there: suites on SQLite need no other engine, and creating its databases takes seconds. */
const NOWHERE = { FARMBOARD_TEST_POSTGRES: 'postgres://127.0.0.1:1/none', FARMBOARD_TEST_REDIS: 'redis://127.0.0.1:1' };

/** @type {Set<ChildProcess>} */
const running = new Set();

/**
 * Ends a run with every process that its suites started.
 * @param {ChildProcess} child
 */
function stop(child) {
  try {
    process.kill(-Number(child.pid), 'SIGKILL');
  } catch {
    // it has already ended
  }
}

export function stopAll() {
  for (const child of running) stop(child);
}

/** @type {(text: string) => string} */
const escapePattern = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Suites beside the code need no build; on PostgreSQL they need the database that is copied for each.
 * @type {(run: Run) => boolean}
 */
const needsSetup = ({ engine, files }) => engine !== 'sqlite' || files.some((file) => !file.startsWith('backend/src/'));
const NO_SETUP = ['--globalSetup', '--globalTeardown'].flatMap((name) => [name, join(HERE, 'no-setup.cjs')]);

/** @type {(copy: Copy, run: Run) => string[]} */
function argumentsOf({ cache }, run) {
  const { engine, files, tests, workers } = run;
  return [
    'node_modules/jest/bin/jest.js',
    ...[
      '--ci',
      '--selectProjects',
      engine,
      '--reporters',
      join(HERE, 'reporter.cjs'),
      '--cacheDirectory',
      cache,
      '--testTimeout',
      String(MAX_TEST_MS),
    ],
    ...(needsSetup(run) ? [] : NO_SETUP),
    ...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
    ...(tests.length === 0 ? [] : ['--testNamePattern', tests.map(escapePattern).join('|')]),
    '--runTestsByPath',
    ...files,
  ];
}

/** @type {(copy: Copy, engine: Engine) => NodeJS.ProcessEnv} */
function environmentOf({ temporary }, engine) {
  const { FARMBOARD_TEST_ENGINES: _, ...env } = process.env;
  return { ...env, TMPDIR: temporary, ...(engine === 'sqlite' ? NOWHERE : {}) };
}

/**
 * The messages of expectations, properties, `eventually` and the check against OpenAPI. A time limit may be due to the
 * machine.
 */
const ASSERTIONS =
  /expect\(|AssertionError|Property failed|ms it is still|should have (?:failed|been refused)|is not documented|does not fit its schema/;
const COLORS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/**
 * @param {{ suite: string, name: string, messages: string[] }} report
 * @param {string | undefined} expected
 */
function readFailure({ suite, name, messages }, expected) {
  const text = messages.join('\n').replace(COLORS, '');
  const isAssertion = ASSERTIONS.test(text) || (expected !== undefined && text.includes(expected));
  return { suite, name, isAssertion, message: text.split('\n').slice(0, 3).join(' ') };
}

/**
 * @param {Copy} copy
 * @param {Run & { failsWith?: string | undefined, stopsAtFirst?: boolean }} options `failsWith` is a part of an error
 *   that counts as a failed assertion; with `stopsAtFirst`, the first failed assertion is enough
 */
export async function runJest(copy, { stopsAtFirst = false, failsWith, ...run }) {
  const child = spawn(process.execPath, argumentsOf(copy, run), {
    cwd: copy.folder,
    env: environmentOf(copy, run.engine),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // a process group of its own, which can be killed as a whole
    detached: true,
  });
  running.add(child);
  /** @type {Result} */
  const result = { failed: [], passed: 0 };
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-2000);
    });
  }
  createInterface({ input: /** @type {NodeJS.ReadableStream} */ (child.stdio[3]) }).on('line', (line) => {
    const report = JSON.parse(line);
    if (report.status === 'passed') result.passed += 1;
    else if (report.status === 'broken') result.trouble ??= `${report.suite} could not be run: ${report.message}`;
    else result.failed.push(readFailure(report, failsWith));
    if (stopsAtFirst && result.failed.some(({ isAssertion }) => isAssertion)) stop(child);
  });
  const timer = setTimeout(() => stop(child), MAX_RUN_MS);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  running.delete(child);
  stop(child);
  if (code !== 0 && result.failed.length === 0) result.trouble ??= `Jest ended with ${code}: ${said.trim()}`;
  return result;
}
