import type { Resource } from '../../shared/operation';
import { getAll } from './getAll';

export const event: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['event'] } },
    options: [
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many events',
        description: 'Retrieve past events, for example those missed while n8n was down',
      },
    ],
    default: 'getAll',
  },
  operations: { getAll },
};
