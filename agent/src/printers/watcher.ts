import type { Clock } from '../../../common/src/clock.ts';
import type { Logger } from '../../../common/src/logger.ts';
import { createBackoff, explain, pause } from '../backoff.ts';
import { type Budget, createTraffic } from '../budget.ts';
import type { EndedPrint } from '../report.ts';

export interface Timing {
  pollMs: number;
  retryMs: number;
  maxRetryMs: number;
  heartbeatMs: number;
  /** of one request to a printer or the server */
  timeoutMs: number;
  /** how long contradictory messages about the end of a print are debounced, ms */
  settleMs: number;
}

/** The dependencies of a printer's watcher. */
export interface Watch<State> {
  /** the printer's name in the config, for the log */
  name: string;
  /** the stored state; undefined if the printer was never watched */
  state(): State | undefined;
  /**
   * Stores the next state together with the prints that ended. When it resolves, both are on disk and the reports
   * queued. When it rejects, neither is stored, and the watcher must not treat them as processed.
   */
  record(state: State, ended?: EndedPrint[]): Promise<void>;
  log: Logger;
  clock: Clock;
  timing: Timing;
  signal: AbortSignal;
}

/** A connection that lasts shorter is no reason to try again sooner: the printer may break each one. */
const MIN_STEADY_MS = 10_000;

/**
 * Runs `attempt` again and again, with backoff, until the signal is aborted.
 * @param attempt runs while the printer is reachable, calls `isUp` once it responds, and rejects with the reason when
 * it is lost. It gets what the printer may send, over all attempts.
 */
export async function keepWatching<State>(
  { name, log, timing, signal }: Watch<State>,
  attempt: (isUp: () => void, traffic: Budget) => Promise<void>,
): Promise<void> {
  const backoff = createBackoff(timing.retryMs, timing.maxRetryMs);
  const traffic = createTraffic();
  let lastReason = '';
  while (!signal.aborted) {
    let wasUp = false;
    let upSince = 0;
    let reason = 'the connection was closed';
    try {
      await attempt(() => {
        if (wasUp) return;
        wasUp = true;
        upSince = performance.now();
        lastReason = '';
        log.info(`${name}: connected`);
      }, traffic);
    } catch (error) {
      reason = explain(error);
    }
    if (signal.aborted) return;
    // log a printer that is off once, not at every attempt
    if (wasUp) log.warn(`${name}: connection lost (${reason}); retrying`);
    else if (reason !== lastReason) log.warn(`${name}: cannot be reached (${reason}); retrying`);
    lastReason = reason;
    if (wasUp && performance.now() - upSince >= MIN_STEADY_MS) backoff.reset();
    await pause(backoff.next(), signal);
  }
}
