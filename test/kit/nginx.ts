import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';
import { childrenOf } from './processes.ts';

const { PATH } = require('./engines.cjs') as { PATH: string };

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

const processesOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(processesOf)];

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Of the files without a name that a process has open: nginx removes those for bodies as soon as it has made them. */
const temporaryBytes = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`)
    .map((number) => `/proc/${pid}/fd/${number}`)
    // it may have been closed meanwhile
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() && stat.nlink === 0 ? stat.size : 0), 0);

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

export type Nginx = Awaited<ReturnType<typeof startNginx>>;

/**
 * The real nginx with our configuration, of which only the addresses are changed: where it listens, where the upstream
 * is (each address that Docker's name server would give for the name), and its folder for temporary files.
 * @param command as docker-compose.yml has it
 */
export async function startNginx(config: string, upstream: { name: string; ports: number[] }, command: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-nginx-'));
  // nginx started by root runs its workers as another user
  chmodSync(folder, 0o755);
  const port = await freePort();
  const log = join(folder, 'log');
  const replace = (text: string, what: string | RegExp, by: string): string => {
    if (text.search(what) < 0) throw new Error(`the configuration of nginx has no ${what}`);
    return text.replaceAll(what, by);
  };
  let text = readFileSync(config, 'utf8');
  text = replace(text, /listen \d+\b/g, `listen 127.0.0.1:${port}`);
  text = replace(
    text,
    new RegExp(`server ${upstream.name} resolve([^;]*);`, 'g'),
    upstream.ports.map((api) => `server 127.0.0.1:${api}$1;`).join(' '),
  );
  text = replace(text, /\/tmp\//g, `${folder}/`);
  writeFileSync(join(folder, 'nginx.conf'), text);

  const [program, ...args] = command as [string, ...string[]];
  // a file, because writing to /dev/stdout fails if that is a socket, as Node's pipes are
  const output = openSync(log, 'a');
  const child = spawn(program, ['-c', join(folder, 'nginx.conf'), ...args], {
    env: { PATH },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const origin = `http://127.0.0.1:${port}`;
  // by a connection instead of a request, so that the test's request is the first
  await eventually(
    async () => child.exitCode !== null || (await listens(port)),
    (seen) => seen,
  );
  if (child.exitCode !== null) throw new Error(`nginx ended: ${readFileSync(log, 'utf8')}`);
  return {
    origin,
    port,
    /** What is /tmp in the container. */
    folder,
    /** Everything it has written to its standard output and standard error. */
    log: (): string => readFileSync(log, 'utf8'),
    /** Bytes of its processes, and of bodies in files. */
    memory() {
      const processes = processesOf(child.pid as number);
      return { resident: sumOf(processes.map(residentBytes)), temporary: sumOf(processes.map(temporaryBytes)) };
    },
    /** The requests it has logged. */
    requests: (): Record<string, string>[] =>
      readFileSync(log, 'utf8')
        .split('\n')
        // the last line may be incomplete
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    /** SIGQUIT: completes requests in progress; resolves with the exit code. */
    async stop(): Promise<number | null> {
      child.kill('SIGQUIT');
      const [code] = await exited;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
