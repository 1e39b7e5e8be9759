import { collection, fieldsOf, SIMPLIFY } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import { type Operation, simplify } from '../../shared/operation';
import { path } from '../../shared/transport';
import { SIMPLE_ORDER } from './fields';

export const get: Operation = {
  fields: fieldsOf(
    'order',
    ['get'],
    [
      orderLocator,
      SIMPLIFY,
      collection('options', 'Options', 'Add option', [
        {
          displayName: 'Include ETag',
          name: 'includeEtag',
          type: 'boolean',
          default: false,
          description: 'Whether to add the ETag of this version, for the option If Match of a later write',
        },
      ]),
    ],
  ),
  async run(item) {
    const { body, headers } = await item.read(path`/print-jobs/${item.id('orderId', 'order', 'Order')}`);
    const order = simplify(item, body, SIMPLE_ORDER);
    return item.options('options').includeEtag ? { ...order, etag: headers.etag } : order;
  },
};
