import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, outputFields, sortField } from '../../shared/descriptions';
import { type Operation, toOutput } from '../../shared/operation';
import { PRINTER_RECORD } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('printer', 'getAll'),
    ...fieldsOf(
      'printer',
      ['getAll'],
      [
        ...outputFields(PRINTER_RECORD),
        collection('filters', 'Filters', 'Add filter', [
          {
            displayName: 'Farm Group Name or ID',
            name: 'groupId',
            type: 'options',
            typeOptions: { loadOptionsMethod: 'getPrinterGroups' },
            default: '',
            description:
              'Only printers in this farm group. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
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
    const { groupId } = item.options('filters');
    const { sort } = item.options('options');
    const query: IDataObject = {};
    if (groupId) query.group_id = item.toId('printer group', 'Farm Group', groupId);
    if (sort) query.sort = sort;
    const printers = await item.list('/printers', query);
    return printers.map((printer) => toOutput(item, printer, PRINTER_RECORD));
  },
};
