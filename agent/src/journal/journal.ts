import { appendFile, type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../report.ts';

/** A report queued for the server. */
export interface QueuedReport {
  printer: string;
  report: Report;
}

/**
 * Lines of `journal.jsonl`: first a snapshot, then one line per change. A watcher's state and the reports it produced
 * are one line, so that both are stored or neither.
 */
type Line =
  | { kind: 'snapshot'; version: 1; states: Record<string, unknown>; waiting: QueuedReport[]; known: string[] }
  | { kind: 'seen'; printer: string; state: unknown; reports: Report[] }
  | { kind: 'settled'; event_id: string };

/** Maximum number of queued reports; further ones are written to the rejected file. */
export const MAX_QUEUED = 100_000;
/** How many settled reports are remembered, so that a print seen twice is not sent twice. */
const MAX_KNOWN = 5_000;
/** Bytes of changes after which the journal is compacted. */
const COMPACT_AFTER = 1024 * 1024;
/** Bytes of the rejected file after which it is renamed to `rejected.old.jsonl`. */
const MAX_REJECTED = 10 * 1024 * 1024;

export type Journal = Awaited<ReturnType<typeof openJournal>>;

/**
 * Opens the agent's persistent state in one folder: watcher states and the report queue. A line counts once it is on
 * disk; an incomplete last line (after a crash) is ignored.
 * @throws Error if the folder is not writable, or the journal was written by a newer version
 */
export async function openJournal(folder: string, log: { warn(message: string): void }) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'journal.jsonl');
  const rejectedFile = join(folder, 'rejected.jsonl');

  const states = new Map<string, unknown>();
  /** by printer, then by event_id, in the order they were recorded */
  const waiting = new Map<string, Map<string, Report>>();
  const known = new Set<string>();

  function remember(eventId: string): void {
    known.add(eventId);
    const [oldest] = known;
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  function wait(printer: string, report: Report): void {
    const queue = waiting.get(printer) ?? new Map<string, Report>();
    waiting.set(printer, queue.set(report.event_id, report));
  }

  function forget(eventId: string): void {
    for (const [printer, queue] of waiting) {
      if (queue.delete(eventId) && queue.size === 0) waiting.delete(printer);
    }
  }

  const countQueued = () => [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0);

  function apply(line: Line): void {
    if (line.kind === 'snapshot') {
      if (line.version !== 1) throw new Error(`${file} was written by a newer version of Farmboard; use that version`);
      for (const [printer, state] of Object.entries(line.states)) states.set(printer, state);
      for (const { printer, report } of line.waiting) wait(printer, report);
      for (const id of line.known) known.add(id);
    } else if (line.kind === 'seen') {
      states.set(line.printer, line.state);
      for (const report of line.reports) wait(line.printer, report);
    } else if (line.kind === 'settled') {
      forget(line.event_id);
      remember(line.event_id);
    }
  }

  function load(text: string): void {
    const lines = text.split('\n');
    for (const [i, line] of lines.entries()) {
      if (line === '') continue;
      let parsed: Line;
      try {
        parsed = JSON.parse(line) as Line;
      } catch {
        // without a line break it was never completed; with one, the disk lost data
        if (i < lines.length - 1) log.warn(`line ${i + 1} of ${file} is unreadable and was skipped`);
        continue;
      }
      apply(parsed);
    }
  }

  const isOtherError = (error: NodeJS.ErrnoException) => error.code !== 'ENOENT';
  load(
    await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (isOtherError(error)) throw error;
      return '';
    }),
  );

  let handle: FileHandle | undefined;
  /** length of the complete lines in bytes */
  let size = 0;
  let snapshotSize = 0;

  /**
   * Writes a snapshot to a temporary file and renames it over the journal, so that a complete journal exists at all
   * times.
   */
  async function compact(): Promise<void> {
    const temporaryFile = `${file}.new`;
    const snapshot: Line = {
      kind: 'snapshot',
      version: 1,
      states: Object.fromEntries(states),
      waiting: [...waiting].flatMap(([printer, queue]) => [...queue.values()].map((report) => ({ printer, report }))),
      known: [...known],
    };
    const next = await open(temporaryFile, 'w', 0o600);
    try {
      await next.writeFile(`${JSON.stringify(snapshot)}\n`);
      await next.sync();
      await rename(temporaryFile, file);
    } catch (error) {
      await next.close();
      await rm(temporaryFile, { force: true });
      throw error;
    }
    await syncFolder(folder);
    await handle?.close();
    handle = next;
    size = (await next.stat()).size;
    snapshotSize = size;
  }
  await compact();

  async function append(line: Line): Promise<void> {
    if (!handle) throw new Error('the journal is closed');
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      // at a fixed position, to overwrite the partial line of a failed write
      await handle.write(bytes, 0, bytes.length, size);
      await handle.datasync();
    } catch (error) {
      await handle.truncate(size).catch(() => undefined);
      throw error;
    }
    size += bytes.length;
    apply(line);
    if (size - snapshotSize > COMPACT_AFTER) {
      await compact().catch((error: Error) => log.warn(`${file} could not be rewritten: ${error.message}`));
    }
  }

  async function writeRejected(printer: string, report: Report, reason: string): Promise<void> {
    const { size: bytes } = await stat(rejectedFile).catch(() => ({ size: 0 }));
    if (bytes > MAX_REJECTED) await rename(rejectedFile, join(folder, 'rejected.old.jsonl'));
    const line = { at: new Date().toISOString(), printer, reason, report };
    await appendFile(rejectedFile, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  }

  let last: Promise<unknown> = Promise.resolve();
  /** Runs writes one at a time. */
  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  return {
    stateOf: (printer: string): unknown => states.get(printer),

    /**
     * Stores a watcher's state and the prints it saw end, atomically. Known reports are skipped.
     * @returns the new reports
     */
    record: (printer: string, state: unknown, reports: Report[]): Promise<Report[]> =>
      serialize(async () => {
        const fresh = reports.filter(({ event_id }) => !waiting.get(printer)?.has(event_id) && !known.has(event_id));
        const capacity = Math.max(0, MAX_QUEUED - countQueued());
        const kept = fresh.slice(0, capacity);
        for (const report of fresh.slice(capacity)) {
          await writeRejected(printer, report, `more than ${MAX_QUEUED} reports are queued`);
          log.warn(
            `${printer}: more than ${MAX_QUEUED} reports are queued; ${report.filename} was moved to ${rejectedFile}`,
          );
        }
        await append({ kind: 'seen', printer, state, reports: kept });
        return kept;
      }),

    /** The next report to send for a printer. */
    nextOf: (printer: string): Report | undefined => waiting.get(printer)?.values().next().value,

    countQueued,
    /** Printers with queued reports, including removed ones. */
    printersWithQueue: () => [...waiting.keys()],

    /** Marks a report as delivered. */
    markDelivered: (eventId: string): Promise<void> => serialize(() => append({ kind: 'settled', event_id: eventId })),

    /** Moves a report that the server will never accept to the rejected file, with the reason. */
    reject: (printer: string, report: Report, reason: string): Promise<void> =>
      serialize(async () => {
        await writeRejected(printer, report, reason);
        await append({ kind: 'settled', event_id: report.event_id });
      }),

    rejectedFile,

    close: (): Promise<void> =>
      serialize(async () => {
        await handle?.close();
        handle = undefined;
      }),
  };
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
