import type { WorkflowStatus } from '../orders/status.ts';

export const OUTCOMES = ['finished', 'failed', 'cancelled'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** By which route a report came. */
export const SOURCES = ['report', 'octoprint', 'apprise'] as const;
export type Source = (typeof SOURCES)[number];

/** Why something that the printer's rules ask for was not done, or was done other than asked. */
export const REPORT_NOTES = {
  unknown_order: 'the file name has the label of an order that is not in this account',
  several_orders: 'the file name has the labels of several orders',
  no_order: 'no order is named, and there is not exactly one that is being printed on this printer',
  order_moved_on: 'the order was packed, delivered, done, cancelled or closed already, and was left so',
  no_filament: 'no filament is named, and none is loaded on this printer',
  no_stock: 'the filament has no batch that could be taken from',
  no_grams: 'the report says no grams',
} as const;
export type ReportNote = keyof typeof REPORT_NOTES;

/** A print that ended, as its printer's agent told it, and what was done with it. */
export interface PrintReport {
  id: string;
  /** chosen by the agent; of one printer no two have the same */
  event_id: string;
  printer_id: string;
  printer_name: string;
  filename: string;
  outcome: Outcome;
  at: string;
  grams: number | null;
  reason: string | null;
  source: Source;
  agent_name: string;
  /** the order it was for, as far as it is known */
  order_id: string | null;
  order_name: string | null;
  filament_id: string | null;
  filament_name: string | null;
  /** null: nothing was booked */
  booked_grams: number | null;
  /** null: no order was moved */
  moved_to: WorkflowStatus | null;
  notes: ReportNote[];
  /** a failure that may turn out to be a cancelled print: until then nobody is told of it. null: it is settled */
  held_until: string | null;
  received_at: string;
}

/** What is done with the reports of a printer. All of it is off until its owner wishes it. */
export interface PrinterRules {
  /** book the grams that are reported */
  book_grams: boolean;
  /** on which filament, unless the report names one */
  loaded_filament_id: string | null;
  /** where an order goes; null: it is left alone */
  on_finished: WorkflowStatus | null;
  on_failed: WorkflowStatus | null;
  on_cancelled: WorkflowStatus | null;
}

export const NO_RULES: PrinterRules = {
  book_grams: false,
  loaded_filament_id: null,
  on_finished: null,
  on_failed: null,
  on_cancelled: null,
};

const LABEL = /ORDER-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi;

/** The orders whose labels a file name has, each once. */
export const ordersIn = (filename: string): string[] => [
  ...new Set([...filename.matchAll(LABEL)].map(([, id]) => (id as string).toLowerCase())),
];

/** An order that went on to the bench is not drawn back by a print of it that is told late. */
const MOVED_ON: readonly WorkflowStatus[] = ['packing', 'delivery', 'done', 'cancelled', 'closed'];

export const hasMovedOn = (status: WorkflowStatus): boolean => MOVED_ON.includes(status);
