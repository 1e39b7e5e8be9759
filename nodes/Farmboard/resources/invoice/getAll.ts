import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, outputFields, sortField } from '../../shared/descriptions';
import { optional, orderLocator } from '../../shared/locators';
import { locatorValue, type Operation, toOutput } from '../../shared/operation';
import { LISTED_INVOICE } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('invoice', 'getAll'),
    ...fieldsOf(
      'invoice',
      ['getAll'],
      [
        ...outputFields(LISTED_INVOICE),
        collection('filters', 'Filters', 'Add filter', [
          { ...optional(orderLocator), description: 'Only invoices for this order' },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only invoices with all of these words in the number, the customer or the note',
          },
          {
            displayName: 'Status',
            name: 'status',
            type: 'options',
            options: [
              { name: 'Draft', value: 'draft' },
              { name: 'Issued', value: 'issued', description: 'Issued and not paid yet' },
              { name: 'Needs Review', value: 'review', description: 'With a payment that needs a review' },
              { name: 'Paid', value: 'paid' },
              { name: 'Void', value: 'void' },
            ],
            default: 'issued',
            description: 'Only invoices with this status',
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
    const { orderId, q, status } = item.options('filters');
    const { sort } = item.options('options');
    const query: IDataObject = {};
    if (locatorValue(orderId)) query.order_id = item.toId('order', 'Order', orderId);
    if (q) query.q = q;
    if (status) query.status = status;
    if (sort) query.sort = sort;
    const invoices = await item.list('/invoices', query);
    return invoices.map((invoice) => toOutput(item, invoice, LISTED_INVOICE));
  },
};
