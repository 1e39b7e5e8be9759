import type { WorkflowStatus } from './orders-api';

/** Every status in board order with its color. The type makes a missing one a compile error. */
const MARKS: Record<WorkflowStatus, string> = {
  negotiation: 'gray.5',
  confirmed: 'indigo.5',
  assigned: 'violet.5',
  printing: 'blue.5',
  print_error: 'red.6',
  packing: 'orange.5',
  delivery: 'yellow.5',
  done: 'teal.5',
  cancelled: 'gray.6',
  closed: 'gray.7',
};

export const STATUSES = Object.keys(MARKS) as WorkflowStatus[];

export const markOf = (status: WorkflowStatus): string => MARKS[status];

/** Terminal statuses: their columns are sorted newest first and nothing in them is overdue. */
const ENDED: ReadonlySet<WorkflowStatus> = new Set(['done', 'cancelled', 'closed']);
export const isEnded = (status: WorkflowStatus): boolean => ENDED.has(status);
