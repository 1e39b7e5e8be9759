// What all benches need: options of the command line, processes, medians and a session.
import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';

export const here = dirname(fileURLToPath(import.meta.url));
export const launcher = join(here, '../../bin/farmboard.js');

/** The value of an option of the command line, such as `--rounds 5`. */
export const option = (name: string, fallback: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : (process.argv[at + 1] as string);
};

const children: ChildProcess[] = [];

/** Starts a process and resolves with its first line of JSON that has a port. */
export function start<T extends { port: number }>(args: string[], env: Record<string, string>): Promise<T> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} exited with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const message = JSON.parse(line) as Partial<T>;
      if (message.port !== undefined) resolve(message as T);
    });
  });
}

/** Ends every process that was started. */
export function stopAll(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}

export const median = (values: number[]): number => quantile(values, 0.5);
export const quantile = (values: number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;

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
