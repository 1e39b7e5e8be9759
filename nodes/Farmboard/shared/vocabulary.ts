import type { FunctionsBase, INodePropertyOptions } from 'n8n-workflow';

/** The statuses of an order, by name. */
export const WORKFLOW_STATUSES: INodePropertyOptions[] = [
  { name: 'Assigned', value: 'assigned', description: 'A printer or spool has been assigned' },
  { name: 'Cancelled', value: 'cancelled', description: 'The order was cancelled' },
  { name: 'Closed', value: 'closed', description: 'Archived and hidden from the main list' },
  { name: 'Confirmed', value: 'confirmed', description: 'The customer has confirmed; ready to print' },
  { name: 'Delivery', value: 'delivery', description: 'The print is on its way to the customer' },
  { name: 'Done', value: 'done', description: 'The order is completed' },
  { name: 'Negotiation', value: 'negotiation', description: 'The terms are still being discussed' },
  { name: 'Packing', value: 'packing', description: 'The order is being packed for shipment' },
  { name: 'Print Error', value: 'print_error', description: 'The printer reported an error' },
  { name: 'Printing', value: 'printing', description: 'The print is running' },
];

/** Status names by value. */
export const STATUS_NAMES = new Map(WORKFLOW_STATUSES.map(({ name, value }) => [String(value), name]));

/** Converts a status name ("Print Error") to its value; unknown text is returned unchanged. */
export function toStatus(given: unknown): string {
  const text = String(given);
  const value = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
  return STATUS_NAMES.has(value) ? value : text;
}

/** The events a subscription can select. */
export const EVENTS: INodePropertyOptions[] = [
  {
    name: 'Filament Is Low',
    value: 'filament.low_stock',
    description: 'A filament dropped to its low-stock threshold',
  },
  { name: 'Invoice Paid', value: 'invoice.paid', description: 'An invoice was paid online' },
  { name: 'Order Created', value: 'order.created', description: 'A new order came in' },
  {
    name: 'Order Status Changed',
    value: 'order.status_changed',
    description: 'An order moved to another status',
  },
  {
    name: 'Print Failed',
    value: 'printer.print_failed',
    description: 'A printer reported an error during a print',
  },
  { name: 'Print Finished', value: 'printer.print_finished', description: 'A printer finished a print' },
  {
    name: 'Request Received',
    value: 'lead.created',
    description: 'A request arrived through the public profile',
  },
];

/** Prefix of the subscriptions a trigger creates: `n8n: Workflow / Node`. It never deletes other subscriptions. */
export const OWN_SUBSCRIPTION = 'n8n: ';
const MAX_SUBSCRIPTION_NAME = 100;

/** Name of a trigger's subscription, or its prefix without a node name; limited to the maximum length. */
export function toSubscriptionName(workflowName: string, nodeName: string, suffix = ''): string {
  // Farmboard rejects control characters and bidirectional overrides
  const name = `${workflowName} / ${nodeName}`.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
  const cut = `${OWN_SUBSCRIPTION}${name}`.slice(0, MAX_SUBSCRIPTION_NAME - suffix.length);
  // avoid cutting a surrogate pair in half
  return `${cut.replace(/[\uD800-\uDBFF]$/, '')}${suffix}`;
}

/** Begins the client keys of the subscriptions of a workflow's triggers. An import into another n8n has others. */
export const toWorkflowKey = (context: Pick<FunctionsBase, 'getInstanceId' | 'getWorkflow'>): string =>
  `n8n:${context.getInstanceId()}/${context.getWorkflow().id}/`;

export const EVENT_NAMES = EVENTS.map(({ value }) => String(value));
