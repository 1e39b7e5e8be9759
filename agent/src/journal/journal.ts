import { appendFile, type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../report.ts';

/** A report on its way to the door. */
export interface Waiting {
  printer: string;
  report: Report;
}

/**
 * Lines of `journal.jsonl`. The first is a snapshot; each further one is a change. What a watcher saw and what it knows
 * from then on stand in one line, so that either both are stored or neither.
 */
type Line =
  | { kind: 'snapshot'; version: 1; states: Record<string, unknown>; waiting: Waiting[]; known: string[] }
  | { kind: 'seen'; printer: string; state: unknown; reports: Report[] }
  | { kind: 'settled'; event_id: string };

/** Reports that wait; what would be more goes to the rejected file. */
export const MAX_WAITING = 100_000;
/** Reports remembered as settled, so that one seen twice is not sent twice. */
const MAX_KNOWN = 5_000;
/** Bytes of changes after which the journal is written anew. */
const COMPACT_AFTER = 1024 * 1024;
/** Bytes of the rejected file after which it becomes `rejected.old.jsonl`. */
const MAX_REJECTED = 10 * 1024 * 1024;

export type Journal = Awaited<ReturnType<typeof openJournal>>;

/**
 * What the bridge must not forget, in one folder. A line counts once it is on the disk; the last one may be torn (the machine
 * died while it was written) and then never happened.
 * @throws Error when the folder cannot be written, or the journal is of a newer version
 */
export async function openJournal(folder: string, log: { warn(message: string): void }) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'journal.jsonl');
  const rejectedFile = join(folder, 'rejected.jsonl');

  const states = new Map<string, unknown>();
  /** by printer, then by event_id, in the order in which they were seen */
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

  const countWaiting = () => [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0);

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
        // without a line break it was never finished; with one, the disk lost something
        if (i < lines.length - 1) log.warn(`line ${i + 1} of ${file} is unreadable and was skipped`);
        continue;
      }
      apply(parsed);
    }
  }

  const isThere = (error: NodeJS.ErrnoException) => error.code !== 'ENOENT';
  load(
    await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (isThere(error)) throw error;
      return '';
    }),
  );

  let handle: FileHandle | undefined;
  /** bytes that are known to be whole lines */
  let size = 0;
  let snapshotSize = 0;

  /** Writes everything anew beside the journal and puts it in its place: at every moment one of the two is whole. */
  async function compact(): Promise<void> {
    const aside = `${file}.new`;
    const snapshot: Line = {
      kind: 'snapshot',
      version: 1,
      states: Object.fromEntries(states),
      waiting: [...waiting].flatMap(([printer, queue]) => [...queue.values()].map((report) => ({ printer, report }))),
      known: [...known],
    };
    const next = await open(aside, 'w', 0o600);
    try {
      await next.writeFile(`${JSON.stringify(snapshot)}\n`);
      await next.sync();
      await rename(aside, file);
    } catch (error) {
      await next.close();
      await rm(aside, { force: true });
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
      // at a fixed place: half a line of a write that failed is written over
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
  /** One write after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  return {
    stateOf: (printer: string): unknown => states.get(printer),

    /**
     * Stores what a watcher knows now and the prints it saw end, all or nothing. Reports that are known already are left out.
     * @returns the reports that are new
     */
    record: (printer: string, state: unknown, reports: Report[]): Promise<Report[]> =>
      inTurn(async () => {
        const fresh = reports.filter(({ event_id }) => !waiting.get(printer)?.has(event_id) && !known.has(event_id));
        const room = Math.max(0, MAX_WAITING - countWaiting());
        const kept = fresh.slice(0, room);
        for (const report of fresh.slice(room)) {
          await writeRejected(printer, report, `more than ${MAX_WAITING} reports are queued`);
          log.warn(
            `${printer}: more than ${MAX_WAITING} reports are queued; ${report.filename} was moved to ${rejectedFile}`,
          );
        }
        await append({ kind: 'seen', printer, state, reports: kept });
        return kept;
      }),

    /** The report of a printer that is sent next. */
    nextOf: (printer: string): Report | undefined => waiting.get(printer)?.values().next().value,

    countWaiting,
    /** Printers with reports that wait, also those that are no longer configured. */
    printersWaiting: () => [...waiting.keys()],

    /** The door has it: it is not sent again. */
    settle: (eventId: string): Promise<void> => inTurn(() => append({ kind: 'settled', event_id: eventId })),

    /** The door will never take it: kept beside the journal, with the reason. */
    reject: (printer: string, report: Report, reason: string): Promise<void> =>
      inTurn(async () => {
        await writeRejected(printer, report, reason);
        await append({ kind: 'settled', event_id: report.event_id });
      }),

    rejectedFile,

    close: (): Promise<void> =>
      inTurn(async () => {
        await handle?.close();
        handle = undefined;
      }),
  };
}

/** Makes a rename last over a power cut. Not every system can: then the old journal comes back, which is whole too. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // as said
  }
}
