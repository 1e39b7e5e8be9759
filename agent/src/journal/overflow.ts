import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import type { QueuedReport } from './contents.ts';

/** Some hundred thousand reports: more than a farm prints in years. */
export const MAX_OVERFLOW_BYTES = 64 * 1024 * 1024;

const fileIn = (folder: string): string => join(folder, 'overflow.jsonl');

/** The line break comes first, so that a line that was not written completely takes no other with it. */
const toLine = (queued: QueuedReport): string => `\n${JSON.stringify(queued)}`;

/**
 * Writes reports that the queue has no room for behind those that are in the file.
 * @returns those that the file has no room for either
 */
export async function appendOverflow(folder: string, printer: string, reports: Report[]): Promise<Report[]> {
  const handle = await open(fileIn(folder), 'a', 0o600);
  try {
    let { size } = await handle.stat();
    const lines: string[] = [];
    for (const line of reports.map((report) => toLine({ printer, report }))) {
      size += Buffer.byteLength(line);
      if (size > MAX_OVERFLOW_BYTES) break;
      lines.push(line);
    }
    await handle.appendFile(lines.join(''));
    await handle.sync();
    return reports.slice(lines.length);
  } finally {
    await handle.close();
  }
}

function parse(line: string): QueuedReport | undefined {
  try {
    return JSON.parse(line) as QueuedReport;
  } catch {
    return undefined;
  }
}

/** The reports of the file, one after the other, because all of them may be more than fits into memory. */
export async function* readOverflow(folder: string): AsyncGenerator<QueuedReport> {
  const handle = await open(fileIn(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!handle) return;
  for await (const line of handle.readLines()) {
    const queued = parse(line);
    if (queued) yield queued;
  }
}

/**
 * Reads the first reports of a printer.
 * @returns them, whether the file has more of the printer, and what takes them out of the file
 */
export async function readFirst(folder: string, printer: string, count: number) {
  const rest = `${fileIn(folder)}.new`;
  const handle = await open(rest, 'w', 0o600);
  const reports: Report[] = [];
  let hasMore = false;
  try {
    for await (const queued of readOverflow(folder)) {
      const isOurs = queued.printer === printer;
      if (isOurs && reports.length < count) {
        reports.push(queued.report);
        continue;
      }
      await handle.write(toLine(queued));
      hasMore ||= isOurs;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { reports, hasMore, remove: () => rename(rest, fileIn(folder)) };
}
