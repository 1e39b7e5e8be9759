import type { IDataObject } from 'n8n-workflow';
import { collection, fieldsOf, listFields, SIMPLIFY, sortField } from '../../shared/descriptions';
import { type Operation, simplify } from '../../shared/operation';
import { SIMPLE_FILAMENT } from './fields';

export const getAll: Operation = {
  fields: [
    ...listFields('filament', 'getAll'),
    ...fieldsOf(
      'filament',
      ['getAll'],
      [
        SIMPLIFY,
        collection('filters', 'Filters', 'Add filter', [
          {
            displayName: 'Low Stock',
            name: 'lowStock',
            type: 'boolean',
            default: true,
            description: 'Whether to return only filaments at or below their threshold, or only the others',
          },
          {
            displayName: 'Search',
            name: 'q',
            type: 'string',
            default: '',
            description: 'Only filaments with this text in the name, the brand or the type',
          },
        ]),
        collection('options', 'Options', 'Add option', [
          sortField([
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
    const { lowStock, q } = item.options('filters');
    const { sort } = item.options('options');
    const query: IDataObject = {};
    if (lowStock !== undefined) query.low_stock = String(lowStock);
    if (q) query.q = q;
    if (sort) query.sort = sort;
    const filaments = await item.list('/filaments', query);
    return filaments.map((filament) => simplify(item, filament, SIMPLE_FILAMENT));
  },
};
