import { fieldsOf, listFields } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getHistory: Operation = {
  fields: [...fieldsOf('order', ['getHistory'], [orderLocator]), ...listFields('order', 'getHistory')],
  async run(item) {
    return await item.list(path`/print-jobs/${item.id('orderId', 'order', 'Order')}/history`);
  },
};
