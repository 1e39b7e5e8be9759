import { collection, fieldsOf, INCLUDE_ETAG, outputFields } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { ORDER } from './fields';

export const get: Operation = {
  fields: fieldsOf(
    'order',
    ['get'],
    [orderLocator, ...outputFields(ORDER), collection('options', 'Options', 'Add option', [INCLUDE_ETAG])],
  ),
  async run(item) {
    const { body, headers } = await item.read(path`/print-jobs/${item.id('orderId', 'order', 'Order')}`);
    const order = toOutput(item, body, ORDER);
    return item.options('options').includeEtag ? { ...order, etag: headers.etag } : order;
  },
};
