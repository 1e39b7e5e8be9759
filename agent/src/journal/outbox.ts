import type { Logger } from '../../../backend/src/shared/logger.ts';
import { createBackoff, pause } from '../backoff.ts';
import type { ReportClient } from '../report-client.ts';
import type { Journal } from './journal.ts';

export interface OutboxTiming {
  retryMs: number;
  retryMaxMs: number;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Sends queued reports, in order per printer, each until the server accepts or rejects it. */
export function createOutbox(deps: { journal: Journal; log: Logger; timing: OutboxTiming; signal: AbortSignal }) {
  const { journal, log, timing, signal } = deps;
  const wakeUps = new Map<string, () => void>();
  const queues: Promise<void>[] = [];

  async function run(printer: string, client: ReportClient): Promise<void> {
    const backoff = createBackoff(timing.retryMs, timing.retryMaxMs);
    let lastReason = '';
    while (!signal.aborted) {
      const report = journal.nextOf(printer);
      if (!report) {
        await new Promise<void>((resolve) => {
          wakeUps.set(printer, resolve);
          if (signal.aborted) resolve();
        });
        continue;
      }
      const sent = await client.send(report);
      if (sent.kind === 'taken') {
        await journal.markDelivered(report.event_id);
        log.info(
          `${printer}: reported ${report.filename}, ${report.outcome}${sent.isReplay ? ' (already known)' : ''}`,
        );
      } else if (sent.kind === 'refused') {
        await journal.reject(printer, report, sent.reason);
        log.error(
          `${printer}: the server rejected ${report.filename} (${sent.reason}); saved to ${journal.rejectedFile}`,
        );
      } else {
        const isClosed = sent.kind === 'closed';
        if (sent.reason !== lastReason) {
          const line = `${printer}: ${sent.reason}; retrying, ${journal.countQueued()} in the queue`;
          if (isClosed) log.error(line);
          else log.warn(line);
        }
        lastReason = sent.reason;
        const wait = isClosed ? timing.retryMaxMs : backoff.next();
        // with the signal aborted, does not wait
        await pause(Math.max(wait, (!isClosed && sent.afterMs) || 0), signal);
        continue;
      }
      if (lastReason !== '') log.info(`${printer}: the server accepts reports again`);
      lastReason = '';
      backoff.reset();
    }
  }

  /**
   * Keeps a queue running after write errors such as a full disk. Reports sent twice are recognized by the server by
   * their event_id.
   */
  async function keepRunning(printer: string, client: ReportClient): Promise<void> {
    while (!signal.aborted) {
      await run(printer, client).catch(async (error: Error) => {
        log.error(`${printer}: cannot write to the queue (${error.message}); retrying`);
        await pause(timing.retryMaxMs, signal);
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
