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

export const INITIAL_STATUS: WorkflowStatus = 'negotiation';

/** What the contract sends an order to when the status it is given is no listed one. */
export const RESET_STATUS: WorkflowStatus = 'negotiation';

const LISTED: ReadonlySet<unknown> = new Set(WORKFLOW_STATUSES);

/** Exactly a listed value: another case, a space around it or another JSON type is not. */
export const isWorkflowStatus = (value: unknown): value is WorkflowStatus => LISTED.has(value);
