import type { INodePropertyOptions } from 'n8n-workflow';

/** The statuses of an order, by name. The service is the judge: an expression may give any value, and a wrong one is refused. */
export const WORKFLOW_STATUSES: INodePropertyOptions[] = [
  { name: 'Assigned', value: 'assigned', description: 'A printer or spool has been assigned' },
  { name: 'Cancelled', value: 'cancelled', description: 'The order was cancelled' },
  { name: 'Closed', value: 'closed', description: 'Archived, hidden from the main list' },
  { name: 'Confirmed', value: 'confirmed', description: 'The customer confirmed, ready to print' },
  { name: 'Delivery', value: 'delivery', description: 'The print is ready and on its way to the customer' },
  { name: 'Done', value: 'done', description: 'The order is completed' },
  { name: 'Negotiation', value: 'negotiation', description: 'The terms are still being discussed' },
  { name: 'Packing', value: 'packing', description: 'The order is assembled and packed for shipment' },
  { name: 'Print Error', value: 'print_error', description: 'The printer software reported an error' },
  { name: 'Printing', value: 'printing', description: 'The print is running' },
];

/** The events that a channel may choose, in plain words. */
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
    description: 'A request arrived from the public profile',
  },
];

export const EVENT_NAMES = EVENTS.map(({ value }) => String(value));
