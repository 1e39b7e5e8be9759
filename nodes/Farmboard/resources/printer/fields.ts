import type { RecordFields } from '../../shared/operation';

export const PRINTER_RECORD: RecordFields = {
  all: [
    'id',
    'name',
    'internal_name',
    'model',
    'technology',
    'group_id',
    'group_name',
    'is_favorite',
    'sort_order',
    'created_at',
    'updated_at',
  ],
  simplified: ['id', 'name', 'internal_name', 'model', 'technology', 'group_id', 'group_name', 'is_favorite'],
};
