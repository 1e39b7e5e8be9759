import { BINARY_FIELD, fieldsOf, LABEL_FORMAT, LABEL_TYPES } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getLabel: Operation = {
  fields: fieldsOf('order', ['getLabel'], [orderLocator, LABEL_FORMAT, BINARY_FIELD]),
  async run(item) {
    const id = item.id('orderId', 'order', 'Order');
    const format = item.parameter<string>('format');
    return await item.download(path`/print-jobs/${id}/label`, LABEL_TYPES[format] ?? 'image/png', { format });
  },
};
