// What all benches need: options of the command line, processes, medians and a session.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import knexPackage from 'knex';
import { request } from 'undici';
import type { Arrival } from './receiver.ts';

export const here = dirname(fileURLToPath(import.meta.url));
const launcher = join(here, '../../bin/farmboard.js');

/** The value of an option of the command line, such as `--rounds 5`. */
export const option = (name: string, fallback: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : (process.argv[at + 1] as string);
};

const children: ChildProcess[] = [];

/** Starts a process and resolves with its first line of JSON that has a port, and its process. */
export function start<T extends { port: number }>(
  args: string[],
  env: Record<string, string>,
  program = process.execPath,
): Promise<T & { child: ChildProcess }> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} exited with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const message = JSON.parse(line) as Partial<T>;
      if (message.port !== undefined) resolve({ ...(message as T), child });
    });
  });
}

/** Starts the service as its users do, with the options of Node.js that its launcher names. */
export const startService = (env: Record<string, string>): Promise<{ port: number; child: ChildProcess }> =>
  start(['serve'], env, launcher);

/** Ends a process that was started, at once. */
export async function stop(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const ended = once(child, 'exit');
  children.splice(children.indexOf(child), 1);
  child.kill('SIGKILL');
  await ended;
}

/** Ends every process that was started. */
export function stopAll(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}

/** A median with the range it comes from, such as `1.02 (0.98–1.10)`. */
export const withRange = (values: number[], digits = 2): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

export const median = (values: number[]): number => quantile(values, 0.5);
export const quantile = (values: number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;

/**
 * Resolves when the receiver has been idle for half a second, so that deliveries of one run do not slow down the next.
 * @returns what has arrived since the last call
 */
export async function waitUntilIdle(receiverUrl: string): Promise<Arrival[]> {
  let all: Arrival[] = [];
  for (;;) {
    const { body } = await request(receiverUrl);
    const { arrivals, last } = (await body.json()) as { arrivals: Arrival[]; last: number };
    all = all.concat(arrivals);
    if (performance.timeOrigin + performance.now() - last > 500) return all;
    await wait(100);
  }
}

/** Calls `work` a number of times a second, without waiting for the last. */
export async function pace<T>(perSecond: number, seconds: number, work: () => Promise<T>): Promise<T[]> {
  const began = performance.now();
  const started: Promise<T>[] = [];
  for (let i = 0; i < perSecond * seconds; i++) {
    const due = began + (i * 1_000) / perSecond;
    while (performance.now() < due) await wait(1);
    started.push(work());
  }
  return Promise.all(started);
}

/** Runs statements on a PostgreSQL server, outside a transaction. */
export async function onServer(url: string, ...statements: string[]): Promise<unknown[]> {
  const db = knexPackage.knex({ client: 'pg', connection: url });
  try {
    const results = [];
    for (const statement of statements) results.push(await db.raw(statement));
    return results;
  } finally {
    await db.destroy();
  }
}

/** Signs in to the console. @returns the headers of its requests */
export async function signIn(
  origin: string,
  owner: { email: string; password: string },
): Promise<Record<string, string>> {
  const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const answer = await request(`${origin}/console/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify(owner),
  });
  await answer.body.dump();
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  return { ...headers, cookie };
}
