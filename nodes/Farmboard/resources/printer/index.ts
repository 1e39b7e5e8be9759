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
      { name: 'Get', value: 'get', action: 'Get a printer', description: 'Read one printer' },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many printers',
        description: 'Read a list of printers, also of one farm group',
      },
    ],
    default: 'getAll',
  },
  operations: { get, getAll },
};
