import type { Logger } from '../../../common/src/logger.ts';
import { createBackoff, pause } from '../backoff.ts';
import type { Report } from '../report.ts';
import type { ReportClient, Sent } from '../report-client.ts';
import type { SendClock } from '../send-clock.ts';
import type { Journal } from './journal.ts';

interface OutboxTiming {
  retryMs: number;
  maxRetryMs: number;
}

interface OutboxDeps {
  journal: Journal;
  sendClock: SendClock;
  log: Logger;
  timing: OutboxTiming;
  signal: AbortSignal;
}

type Failure = Sent & { kind: 'closed' | 'later' };

/** Takes the report out of the queue. */
async function settle(
  { journal, sendClock, log }: OutboxDeps,
  printer: string,
  report: Report,
  sent: Exclude<Sent, Failure>,
) {
  const { event_id: id, filename, outcome } = report;
  if (sent.kind === 'taken') {
    await journal.markSettled(id);
    log.info(`${printer}: reported ${filename}, ${outcome}${sent.isReplay ? ' (already known)' : ''}`);
  } else if (sent.isKept) {
    await journal.markSettled(id);
    log.error(`${printer}: the server rejected ${filename} (${sent.reason}); try it again on the printer's page`);
  } else {
    // the log is the only place that is left
    log.error(
      `${printer}: the server rejected ${filename} (${sent.reason}) and does not keep it: ${JSON.stringify(report)}`,
    );
    await journal.markSettled(id);
  }
  sendClock.settled(id);
}

function logFailure({ journal, log }: OutboxDeps, printer: string, { kind, reason }: Failure): void {
  const line = `${printer}: ${reason}; retrying, ${journal.countQueued()} in the queue`;
  if (kind === 'closed') log.error(line);
  else log.warn(line);
}

/**
 * Sends reports, oldest first, until the signal is aborted.
 * @param queued waits for the next report, or the signal
 */
async function sendAll(deps: OutboxDeps, printer: string, client: ReportClient, queued: () => Promise<void>) {
  const { journal, sendClock, log, timing, signal } = deps;
  const backoff = createBackoff(timing.retryMs, timing.maxRetryMs);
  let lastReason = '';
  while (!signal.aborted) {
    const report = journal.nextOf(printer);
    if (!report) {
      await queued();
      continue;
    }
    const sent = await client.send(report, sendClock.sentAt(report.event_id));
    if (sent.kind === 'closed' || sent.kind === 'later') {
      // a failure that goes on is logged once
      if (sent.reason !== lastReason) logFailure(deps, printer, sent);
      lastReason = sent.reason;
      const wait = sent.kind === 'closed' ? timing.maxRetryMs : Math.max(backoff.next(), sent.afterMs ?? 0);
      await pause(wait, signal);
      continue;
    }
    await settle(deps, printer, report, sent);
    if (lastReason !== '') log.info(`${printer}: the server accepts reports again`);
    lastReason = '';
    backoff.reset();
  }
}

/** Sends queued reports, in order per printer, each until the server accepts or rejects it. */
export function createOutbox(deps: OutboxDeps) {
  const { journal, log, timing, signal } = deps;
  const wakeUps = new Map<string, () => void>();
  const queues: Promise<void>[] = [];

  /** Waits until a report was queued or the signal is aborted. */
  const queued = (printer: string) =>
    new Promise<void>((resolve) => {
      wakeUps.set(printer, resolve);
      if (signal.aborted) resolve();
    });

  /** Waits until there may be a report to send, or the signal is aborted. */
  async function nextQueued(printer: string): Promise<void> {
    if (!journal.isOverflowing(printer)) await queued(printer);
    else if (!(await journal.refill(printer))) await pause(timing.maxRetryMs, signal);
  }

  /**
   * Keeps a queue running after write errors such as a full disk. Reports sent twice are recognized by the server by
   * their event_id.
   */
  async function keepRunning(printer: string, client: ReportClient): Promise<void> {
    while (!signal.aborted) {
      await sendAll(deps, printer, client, () => nextQueued(printer)).catch(async (error: Error) => {
        log.error(`${printer}: cannot write to the queue (${error.message}); retrying`);
        await pause(timing.maxRetryMs, signal);
      });
    }
  }

  signal.addEventListener('abort', () => {
    for (const wake of wakeUps.values()) wake();
  });

  return {
    /** Starts the queue of a printer. */
    open(printer: string, client: ReportClient): void {
      queues.push(keepRunning(printer, client));
    },
    /** Signals that a report was queued. */
    wake: (printer: string): void => wakeUps.get(printer)?.(),
    /** Resolves when every queue has stopped after the signal. */
    closed: () => Promise.allSettled(queues),
  };
}
