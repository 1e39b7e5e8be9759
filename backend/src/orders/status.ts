/** Every workflow status, in the order of the board's columns. `closed` is archived: hidden from the main list. */
export const WORKFLOW_STATUSES = [
  'negotiation',
  'confirmed',
  'assigned',
  'printing',
  'print_error',
  'packing',
  'delivery',
  'done',
  'cancelled',
  'closed',
] as const;

export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

/** Statuses of an order that needs no more work. */
export const TERMINAL_STATUSES = ['done', 'cancelled', 'closed'] as const satisfies readonly WorkflowStatus[];

/** Statuses of an order that still needs work. */
export const OPEN_STATUSES: readonly WorkflowStatus[] = WORKFLOW_STATUSES.filter(
  (status) => !(TERMINAL_STATUSES as readonly WorkflowStatus[]).includes(status),
);

const OPEN: ReadonlySet<string> = new Set(OPEN_STATUSES);

export const isOpenStatus = (status: string): boolean => OPEN.has(status);

export const INITIAL_STATUS: WorkflowStatus = 'negotiation';

/**
 * The status that the specification ("States and transitions") resets an order to when it receives an unlisted value.
 */
export const RESET_STATUS: WorkflowStatus = 'negotiation';

const LISTED: ReadonlySet<unknown> = new Set(WORKFLOW_STATUSES);

/** Exact matches only: differences in case, surrounding spaces and other JSON types are not accepted. */
export const isWorkflowStatus = (value: unknown): value is WorkflowStatus => LISTED.has(value);
