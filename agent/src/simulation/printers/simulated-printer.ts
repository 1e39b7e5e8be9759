import type { PrintOutcome } from '../../report.ts';
import type { Gate } from './gate.ts';

/** A print that was sliced for a printer. */
export interface Job {
  filename: string;
  /** g, as the slicer has calculated; some printers are not told */
  grams?: number;
}

/** A printer's software, as far as the agent uses it. It speaks the published protocol on 127.0.0.1. */
export interface SimulatedPrinter {
  /** Its entry in the agent's config, without the name. */
  config: Record<string, unknown>;
  gate: Pick<Gate, 'up' | 'down'>;
  /** Starts a print, even without connected clients. */
  start(job: string | Job): void;
  /** The share of the current print that is done, 0 to 1. */
  progress(share: number): void;
  /** Ends the current print. */
  end(outcome: PrintOutcome): void;
  /** The outcome as known later, if the software's own record says less than its message did. */
  unseen?: Partial<Record<PrintOutcome, PrintOutcome>>;
  /** The number of clients that were accepted. */
  clients(): number;
  stop(): Promise<void>;
}

export const toJob = (job: string | Job): Job => (typeof job === 'string' ? { filename: job } : job);
