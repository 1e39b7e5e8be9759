import type { z } from 'zod';
import type { PrinterSettings } from './settings.ts';
import type { Watch } from './watcher.ts';

/**
 * A printer protocol. These are methods, because a method may name its own kind of printer and of stored state as its
 * parameters; the config file's `type` ensures that it gets no others.
 */
export interface Protocol {
  /** The printer's fields in the config file. */
  schema: z.ZodType<PrinterSettings>;
  /** Replaces the names of files in the settings by what the files contain. @param read returns undefined after a fault */
  readFiles?(printer: PrinterSettings, read: (field: string, path: string) => string | undefined): PrinterSettings;
  /** Identifies the printer: stored state is discarded if it changes. */
  address(printer: PrinterSettings): string;
  watch(printer: PrinterSettings, watch: Watch<unknown>): Promise<void>;
  /** @returns one line about the printer. @throws Error with a message for the user */
  probe(printer: PrinterSettings, watch: Pick<Watch<unknown>, 'timing' | 'signal'>): Promise<string>;
}
