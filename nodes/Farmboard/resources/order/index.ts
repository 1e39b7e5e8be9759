import type { Resource } from '../../shared/operation';
import { create } from './create';
import { deleteOrder } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { getHistory } from './getHistory';
import { setStatus } from './setStatus';
import { update } from './update';

export const order: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['order'] } },
    options: [
      { name: 'Create', value: 'create', action: 'Create an order', description: 'Add a new order to the board' },
      {
        name: 'Delete',
        value: 'delete',
        action: 'Delete an order',
        description: 'Remove an order and its history for good; to archive it instead, set the status Closed',
      },
      { name: 'Get', value: 'get', action: 'Get an order', description: 'Read one order, also by its scanned label' },
      {
        name: 'Get History',
        value: 'getHistory',
        action: 'Get history of an order',
        description: 'Read the status changes and the filament used, newest first',
      },
      { name: 'Get Many', value: 'getAll', action: 'Get many orders', description: 'Read a list of orders' },
      {
        name: 'Set Status',
        value: 'setStatus',
        action: 'Set status of an order',
        description: 'Move an order to another column of the board',
      },
      { name: 'Update', value: 'update', action: 'Update an order', description: 'Change fields of an order' },
    ],
    default: 'get',
  },
  operations: { create, delete: deleteOrder, get, getAll, getHistory, setStatus, update },
};
