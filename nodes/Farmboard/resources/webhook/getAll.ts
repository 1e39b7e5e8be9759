import { listFields } from '../../shared/descriptions';
import type { Operation } from '../../shared/operation';

export const getAll: Operation = {
  fields: listFields('webhook', 'getAll'),
  async run(item) {
    return await item.list('/webhook-subscriptions');
  },
};
