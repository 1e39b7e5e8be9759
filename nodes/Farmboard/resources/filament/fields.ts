/** The fields of a simplified filament. */
export const SIMPLE_FILAMENT = [
  'id',
  'name',
  'brand',
  'type_name',
  'colors',
  'remaining_grams',
  'low_stock_threshold_grams',
  'is_low_stock',
  'spool_price_rub',
] as const;
