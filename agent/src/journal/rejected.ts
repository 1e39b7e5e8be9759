import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import type { QueuedReport } from './contents.ts';

/** Bytes of the rejected file after which it is renamed to `rejected.old.jsonl`. */
const MAX_REJECTED = 10 * 1024 * 1024;

/** Older first; and their names once their reports are queued again. */
const FILES = [
  ['rejected.old.jsonl', 'rejected.old.sent.jsonl'],
  ['rejected.jsonl', 'rejected.sent.jsonl'],
] as const;

export const rejectedFileIn = (folder: string): string => join(folder, FILES[1][0]);

/** Writes a report that neither the queue nor the server keeps to the rejected file, with the reason. */
export async function writeRejected(folder: string, printer: string, report: Report, reason: string): Promise<void> {
  const file = rejectedFileIn(folder);
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > MAX_REJECTED) await rename(file, join(folder, FILES[0][0]));
  const line = { at: new Date().toISOString(), printer, reason, report };
  await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

/** @returns undefined for lines that were not written completely, or not by an agent */
function parseRejected(line: string): QueuedReport | undefined {
  try {
    const { printer, report } = JSON.parse(line) as Partial<QueuedReport>;
    return typeof printer === 'string' && typeof report?.event_id === 'string' ? { printer, report } : undefined;
  } catch {
    return undefined;
  }
}

/** The reports in the rejected files. */
export async function readRejected(folder: string): Promise<QueuedReport[]> {
  const reports: QueuedReport[] = [];
  for (const [name] of FILES) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    for (const line of text.split('\n')) {
      const rejected = parseRejected(line);
      if (rejected) reports.push(rejected);
    }
  }
  return reports;
}

/** Renames the rejected files, so that their reports are not queued at the next start. */
export async function renameRejected(folder: string): Promise<void> {
  for (const [name, sent] of FILES) {
    await rename(join(folder, name), join(folder, sent)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
