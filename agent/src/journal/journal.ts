import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Report } from '../report.ts';
import {
  applyLine,
  type Contents,
  countQueued,
  createContents,
  isRecorded,
  type Line,
  toSnapshot,
} from './contents.ts';
import { readRejected, rejectedFileIn, renameRejected, writeRejected } from './rejected.ts';

/** Maximum number of queued reports; further ones are written to the rejected file. */
export const MAX_QUEUED = 100_000;
/** A printer's share of it, so that one that reports endless prints leaves room for the others. */
export const MAX_QUEUED_OF_PRINTER = MAX_QUEUED / 10;
/** Bytes of changes after which the journal is compacted. */
const COMPACT_AFTER = 1024 * 1024;

export type Journal = Awaited<ReturnType<typeof openJournal>>;

interface Log {
  warn(message: string): void;
}

interface JournalFile {
  handle: FileHandle;
  /** length of the complete lines in bytes */
  size: number;
  snapshotSize: number;
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** @throws Error if the file was written by a newer version, or can't be read */
async function readContents(file: string, log: Log): Promise<Contents> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  const contents = createContents();
  const lines = text.split('\n');
  for (const [i, lineText] of lines.entries()) {
    if (lineText === '') continue;
    const line = parseLine(lineText);
    if (line?.kind === 'snapshot' && line.version !== 1) {
      throw new Error(`${file} was written by a newer version of Farmboard; use that version`);
    }
    if (line) applyLine(contents, line);
    // without a line break it was never completed; with one, the disk lost data
    else if (i < lines.length - 1) log.warn(`line ${i + 1} of ${file} is unreadable and was skipped`);
  }
  return contents;
}

/**
 * Makes a rename survive a power loss. Not supported everywhere; the old journal, which is complete too, may then
 * reappear.
 */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // not supported on this system
  }
}

/** Writes a temporary file and renames it over the journal, so that a complete journal exists at all times. */
async function writeSnapshot(file: string, contents: Contents): Promise<JournalFile> {
  const temporaryFile = `${file}.new`;
  const handle = await open(temporaryFile, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(toSnapshot(contents))}\n`);
    await handle.sync();
    await rename(temporaryFile, file);
  } catch (error) {
    await handle.close();
    await rm(temporaryFile, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
  const { size } = await handle.stat();
  return { handle, size, snapshotSize: size };
}

async function writeLine(file: JournalFile, line: Line): Promise<void> {
  const { handle, size } = file;
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  try {
    // at a fixed position, to overwrite the partial line of a failed write
    await handle.write(bytes, 0, bytes.length, size);
    await handle.datasync();
  } catch (error) {
    await handle.truncate(size).catch(() => undefined);
    throw error;
  }
  file.size += bytes.length;
}

/** @returns a function that runs work one at a time, whether or not earlier work has failed */
function createSerializer() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/**
 * Opens the agent's persistent state in one folder: watcher states and the report queue. A line counts once it is on
 * disk; an incomplete last line (after a crash) is ignored.
 * @throws Error if the folder is not writable, or the journal was written by a newer version
 */
export async function openJournal(folder: string, log: Log) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'journal.jsonl');
  const rejectedFile = rejectedFileIn(folder);
  const contents = await readContents(path, log);
  let file: JournalFile | undefined = await writeSnapshot(path, contents);
  const serialize = createSerializer();

  async function compact(old: JournalFile): Promise<void> {
    const next = await writeSnapshot(path, contents);
    await old.handle.close();
    file = next;
  }

  async function append(line: Line): Promise<void> {
    if (!file) throw new Error('the journal is closed');
    await writeLine(file, line);
    applyLine(contents, line);
    if (file.size - file.snapshotSize > COMPACT_AFTER) {
      await compact(file).catch((error: Error) => log.warn(`${path} could not be rewritten: ${error.message}`));
    }
  }

  async function record(printer: string, state: unknown, reports: Report[]): Promise<Report[]> {
    const fresh = reports.filter(({ event_id }) => !isRecorded(contents, printer, event_id));
    const ofPrinter = contents.waiting.get(printer)?.size ?? 0;
    const capacity = Math.max(0, Math.min(MAX_QUEUED - countQueued(contents), MAX_QUEUED_OF_PRINTER - ofPrinter));
    const kept = fresh.slice(0, capacity);
    for (const report of fresh.slice(capacity)) {
      const reason = `more than ${MAX_QUEUED} reports are queued, or ${MAX_QUEUED_OF_PRINTER} of this printer`;
      await writeRejected(folder, printer, report, reason);
      log.warn(`${printer}: ${reason}; ${report.filename} was moved to ${rejectedFile}`);
    }
    await append({ kind: 'seen', printer, state, reports: kept });
    return kept;
  }

  /** A crash before the files are renamed queues the reports twice, which their event ids make harmless. */
  async function requeueRejected(): Promise<number> {
    const rejected = await readRejected(folder);
    if (rejected.length === 0) return 0;
    if (countQueued(contents) + rejected.length > MAX_QUEUED) {
      log.warn(`${rejected.length} rejected reports stay in ${rejectedFile} until the queue is shorter`);
      return 0;
    }
    for (const printer of new Set(rejected.map((one) => one.printer))) {
      const reports = rejected.filter((one) => one.printer === printer).map(({ report }) => report);
      await append({ kind: 'seen', printer, state: contents.states.get(printer), reports });
    }
    await renameRejected(folder);
    await syncFolder(folder);
    return rejected.length;
  }

  return {
    stateOf: (printer: string): unknown => contents.states.get(printer),

    /**
     * Stores a watcher's state and the prints it saw end, atomically. Known reports are skipped.
     * @returns the new reports
     */
    record: (printer: string, state: unknown, reports: Report[]) => serialize(() => record(printer, state, reports)),

    /** The next report to send for a printer. */
    nextOf: (printer: string): Report | undefined => contents.waiting.get(printer)?.values().next().value,

    countQueued: () => countQueued(contents),
    /** Printers with queued reports, including removed ones. */
    printersWithQueue: () => [...contents.waiting.keys()],

    /** Queues the reports of the rejected files again, in case the server accepts or keeps them by now. @returns how many */
    requeueRejected: (): Promise<number> => serialize(requeueRejected),

    /** Marks a report as stored by the server. */
    markDelivered: (eventId: string): Promise<void> => serialize(() => append({ kind: 'settled', event_id: eventId })),

    /** Moves a report that the server neither accepts nor keeps to the rejected file, with the reason. */
    reject: (printer: string, report: Report, reason: string): Promise<void> =>
      serialize(async () => {
        await writeRejected(folder, printer, report, reason);
        await append({ kind: 'settled', event_id: report.event_id });
      }),

    rejectedFile,

    close: (): Promise<void> =>
      serialize(async () => {
        await file?.handle.close();
        file = undefined;
      }),
  };
}
