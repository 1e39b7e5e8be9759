import type { Resource } from '../../shared/operation';
import { addBatch } from './addBatch';
import { consume } from './consume';
import { get } from './get';
import { getAll } from './getAll';

export const filament: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['filament'] } },
    options: [
      {
        name: 'Add Batch',
        value: 'addBatch',
        action: 'Add a batch to a filament',
        description: 'Add newly received spools to the stock',
      },
      {
        name: 'Consume',
        value: 'consume',
        action: 'Consume filament',
        description: 'Deduct grams from the stock, oldest batch first; nothing is deducted if there is not enough',
      },
      {
        name: 'Get',
        value: 'get',
        action: 'Get a filament',
        description: 'Retrieve a filament and its remaining grams',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many filaments',
        description: 'Retrieve a list of filaments, for example those low on stock',
      },
    ],
    default: 'getAll',
  },
  operations: { addBatch, consume, get, getAll },
};
