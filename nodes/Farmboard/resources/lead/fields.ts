import type { RecordFields } from '../../shared/operation';

export const LEAD: RecordFields = {
  all: [
    'id',
    'state',
    'description',
    'contact',
    'client_email',
    'budget',
    'deadline',
    'file',
    'order_id',
    'created_at',
    'updated_at',
  ],
  simplified: ['id', 'state', 'description', 'contact', 'client_email', 'budget', 'deadline', 'order_id', 'created_at'],
};
