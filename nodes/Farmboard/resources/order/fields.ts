import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optional, printerLocator } from '../../shared/locators';
import { type Item, locatorValue, toSnake, toThreePlaces } from '../../shared/operation';
import { WORKFLOW_STATUSES } from '../../shared/vocabulary';

/** The fields of a simplified order. */
export const SIMPLE_ORDER = [
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
] as const;

export const MODEL_NAME: INodeProperties = {
  displayName: 'Model Name',
  name: 'modelName',
  type: 'string',
  default: '',
  placeholder: 'e.g. Wall bracket',
  description: 'What is to be printed',
};

export const WORKFLOW_STATUS: INodeProperties = {
  displayName: 'Workflow Status',
  name: 'workflowStatus',
  type: 'options',
  options: WORKFLOW_STATUSES,
  default: 'assigned',
  description: 'The column of the board that the order is in',
};

export const PRINTER: INodeProperties = {
  ...optional(printerLocator),
  description: 'The printer that the order is assigned to; empty takes it off its printer',
};

export const ORDER_NOTES: INodeProperties = {
  displayName: 'Order Notes',
  name: 'orderNotes',
  type: 'string',
  typeOptions: { rows: 3 },
  default: '',
  description: 'Notes for the workshop; they replace what was there',
};

/** Every writable field of an order apart from its name and status. */
export const ORDER_FIELDS: INodeProperties[] = [
  {
    displayName: 'Color',
    name: 'colorHex',
    type: 'color',
    default: '#808080',
    description: 'Colour of the print, of the form #RRGGBB',
  },
  {
    displayName: 'Currency',
    name: 'currency',
    type: 'string',
    default: '',
    placeholder: 'e.g. EUR',
    description: 'Currency of the price, three capital letters (ISO 4217); empty clears it',
  },
  {
    displayName: 'Customer Contact',
    name: 'customerContact',
    type: 'string',
    default: '',
    placeholder: 'e.g. name@example.com',
    description: 'How to reach the customer; empty clears it',
  },
  {
    displayName: 'Customer Name',
    name: 'customerName',
    type: 'string',
    default: '',
    placeholder: 'e.g. Nathan Smith',
    description: 'Who ordered; empty clears it',
  },
  {
    displayName: 'Due Date',
    name: 'dueDate',
    type: 'dateTime',
    typeOptions: { dateOnly: true },
    default: '',
    description: 'The day by which the order is promised; a time after the date is ignored',
  },
  {
    displayName: 'Material Grams',
    name: 'materialGrams',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 3 },
    default: 0,
    description: 'Grams of material that the order needs, rounded to three decimals',
  },
  {
    displayName: 'Material Name',
    name: 'materialName',
    type: 'string',
    default: '',
    placeholder: 'e.g. PETG',
    description: 'What it is printed of',
  },
  ORDER_NOTES,
  {
    displayName: 'Price',
    name: 'price',
    type: 'number',
    typeOptions: { minValue: 0 },
    default: 0,
    description: 'Price in minor units of the currency: 1250 is 12.50',
  },
  {
    displayName: 'Print Hours',
    name: 'printHours',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 3 },
    default: 0,
    description: 'Hours that the print takes, rounded to three decimals',
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

const CLEARED_WHEN_EMPTY = new Set(['currency', 'customerContact', 'customerName']);

/** The request body for a collection of order fields. */
export function toOrderBody(item: Item, fields: IDataObject): IDataObject {
  const body: IDataObject = {};
  for (const [name, value] of Object.entries(fields)) body[toSnake(name)] = toWire(item, name, value);
  return body;
}

function toWire(item: Item, name: string, value: unknown): IDataObject[string] {
  switch (name) {
    case 'dueDate':
      return item.day('Due Date', value);
    case 'materialGrams':
      return toThreePlaces(item.number('Material Grams', value));
    case 'printHours':
      return toThreePlaces(item.number('Print Hours', value));
    case 'price':
      return item.number('Price', value);
    case 'quantityPieces':
      return item.number('Quantity', value);
    case 'printerId':
      return isEmptyLocator(value) ? null : item.toId('printer', 'Printer', value);
    default:
      return value === '' && CLEARED_WHEN_EMPTY.has(name) ? null : (value as string);
  }
}

function isEmptyLocator(value: unknown): boolean {
  const given = locatorValue(value);
  return given === '' || given === null || given === undefined;
}
