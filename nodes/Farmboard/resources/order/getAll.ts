import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, outputFields, sortField } from '../../shared/descriptions';
import { optional, printerLocator } from '../../shared/locators';
import { type Item, locatorValue, type Operation, toOutput } from '../../shared/operation';
import { WORKFLOW_STATUSES } from '../../shared/vocabulary';
import { ORDER } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('order', 'getAll'),
    ...fieldsOf(
      'order',
      ['getAll'],
      [
        ...outputFields(ORDER),
        collection('filters', 'Filters', 'Add filter', [
          {
            displayName: 'Due After',
            name: 'dueAfter',
            type: 'dateTime',
            typeOptions: { dateOnly: true },
            default: '',
            description: 'Only orders due after this day',
          },
          {
            displayName: 'Due Before',
            name: 'dueBefore',
            type: 'dateTime',
            typeOptions: { dateOnly: true },
            default: '',
            description: 'Only orders due before this day',
          },
          {
            displayName: 'Include Closed',
            name: 'includeClosed',
            type: 'boolean',
            default: false,
            description: 'Whether to include closed orders, which are left out by default',
          },
          { ...optional(printerLocator), description: 'Only orders assigned to this printer' },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only orders with all of these words in the model, the notes or the customer, or with this ID',
          },
          {
            displayName: 'Updated Since',
            name: 'updatedSince',
            type: 'dateTime',
            default: '',
            description:
              "Only orders changed at or after this time. A time without a zone is in the workflow's time zone.",
          },
          {
            displayName: 'Workflow Statuses',
            name: 'workflowStatus',
            type: 'multiOptions',
            options: WORKFLOW_STATUSES,
            default: [],
            description: 'Only orders in one of these statuses',
          },
        ]),
        collection('options', 'Options', 'Add option', [
          sortField([
            { name: 'Due Earliest First', value: 'due_date' },
            { name: 'Due Latest First', value: '-due_date' },
            { name: 'Least Recently Updated', value: 'updated_at' },
            { name: 'Most Recently Updated', value: '-updated_at' },
            { name: 'Newest First', value: '-created_at' },
            { name: 'Oldest First', value: 'created_at' },
          ]),
        ]),
      ],
    ),
  ],
  async run(item) {
    const orders = await item.list('/print-jobs', toQuery(item));
    return orders.map((order) => toOutput(item, order, ORDER));
  },
};

function toQuery(item: Item): IDataObject {
  const filters = item.options('filters');
  const { sort } = item.options('options');
  const query: IDataObject = {};
  if (filters.dueAfter) query.due_after = item.day('Due After', filters.dueAfter);
  if (filters.dueBefore) query.due_before = item.day('Due Before', filters.dueBefore);
  if (filters.includeClosed) query.include_closed = 'true';
  if (locatorValue(filters.printerId)) query.printer_id = item.toId('printer', 'Printer', filters.printerId);
  if (filters.q) query.q = filters.q;
  if (filters.updatedSince) query.updated_since = item.timestamp('Updated Since', filters.updatedSince);
  const statuses = item.statuses('Workflow Statuses', filters, 'workflowStatus');
  if (statuses.length > 0) query.workflow_status = statuses;
  if (sort) query.sort = sort;
  return query;
}
