import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toList } from '../../shared/list';
import { type Item, type RecordFields, toSnake } from '../../shared/operation';

export const FILAMENT: RecordFields = {
  all: [
    'id',
    'name',
    'brand',
    'type_name',
    'colors',
    'is_gradient',
    'spool_weight_grams',
    'used_grams',
    'remaining_grams',
    'spool_count',
    'low_stock_threshold_grams',
    'is_low_stock',
    'needs_review',
    'spool_price',
    'spool_price_currency',
    'spool_price_rub',
    'created_at',
    'updated_at',
  ],
  simplified: [
    'id',
    'name',
    'brand',
    'type_name',
    'colors',
    'remaining_grams',
    'low_stock_threshold_grams',
    'is_low_stock',
    'spool_price',
    'spool_price_currency',
  ],
};

export const BATCH: RecordFields = {
  all: [
    'id',
    'received_at',
    'spool_count',
    'used_grams',
    'remaining_grams',
    'spool_price',
    'spool_price_currency',
    'spool_price_rub',
    'needs_review',
    'archived_at',
    'created_at',
  ],
  simplified: ['id', 'received_at', 'spool_count', 'remaining_grams', 'spool_price', 'spool_price_currency'],
};

export const NAME: INodeProperties = {
  displayName: 'Name',
  name: 'name',
  type: 'string',
  default: '',
  placeholder: 'e.g. PETG black',
  description: 'The name of the filament',
};

export const SPOOL_WEIGHT: INodeProperties = {
  displayName: 'Spool Weight (Grams)',
  name: 'spoolWeightGrams',
  type: 'number',
  typeOptions: { minValue: 1, numberPrecision: 3 },
  default: 1000,
  description: 'Grams of filament on one spool. It can be corrected only until grams are deducted or counted.',
};

export const RECEIVED_AT: INodeProperties = {
  displayName: 'Received At',
  name: 'receivedAt',
  type: 'dateTime',
  default: '',
  description:
    "When the spools arrived; defaults to now. Older batches are used up first. A time without a zone is in the workflow's time zone.",
};

export const SPOOL_PRICE: INodeProperties = {
  displayName: 'Spool Price',
  name: 'spoolPrice',
  type: 'number',
  typeOptions: { minValue: 0, numberPrecision: 2 },
  default: 0,
  description: "Price of one spool in the account's currency, used to calculate the cost of prints",
};

export const NOTE: INodeProperties = {
  displayName: 'Note',
  name: 'note',
  type: 'string',
  default: '',
  description: 'A note for the ledger',
};

/** What describes a filament, except its name and spools. */
export const FILAMENT_FIELDS: INodeProperties[] = [
  {
    displayName: 'Brand',
    name: 'brand',
    type: 'string',
    default: '',
    placeholder: 'e.g. Prusament',
    description: 'The manufacturer',
  },
  {
    displayName: 'Colors',
    name: 'colors',
    type: 'color',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add color' },
    default: '#808080',
    description: 'Up to 16 colors in the form #RRGGBB; an expression may return several',
  },
  {
    displayName: 'Gradient',
    name: 'isGradient',
    type: 'boolean',
    default: true,
    description: 'Whether the colors flow into each other',
  },
  {
    displayName: 'Low Stock Threshold (Grams)',
    name: 'lowStockThresholdGrams',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 3 },
    default: 500,
    description: 'The filament is low when this or less is left; with 0, it is never low',
  },
  {
    displayName: 'Type',
    name: 'typeName',
    type: 'string',
    default: '',
    placeholder: 'e.g. PETG',
    description: 'The material type',
  },
];

/** The request body for a collection of filament fields. */
export function toFilamentBody(item: Item, fields: IDataObject): IDataObject {
  const body: IDataObject = {};
  for (const [name, value] of Object.entries(fields)) body[toSnake(name)] = toRequestValue(item, name, value);
  return body;
}

function toRequestValue(item: Item, name: string, value: unknown): IDataObject[string] {
  switch (name) {
    case 'colors':
      return toList(value);
    case 'lowStockThresholdGrams':
      return item.number('Low Stock Threshold (Grams)', value);
    case 'receivedAt':
      return item.timestamp('Received At', value);
    case 'spoolCount':
      return item.wholeNumber('Spool Count', value);
    case 'spoolPrice':
      return item.number('Spool Price', value);
    case 'spoolWeightGrams':
      return item.number('Spool Weight (Grams)', value);
    default:
      return value as IDataObject[string];
  }
}
