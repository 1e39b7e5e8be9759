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
export type Line =
  | { kind: 'snapshot'; version: 1; states: Record<string, unknown>; waiting: QueuedReport[]; known: string[] }
  | { kind: 'seen'; printer: string; state: unknown; reports: Report[] }
  | { kind: 'settled'; event_id: string };

/** What the lines of a journal add up to. */
export interface Contents {
  /** watcher states by printer */
  states: Map<string, unknown>;
  /** by printer, then by event_id, in the order they were recorded */
  waiting: Map<string, Map<string, Report>>;
  /** event_ids of settled reports */
  known: Set<string>;
}

/** How many settled reports are remembered, so that a print seen twice is not sent twice. */
const MAX_KNOWN = 5_000;

export const createContents = (): Contents => ({ states: new Map(), waiting: new Map(), known: new Set() });

export const countQueued = ({ waiting }: Contents) => [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0);

export const isRecorded = ({ waiting, known }: Contents, printer: string, eventId: string) =>
  waiting.get(printer)?.has(eventId) || known.has(eventId);

function wait({ waiting }: Contents, printer: string, report: Report): void {
  const queue = waiting.get(printer) ?? new Map<string, Report>();
  waiting.set(printer, queue.set(report.event_id, report));
}

function settle({ waiting, known }: Contents, eventId: string): void {
  for (const [printer, queue] of waiting) {
    if (queue.delete(eventId) && queue.size === 0) waiting.delete(printer);
  }
  known.add(eventId);
  const [oldest] = known;
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}

export function applyLine(contents: Contents, line: Line): void {
  switch (line.kind) {
    case 'snapshot':
      for (const [printer, state] of Object.entries(line.states)) contents.states.set(printer, state);
      for (const { printer, report } of line.waiting) wait(contents, printer, report);
      for (const id of line.known) contents.known.add(id);
      return;
    case 'seen':
      contents.states.set(line.printer, line.state);
      for (const report of line.reports) wait(contents, line.printer, report);
      return;
    case 'settled':
      settle(contents, line.event_id);
  }
}

export const toSnapshot = ({ states, waiting, known }: Contents): Line => ({
  kind: 'snapshot',
  version: 1,
  states: Object.fromEntries(states),
  waiting: [...waiting].flatMap(([printer, queue]) => [...queue.values()].map((report) => ({ printer, report }))),
  known: [...known],
});
