import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';
import { childrenOf } from './processes.ts';

const VERSIONS = '/usr/lib/postgresql';

/** Debian keeps the server's programs out of the PATH. */
function findPrograms(): string {
  const [newest] = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
  if (!newest) throw new Error(`there is no PostgreSQL server in ${VERSIONS}`);
  return join(VERSIONS, newest, 'bin');
}

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

/** A PostgreSQL server for this test alone, which may crash it. */
export async function startOwnPostgres() {
  const programs = findPrograms();
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'farmboard-postgres-'));
  const data = join(folder, 'data');
  const isRoot = process.getuid?.() === 0;
  // the server does not run as root
  if (isRoot) {
    const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']));
    chownSync(folder, id('-u'), id('-g'));
  }
  const run = (program: string, args: string[]) => {
    const command = [join(programs, program), ...args];
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    // its processes keep running, so they must not hold our pipes open
    execFileSync(file as string, rest, { stdio: 'ignore', cwd: folder });
  };
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200`;
  const log = join(folder, 'log');
  function start(): void {
    try {
      run('pg_ctl', ['-D', data, '-w', '-l', log, '-o', settings, 'start']);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${readFileSync(log, 'utf8').slice(-2_000)}`);
    }
  }
  /** @param mode immediate: like a crash, uncommitted changes are lost */
  const stop = (mode: 'fast' | 'immediate') => run('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop']);
  const firstPid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  /**
   * Signals the first process and its children. Meanwhile the first is stopped, so that it starts no others, and the ID
   * of one that ends stays valid.
   */
  function signalAll(signal: NodeJS.Signals): void {
    const first = firstPid();
    process.kill(first, 'SIGSTOP');
    for (const child of childrenOf(first)) process.kill(child, signal);
    process.kill(first, signal);
  }
  /** It stays connected, and does not respond. */
  const pause = () => signalAll('SIGSTOP');
  /** If it is running at all. */
  function resume(): void {
    if (existsSync(join(data, 'postmaster.pid'))) signalAll('SIGCONT');
  }
  /** Kills the first process with SIGKILL. The others end when they find out, and only then can it start again. */
  async function kill(): Promise<void> {
    const first = firstPid();
    // so that it begins no others
    process.kill(first, 'SIGSTOP');
    const all = [first, ...childrenOf(first)];
    process.kill(first, 'SIGKILL');
    await eventually(
      // PostgreSQL does not start while the process of its lock file is listed, although it has ended
      () => all.filter((one) => existsSync(`/proc/${one}`)),
      (running) => running.length === 0,
    );
  }
  run('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8']);
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    kill,
    pause,
    resume,
    remove(): void {
      try {
        stop('immediate');
      } catch {
        // it is already stopped
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
