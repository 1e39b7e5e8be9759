import type { Resource } from '../../shared/operation';
import { get } from './get';
import { getAll } from './getAll';

export const lead: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['lead'] } },
    options: [
      {
        name: 'Get',
        value: 'get',
        action: 'Get a lead',
        description: 'Retrieve a request sent through the public profile',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many leads',
        description: 'Retrieve a list of requests sent through the public profile',
      },
    ],
    default: 'getAll',
  },
  operations: { get, getAll },
};
