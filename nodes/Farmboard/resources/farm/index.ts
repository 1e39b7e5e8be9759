import type { Resource } from '../../shared/operation';
import { getSummary } from './getSummary';

export const farm: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['farm'] } },
    options: [
      {
        name: 'Get Summary',
        value: 'getSummary',
        action: 'Get a summary of the farm',
        description: 'Count the orders by status, those due or overdue, the printers and the filaments low on stock',
      },
    ],
    default: 'getSummary',
  },
  operations: { getSummary },
};
