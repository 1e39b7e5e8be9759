import { spawn } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';

/** How much of what a failed backup reported is logged. */
const MAX_REPORT = 1_000;

const TIME = String.raw`\d{8}T\d{6}Z`;

/** The names of scheduled backups of one database, oldest first when sorted. */
export function backupNames(deployment: string) {
  // several databases may share a folder
  const prefix = `farmboard-${deployment.slice(-8)}-`;
  return {
    nameAt: (ms: number): string => `${prefix}${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}.sqlite3`,
    isBackup: (name: string): boolean => new RegExp(`^${prefix}${TIME}\\.sqlite3$`).test(name),
    /** what a backup leaves that was killed */
    isPart: (name: string): boolean =>
      new RegExp(`^${prefix}${TIME}\\.sqlite3\\.part-\\d+(-wal|-shm|-journal)?$`).test(name),
  };
}

export type BackupNames = ReturnType<typeof backupNames>;

/**
 * Runs `farmboard backup FILE` with the settings of this process: copying and checking would take up the event loop. With a
 * lower priority, requests go first.
 * @returns the size of the verified file
 * @throws Error with the end of what it reported
 */
export async function runBackup(file: string, signal: AbortSignal): Promise<number> {
  // it ends when the channel closes, so it does not outlive this process
  const child = spawn(process.execPath, [process.argv[1] as string, 'backup', file], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  // only root may raise a priority
  const priority = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
  if (child.pid !== undefined) setPriority(child.pid, priority);
  let report = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    report = (report + text).slice(-MAX_REPORT);
  });
  let stopped: Error | undefined;
  child.on('error', (error) => {
    stopped = error;
  });
  // not `once` of node:events, which rejects with the error of an abort before the process has ended
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (stopped) throw stopped;
  if (code !== 0) throw new Error(report.trim() || `the backup ended with status ${code}`);
  return (await stat(file)).size;
}

export async function deleteParts(folder: string, { isPart }: BackupNames): Promise<void> {
  for (const name of (await readdir(folder)).filter(isPart)) await rm(join(folder, name), { force: true });
}

/** Deletes all but the newest backups. @returns the names of the deleted ones */
export async function deleteOld(
  folder: string,
  { isBackup }: BackupNames,
  keep: number,
  made: string,
): Promise<string[]> {
  // the one just made is kept even if the clock was set back
  const others = (await readdir(folder)).filter((name) => isBackup(name) && name !== made).sort();
  const old = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const name of old) await rm(join(folder, name), { force: true });
  return old;
}
