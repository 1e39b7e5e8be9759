import type { Resource } from '../../shared/operation';
import { create } from './create';
import { createOrUpdate } from './createOrUpdate';
import { deleteOrder } from './delete';
import { get } from './get';
import { getAll } from './getAll';
import { getHistory } from './getHistory';
import { getLabel } from './getLabel';
import { setStatus } from './setStatus';
import { setStatusInBulk } from './setStatusInBulk';
import { update } from './update';

export const order: Resource = {
  operation: {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['order'] } },
    options: [
      { name: 'Create', value: 'create', action: 'Create an order', description: 'Add an order to the board' },
      {
        name: 'Create or Update',
        value: 'createOrUpdate',
        action: 'Create or update an order from a shop',
        description: 'Write an order by its ID in a shop or another system: exactly one, however often it is sent',
      },
      {
        name: 'Delete',
        value: 'delete',
        action: 'Delete an order for good',
        description: 'Delete an order and its history for good; to archive it instead, set its status to Closed',
      },
      {
        name: 'Get',
        value: 'get',
        action: 'Get an order',
        description: 'Retrieve an order, also by its scanned label',
      },
      {
        name: 'Get History',
        value: 'getHistory',
        action: 'Get the history of an order',
        description: 'Retrieve the status changes and filament used, newest first',
      },
      {
        name: 'Get Label',
        value: 'getLabel',
        action: 'Get the label of an order',
        description: 'Download the QR label as a picture, to print it or send it',
      },
      { name: 'Get Many', value: 'getAll', action: 'Get many orders', description: 'Retrieve a list of orders' },
      {
        name: 'Set Status',
        value: 'setStatus',
        action: 'Set the status of an order',
        description: 'Move an order to another column of the board',
      },
      {
        name: 'Set Status in Bulk',
        value: 'setStatusInBulk',
        action: 'Set the status of many orders',
        description: 'Move the orders of all items in one request; an order that is refused does not affect the others',
      },
      { name: 'Update', value: 'update', action: 'Update an order', description: 'Change the fields of an order' },
    ],
    default: 'get',
  },
  operations: {
    create,
    createOrUpdate,
    delete: deleteOrder,
    get,
    getAll,
    getHistory,
    getLabel,
    setStatus,
    setStatusInBulk,
    update,
  },
};
