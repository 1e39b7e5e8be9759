import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, SIMPLIFY, sortField } from '../../shared/descriptions';
import { optional, printerLocator } from '../../shared/locators';
import { type Item, locatorValue, type Operation, simplify } from '../../shared/operation';
import { WORKFLOW_STATUSES } from '../../shared/vocabulary';
import { SIMPLE_ORDER } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('order', 'getAll'),
    ...fieldsOf(
      'order',
      ['getAll'],
      [
        SIMPLIFY,
        collection('filters', 'Filters', 'Add filter', [
          {
            displayName: 'Due After',
            name: 'dueAfter',
            type: 'dateTime',
            typeOptions: { dateOnly: true },
            default: '',
            description: 'Only orders that are due later than this day',
          },
          {
            displayName: 'Due Before',
            name: 'dueBefore',
            type: 'dateTime',
            typeOptions: { dateOnly: true },
            default: '',
            description: 'Only orders that are due earlier than this day',
          },
          {
            displayName: 'Include Closed',
            name: 'includeClosed',
            type: 'boolean',
            default: false,
            description: 'Whether to return archived orders too, which are hidden otherwise',
          },
          { ...optional(printerLocator), description: 'Only orders that are assigned to this printer' },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only orders with this text in the model, the notes or the customer',
          },
          {
            displayName: 'Updated Since',
            name: 'updatedSince',
            type: 'dateTime',
            default: '',
            description:
              'Only orders that were changed at this time or later: what to reconcile after missed events. A time without a zone is of the time zone of the workflow.',
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
            { name: 'Newest First', value: '-created_at' },
            { name: 'Oldest First', value: 'created_at' },
            { name: 'Updated First', value: 'updated_at' },
            { name: 'Updated Last', value: '-updated_at' },
          ]),
        ]),
      ],
    ),
  ],
  async run(item) {
    const orders = await item.list('/print-jobs', toQuery(item));
    return orders.map((order) => simplify(item, order, SIMPLE_ORDER));
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
  // an expression may give one as plain text
  const statuses = [filters.workflowStatus ?? []].flat();
  if (statuses.length > 0) query.workflow_status = statuses;
  if (sort) query.sort = sort;
  return query;
}
