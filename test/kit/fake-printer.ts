import type { PrintOutcome } from '../../agent/src/report.ts';
import type { Gate } from './gate.ts';

/** The software of several printers. */
export interface Served<Software> {
  all: Software[];
  stop(): Promise<void>;
}

/** Starts the software of each printer by itself. */
export const serveEach =
  <Given, Software extends { stop(): Promise<void> }>(start: (given: Given) => Promise<Software>) =>
  async (given: readonly Given[]): Promise<Served<Software>> => {
    const all = await Promise.all(given.map(start));
    return { all, stop: async () => void (await Promise.all(all.map((one) => one.stop()))) };
  };

/** The software of a printer, as far as the agent uses it. */
export interface FakePrinter {
  /** Its entry in the config, without the name. */
  config: Record<string, unknown>;
  gate: Pick<Gate, 'up' | 'down'>;
  /** Starts a print, even without connected clients. */
  start(filename: string): void;
  /** Ends the current print. */
  end(outcome: PrintOutcome): void;
  /** The outcome as known later, if the software's own record says less than its message did. */
  unseen?: Partial<Record<PrintOutcome, PrintOutcome>>;
  /** The number of clients that were accepted. */
  clients(): number;
  stop(): Promise<void>;
}
