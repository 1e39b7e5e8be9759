import type { Resource } from '../../shared/operation';
import { get } from './get';
import { getAll } from './getAll';

export const printer: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['printer'] } },
    options: [
      { name: 'Get', value: 'get', action: 'Get a printer', description: 'Retrieve a printer' },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many printers',
        description: 'Retrieve a list of printers, for example those in a farm group',
      },
    ],
    default: 'getAll',
  },
  operations: { get, getAll },
};
