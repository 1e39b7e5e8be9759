import type { Resource } from '../../shared/operation';
import { get } from './get';
import { getAll } from './getAll';
import { getPdf } from './getPdf';

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
      {
        name: 'Get PDF',
        value: 'getPdf',
        action: 'Get the PDF of an invoice',
        description: 'Download an issued invoice as the customer gets it; a draft has no PDF',
      },
    ],
    default: 'getAll',
  },
  operations: { get, getAll, getPdf },
};
