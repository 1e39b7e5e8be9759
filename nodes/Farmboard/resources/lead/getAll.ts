import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, outputFields, sortField } from '../../shared/descriptions';
import { optional, orderLocator } from '../../shared/locators';
import { locatorValue, type Operation, toOutput } from '../../shared/operation';
import { LEAD } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('lead', 'getAll'),
    ...fieldsOf(
      'lead',
      ['getAll'],
      [
        ...outputFields(LEAD),
        collection('filters', 'Filters', 'Add filter', [
          { ...optional(orderLocator), description: 'Only the lead this order was created from' },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only leads that contain this text in any field',
          },
          {
            displayName: 'State',
            name: 'state',
            type: 'options',
            options: [
              { name: 'Answered', value: 'answered' },
              { name: 'Archived', value: 'archived' },
              { name: 'New', value: 'new' },
            ],
            default: 'new',
            description: 'Only leads in this state',
          },
        ]),
        collection('options', 'Options', 'Add option', [
          sortField([
            { name: 'Newest First', value: '-created_at' },
            { name: 'Oldest First', value: 'created_at' },
          ]),
        ]),
      ],
    ),
  ],
  async run(item) {
    const { orderId, q, state } = item.options('filters');
    const { sort } = item.options('options');
    const query: IDataObject = {};
    if (locatorValue(orderId)) query.order_id = item.toId('order', 'Order', orderId);
    if (q) query.q = q;
    if (state) query.state = state;
    if (sort) query.sort = sort;
    const leads = await item.list('/leads', query);
    return leads.map((lead) => toOutput(item, lead, LEAD));
  },
};
