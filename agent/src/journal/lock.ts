import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

interface Owner {
  pid: number;
  host: string;
  /** start time of the process as counted by the kernel; distinguishes processes when ids are reused */
  began: string;
  nonce: string;
}

const HEARTBEAT_MS = 5_000;
/** Processes on other hosts (or in other containers) are only visible by their heartbeat. */
const HEARTBEAT_TIMEOUT_MS = 30_000;

/** Another agent is using the state folder. */
export class FolderInUseError extends Error {}

/** Start time of a process; empty if the system does not provide it. */
async function startTimeOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // the program name in parentheses may contain anything; the start time is the 20th field after it
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isAlive(owner: Owner, file: string): Promise<boolean> {
  if (owner.host !== hostname()) {
    const heartbeatAt = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    return Date.now() - heartbeatAt < HEARTBEAT_TIMEOUT_MS;
  }
  return exists(owner.pid) && (await startTimeOf(owner.pid)) === owner.began;
}

const readOwner = async (file: string): Promise<{ text: string; owner: Owner | null }> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return { text, owner: JSON.parse(text) as Owner };
  } catch {
    return { text, owner: null };
  }
};

/**
 * Locks a folder for this process. A dead process's lock is taken over immediately.
 * @param onLost the lock was lost, by hand or after a long suspension: stop writing
 * @returns a function that unlocks the folder
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string, onLost: () => void): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  const nonce = randomUUID();
  const mine: Owner = { pid: process.pid, host: hostname(), began: await startTimeOf(process.pid), nonce };
  // written completely before it gets its name, so that nobody reads a partial file
  const temporaryFile = `${file}.${nonce}`;
  await writeFile(temporaryFile, JSON.stringify(mine), { mode: 0o600, flag: 'wx' });
  try {
    await acquire(file, temporaryFile, folder);
  } finally {
    await rm(temporaryFile, { force: true });
  }

  const timer = setInterval(async () => {
    const { owner } = await readOwner(file);
    if (owner?.nonce === nonce) return void utimes(file, new Date(), new Date()).catch(() => undefined);
    clearInterval(timer);
    onLost();
  }, HEARTBEAT_MS);
  timer.unref();

  return async () => {
    clearInterval(timer);
    const { owner } = await readOwner(file);
    if (owner?.nonce === nonce) await rm(file, { force: true });
  };
}

async function acquire(file: string, temporaryFile: string, folder: string): Promise<void> {
  for (;;) {
    try {
      await link(temporaryFile, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const { text, owner } = await readOwner(file);
    if (owner && (await isAlive(owner, file))) {
      throw new FolderInUseError(
        `Another agent (process ${owner.pid} on ${owner.host}) is using ${folder}. Stop it, or set a different "state" folder for this one.`,
      );
    }
    // Several processes may find the same dead owner. Only the one that moves exactly that lock away continues; a fresh
    // lock is put back.
    const moved = `${temporaryFile}.stale`;
    await rename(file, moved).catch(() => undefined);
    const taken = await readFile(moved, 'utf8').catch(() => undefined);
    if (taken !== undefined && taken !== text) await link(moved, file).catch(() => undefined);
    await rm(moved, { force: true });
  }
}
