import type { Clock } from '../../../backend/src/shared/clock.ts';
import type { Logger } from '../../../backend/src/shared/logger.ts';
import { createBackoff, explain, pause } from '../backoff.ts';
import type { Timing } from '../config.ts';
import type { Ended } from '../report.ts';

/** What a watcher of one printer is given. */
export interface Watch<State> {
  /** the printer's name in the config, for the log */
  name: string;
  /** what was stored last; undefined: this printer was never watched */
  state(): State | undefined;
  /**
   * Stores what is known from now on together with the prints that ended. Once it resolves both are on the disk and the
   * reports on their way; when it rejects neither is, and the watcher must not count them as seen.
   */
  record(state: State, ended?: Ended[]): Promise<void>;
  log: Logger;
  clock: Clock;
  timing: Timing;
  signal: AbortSignal;
}

/**
 * Watches until the signal, over and over: an attempt runs for as long as the printer can be reached, and rejects with why it
 * cannot.
 * @param attempt calls `isUp` when the printer answers
 */
export async function keepWatching<State>(
  { name, log, timing, signal }: Watch<State>,
  attempt: (isUp: () => void) => Promise<void>,
): Promise<void> {
  const backoff = createBackoff(timing.retryMs, timing.retryMostMs);
  let said = '';
  while (!signal.aborted) {
    let wasUp = false;
    let reason = 'the connection was closed';
    try {
      await attempt(() => {
        if (wasUp) return;
        wasUp = true;
        said = '';
        backoff.reset();
        log.info(`${name}: connected`);
      });
    } catch (error) {
      reason = explain(error);
    }
    if (signal.aborted) return;
    // a printer that is off for the night is told once, not every minute
    if (wasUp) log.warn(`${name}: connection lost (${reason}); retrying`);
    else if (reason !== said) log.warn(`${name}: cannot be reached (${reason}); retrying`);
    said = reason;
    await pause(backoff.next(), signal);
  }
}
