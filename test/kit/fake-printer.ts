import type { PrintOutcome } from '../../agent/src/report.ts';
import type { Gate } from './gate.ts';

/** A printer's software, as far as the agent uses it. */
export interface FakePrinter {
  /** its entry in the config, without the name */
  config: Record<string, unknown>;
  gate: Pick<Gate, 'up' | 'down'>;
  /** starts a print, even without connected clients */
  start(filename: string): void;
  /** the print under way ends */
  end(outcome: PrintOutcome): void;
  /** what an end is known as later, where the software's own record tells less than its message did */
  unseen?: Partial<Record<PrintOutcome, PrintOutcome>>;
  /** clients that were let in */
  clients(): number;
  stop(): Promise<void>;
}
