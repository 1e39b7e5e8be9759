import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, outputFields, sortField } from '../../shared/descriptions';
import { type Operation, toOutput } from '../../shared/operation';
import { FILAMENT } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('filament', 'getAll'),
    ...fieldsOf(
      'filament',
      ['getAll'],
      [
        ...outputFields(FILAMENT),
        collection('filters', 'Filters', 'Add filter', [
          {
            displayName: 'Low Stock',
            name: 'lowStock',
            type: 'boolean',
            default: true,
            description: 'Whether to return only filaments that are low on stock (on) or only those that are not (off)',
          },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only filaments with all of these words in the name, the brand or the type',
          },
        ]),
        collection('options', 'Options', 'Add option', [
          sortField([
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
    const { lowStock, q } = item.options('filters');
    const { sort } = item.options('options');
    const query: IDataObject = {};
    if (lowStock !== undefined) query.low_stock = String(lowStock);
    if (q) query.q = q;
    if (sort) query.sort = sort;
    const filaments = await item.list('/filaments', query);
    return filaments.map((filament) => toOutput(item, filament, FILAMENT));
  },
};
