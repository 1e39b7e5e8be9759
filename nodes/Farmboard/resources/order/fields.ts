import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optional, printerLocator } from '../../shared/locators';
import { type Item, locatorValue, type RecordFields, toSnake } from '../../shared/operation';
import { toStatus, WORKFLOW_STATUSES } from '../../shared/vocabulary';

export const ORDER: RecordFields = {
  all: [
    'id',
    'model_name',
    'quantity_pieces',
    'material_name',
    'color_hex',
    'material_grams',
    'print_hours',
    'due_date',
    'order_notes',
    'workflow_status',
    'printer_id',
    'printer_name',
    'customer_name',
    'customer_contact',
    'price',
    'currency',
    'source',
    'external_id',
    'external_updated_at',
    'status_reset_received',
    'created_at',
    'updated_at',
  ],
  simplified: [
    'id',
    'model_name',
    'workflow_status',
    'due_date',
    'quantity_pieces',
    'material_name',
    'color_hex',
    'material_grams',
    'printer_id',
    'printer_name',
    'print_hours',
    'customer_name',
    'price',
    'currency',
  ],
};

export const MODEL_NAME: INodeProperties = {
  displayName: 'Model Name',
  name: 'modelName',
  type: 'string',
  default: '',
  placeholder: 'e.g. Wall bracket',
  description: 'What to print',
};

export const WORKFLOW_STATUS: INodeProperties = {
  displayName: 'Workflow Status',
  name: 'workflowStatus',
  type: 'options',
  options: WORKFLOW_STATUSES,
  default: 'assigned',
  description: 'The status of the order, which is also its column on the board',
};

export const PRINTER: INodeProperties = {
  ...optional(printerLocator),
  description: 'The printer the order is assigned to; leave empty to unassign it',
};

export const ORDER_NOTES: INodeProperties = {
  displayName: 'Order Notes',
  name: 'orderNotes',
  type: 'string',
  typeOptions: { rows: 3 },
  default: '',
  description: 'Notes for the workshop; these replace the existing notes',
};

/** Every writable field of an order except its name and status. */
export const ORDER_FIELDS: INodeProperties[] = [
  {
    displayName: 'Color',
    name: 'colorHex',
    type: 'color',
    default: '#808080',
    description: 'Color of the print, in the form #RRGGBB',
  },
  {
    displayName: 'Currency',
    name: 'currency',
    type: 'string',
    default: '',
    placeholder: 'e.g. EUR',
    description: 'Currency of the price as a three-letter code (ISO 4217); leave empty to clear it',
  },
  {
    displayName: 'Customer Contact',
    name: 'customerContact',
    type: 'string',
    default: '',
    placeholder: 'e.g. name@example.com',
    description: 'How to reach the customer; leave empty to clear it',
  },
  {
    displayName: 'Customer Name',
    name: 'customerName',
    type: 'string',
    default: '',
    placeholder: 'e.g. Nathan Smith',
    description: 'Name of the customer; leave empty to clear it',
  },
  {
    displayName: 'Due Date',
    name: 'dueDate',
    type: 'dateTime',
    typeOptions: { dateOnly: true },
    default: '',
    description: 'The day the order is due; a time after the date is ignored',
  },
  {
    displayName: 'Material Grams',
    name: 'materialGrams',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 3 },
    default: 0,
    description: 'Grams of material the order needs, rounded to three decimals',
  },
  {
    displayName: 'Material Name',
    name: 'materialName',
    type: 'string',
    default: '',
    placeholder: 'e.g. PETG',
    description: 'The material to print with',
  },
  ORDER_NOTES,
  {
    displayName: 'Price',
    name: 'price',
    type: 'number',
    typeOptions: { minValue: 0 },
    default: 0,
    description: 'Price in minor units of the currency: 1250 means 12.50',
  },
  {
    displayName: 'Print Hours',
    name: 'printHours',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 3 },
    default: 0,
    description: 'Print time in hours, rounded to three decimals',
  },
  PRINTER,
  {
    displayName: 'Quantity',
    name: 'quantityPieces',
    type: 'number',
    typeOptions: { minValue: 0 },
    default: 1,
    description: 'Number of pieces',
  },
];

export const SOURCE: INodeProperties = {
  displayName: 'Source',
  name: 'source',
  type: 'string',
  default: '',
  placeholder: 'e.g. shopify',
  description: 'The shop or other system that the order is from; always write it the same way',
};

export const EXTERNAL_ID: INodeProperties = {
  displayName: 'External ID',
  name: 'externalId',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.order_number }}',
  description: 'The ID that the order has there. There is exactly one order for each source and external ID.',
};

export const EXTERNAL_UPDATED_AT: INodeProperties = {
  displayName: 'External Updated At',
  name: 'externalUpdatedAt',
  type: 'dateTime',
  default: '',
  description: "When the order was last changed there. A time without a zone is in the workflow's time zone.",
};

/** The fields that a shop may write. It never sends a status. */
export const MAPPED_FIELDS: INodeProperties[] = [MODEL_NAME, ...ORDER_FIELDS];

const CLEARED_WHEN_EMPTY = new Set(['currency', 'customerContact', 'customerName']);

/** The request body for a collection of order fields. */
export function toOrderBody(item: Item, fields: IDataObject): IDataObject {
  const body: IDataObject = {};
  for (const [name, value] of Object.entries(fields)) body[toSnake(name)] = toRequestValue(item, name, value);
  return body;
}

function toRequestValue(item: Item, name: string, value: unknown): IDataObject[string] {
  switch (name) {
    case 'dueDate':
      return item.day('Due Date', value);
    case 'materialGrams':
      return item.number('Material Grams', value);
    case 'printHours':
      return item.number('Print Hours', value);
    case 'price':
      return item.wholeNumber('Price', value, 'Enter the price in minor units of the currency: 12.50 is 1250.');
    case 'quantityPieces':
      return item.wholeNumber('Quantity', value);
    case 'externalId':
      return readExternalId(item, value);
    case 'externalUpdatedAt':
      return item.timestamp('External Updated At', value);
    case 'workflowStatus':
      return toStatus(value);
    case 'printerId':
      return isEmptyLocator(value) ? null : item.toId('printer', 'Printer', value);
    default:
      return value === '' && CLEARED_WHEN_EMPTY.has(name) ? null : (value as string);
  }
}

/** An expression may return a number. */
export function readExternalId(item: Item, value: unknown): string {
  const isExact = typeof value === 'string' ? value.trim() !== '' : Number.isSafeInteger(value);
  if (isExact) return String(value).trim();
  if (typeof value !== 'number') throw item.fault('External ID', 'it is empty', 'Check what its expression returns.');
  throw item.fault(
    'External ID',
    `${value} is not exact`,
    'Numbers of more than 15 digits are rounded: give it as text.',
  );
}

function isEmptyLocator(value: unknown): boolean {
  const given = locatorValue(value);
  return given === '' || given === null || given === undefined;
}
