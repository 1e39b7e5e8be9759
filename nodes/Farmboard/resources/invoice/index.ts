import type { Resource } from '../../shared/operation';
import { get } from './get';
import { getAll } from './getAll';

export const invoice: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['invoice'] } },
    options: [
      {
        name: 'Get',
        value: 'get',
        action: 'Get an invoice',
        description: 'Retrieve an invoice with its lines and payments',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many invoices',
        description: 'Retrieve a list of invoices, for example those not paid yet',
      },
    ],
    default: 'getAll',
  },
  operations: { get, getAll },
};
