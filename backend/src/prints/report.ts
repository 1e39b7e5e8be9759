import { TERMINAL_STATUSES, type WorkflowStatus } from '../orders/status.ts';

export const OUTCOMES = ['finished', 'failed', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The format in which a report arrived: our own, or that of a printer program. */
export const SOURCES = ['report', 'octoprint', 'apprise'] as const;
export type Source = (typeof SOURCES)[number];

/** How long a failure that may be a cancelled print is held, waiting for a message that says so. */
export const HOLD_MS = 10_000;

/** Why a rule was not carried out, and what is missing or doubtful in the report. */
export const REPORT_NOTES = {
  unknown_order: "the file name has the label of an order that isn't in this account",
  several_orders: 'the file name has the labels of several orders',
  no_order: "the report names no order, and this printer isn't printing exactly one",
  order_moved_on: 'the order was already in packing, delivery, done, cancelled or closed, so its status stays',
  no_filament: 'the report names no filament, and none is loaded on this printer',
  no_stock: 'the filament has no batch to deduct from',
  no_grams: 'the report contains no grams',
  unreadable_grams: "the grams in the message couldn't be read or are ambiguous; see `grams_text`",
  implausible_grams:
    'the grams are more than any print uses, or not a weight, so nothing was deducted; deduct the correct amount by hand',
  no_file: 'the message names no file, and no message that names one arrived within ten seconds',
} as const;
export type ReportNote = keyof typeof REPORT_NOTES;

/** What printers, slicers and uploads make of the separators in a file name, or nothing. */
const SEPARATOR = '(?:[-_ .+–—]|%20|%2d)?';
const CLEANED_ID = [8, 4, 4, 4, 12].map((length) => `([0-9a-f]{${length}})`).join(SEPARATOR);
const LABEL = new RegExp(
  `ORDER(?:${SEPARATOR}){3}(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|${CLEANED_ID}(?![0-9a-f]))`,
  'gi',
);

/** The ids of the orders whose labels a file name contains, without duplicates. */
export const ordersIn = (filename: string): string[] => [
  ...new Set([...filename.matchAll(LABEL)].map(([, whole, ...parts]) => (whole ?? parts.join('-')).toLowerCase())),
];

/** A report that arrives late must not move back an order that is already being packed, or further. */
const MOVED_ON: readonly WorkflowStatus[] = ['packing', 'delivery', ...TERMINAL_STATUSES];

export const hasMovedOn = (status: WorkflowStatus): boolean => MOVED_ON.includes(status);
