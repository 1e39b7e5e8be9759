import type { RecordFields } from '../../shared/operation';

export const FILAMENT: RecordFields = {
  all: [
    'id',
    'name',
    'brand',
    'type_name',
    'colors',
    'is_gradient',
    'spool_weight_grams',
    'used_grams',
    'remaining_grams',
    'spool_count',
    'low_stock_threshold_grams',
    'is_low_stock',
    'needs_review',
    'spool_price_rub',
    'created_at',
    'updated_at',
  ],
  simplified: [
    'id',
    'name',
    'brand',
    'type_name',
    'colors',
    'remaining_grams',
    'low_stock_threshold_grams',
    'is_low_stock',
    'spool_price_rub',
  ],
};

export const BATCH: RecordFields = {
  all: [
    'id',
    'received_at',
    'spool_count',
    'used_grams',
    'remaining_grams',
    'spool_price_rub',
    'needs_review',
    'archived_at',
    'created_at',
  ],
  simplified: ['id', 'received_at', 'spool_count', 'remaining_grams', 'spool_price_rub'],
};
