/** The fields of a simplified printer. */
export const SIMPLE_PRINTER = [
  'id',
  'name',
  'internal_name',
  'model',
  'technology',
  'group_id',
  'group_name',
  'is_favorite',
] as const;
