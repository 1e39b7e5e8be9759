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
        description: 'Book spools that were received into the stock',
      },
      {
        name: 'Consume',
        value: 'consume',
        action: 'Consume filament',
        description: 'Take grams off the stock, oldest batch first; nothing is taken when there is not enough',
      },
      { name: 'Get', value: 'get', action: 'Get a filament', description: 'Read one filament and what is left of it' },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many filaments',
        description: 'Read a list of filaments, also only those that run low',
      },
    ],
    default: 'getAll',
  },
  operations: { addBatch, consume, get, getAll },
};
