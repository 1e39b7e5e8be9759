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
import { appendOverflow, readFirst, readOverflow } from './overflow.ts';

/** Maximum number of queued reports; further ones wait in a file of their own until there is room. */
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
  const contents = await readContents(path, log);
  let file: JournalFile | undefined = await writeSnapshot(path, contents);
  const serialize = createSerializer();
  /** printers with reports that the queue has no room for */
  const overflowing = new Set<string>();
  for await (const { printer } of readOverflow(folder)) overflowing.add(printer);

  function roomFor(printer: string): number {
    const ofPrinter = contents.waiting.get(printer)?.size ?? 0;
    return Math.max(0, Math.min(MAX_QUEUED - countQueued(contents), MAX_QUEUED_OF_PRINTER - ofPrinter));
  }

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
    // behind those that wait for room
    const room = overflowing.has(printer) ? 0 : roomFor(printer);
    const beyond = fresh.slice(room);
    if (beyond.length > 0) {
      const lost = await appendOverflow(folder, printer, beyond);
      // the log is the only place that is left
      for (const report of lost)
        log.warn(`${printer}: overflow.jsonl is full, and doesn't keep ${JSON.stringify(report)}`);
      if (!overflowing.has(printer)) {
        log.warn(
          `${printer}: more than ${MAX_QUEUED} reports are queued, or ${MAX_QUEUED_OF_PRINTER} of this printer; further ones wait in overflow.jsonl`,
        );
      }
      overflowing.add(printer);
    }
    await append({ kind: 'seen', printer, state, reports: fresh.slice(0, room) });
    return fresh;
  }

  /** A crash before they are taken out of the file queues reports twice, which their event ids make harmless. */
  async function refill(printer: string): Promise<boolean> {
    const room = roomFor(printer);
    if (room === 0) return false;
    const { reports, hasMore, remove } = await readFirst(folder, printer, room);
    const fresh = reports.filter(({ event_id }) => !isRecorded(contents, printer, event_id));
    await append({ kind: 'seen', printer, state: contents.states.get(printer), reports: fresh });
    await remove();
    if (!hasMore) overflowing.delete(printer);
    return true;
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
    /** Printers with reports that are not sent, including removed ones. */
    printersWithQueue: () => [...new Set([...contents.waiting.keys(), ...overflowing])],

    /** Whether a printer has reports that the queue has no room for. */
    isOverflowing: (printer: string): boolean => overflowing.has(printer),
    /** Queues these, oldest first. @returns false if there is still no room */
    refill: (printer: string): Promise<boolean> => serialize(() => refill(printer)),

    /** Marks a report as stored or refused by the server. */
    markSettled: (eventId: string): Promise<void> => serialize(() => append({ kind: 'settled', event_id: eventId })),

    close: (): Promise<void> =>
      serialize(async () => {
        await file?.handle.close();
        file = undefined;
      }),
  };
}
