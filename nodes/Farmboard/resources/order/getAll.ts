import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, outputFields, sortField } from '../../shared/descriptions';
import { readFilter } from '../../shared/list';
import { optional, printerLocator } from '../../shared/locators';
import { type Item, locatorValue, type Operation, toOutput, toSnake } from '../../shared/operation';
import { WORKFLOW_STATUSES } from '../../shared/vocabulary';
import { EXTERNAL_ID, ORDER, readExternalId, SOURCE } from './fields';

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
            displayName: 'Created Before',
            name: 'createdBefore',
            type: 'dateTime',
            default: '',
            description: "Only orders created before this time. A time without a zone is in the workflow's time zone.",
          },
          {
            displayName: 'Created Since',
            name: 'createdSince',
            type: 'dateTime',
            default: '',
            description:
              "Only orders created at or after this time. A time without a zone is in the workflow's time zone.",
          },
          {
            displayName: 'Customer Name',
            name: 'customerName',
            type: 'string',
            default: '',
            placeholder: 'e.g. Nathan Smith',
            description: 'Only orders of this customer, exactly as in the order',
          },
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
          { ...EXTERNAL_ID, description: 'Only the order with this ID in a shop or another system' },
          {
            displayName: 'IDs',
            name: 'id',
            type: 'string',
            default: '',
            placeholder: 'e.g. {{ $json.order_ids }}',
            description:
              'Only these orders, also closed ones: up to 100 IDs with commas between them; an expression may return a list',
          },
          {
            displayName: 'Include Closed',
            name: 'includeClosed',
            type: 'boolean',
            default: false,
            description: 'Whether to include closed orders, which are left out by default',
          },
          {
            displayName: 'Material Name',
            name: 'materialName',
            type: 'string',
            default: '',
            placeholder: 'e.g. PETG',
            description: 'Only orders in this material, exactly as in the order',
          },
          { ...optional(printerLocator), description: 'Only orders assigned to this printer' },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only orders with all of these words in the model, the notes or the customer, or with this ID',
          },
          { ...SOURCE, description: 'Only orders from this shop or other system' },
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
  for (const name of ['customerName', 'materialName', 'source'])
    if (filters[name]) query[toSnake(name)] = filters[name];
  if (filters.externalId) query.external_id = readExternalId(item, filters.externalId);
  const ids = readFilter(item.fault, 'IDs', filters, 'id').map((id) => item.toId('order', 'IDs', id));
  if (ids.length > 0) query.id = ids;
  if (filters.createdBefore) query.created_before = item.timestamp('Created Before', filters.createdBefore);
  if (filters.createdSince) query.created_since = item.timestamp('Created Since', filters.createdSince);
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
