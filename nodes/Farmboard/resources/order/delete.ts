import { BATCHING, collection, DRY_RUN, fieldsOf, IF_MATCH } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import { DELETED, isDryRun, type Operation, toIfMatch } from '../../shared/operation';
import { path } from '../../shared/transport';

export const deleteOrder: Operation = {
  fields: fieldsOf(
    'order',
    ['delete'],
    [orderLocator, collection('options', 'Options', 'Add option', [BATCHING, DRY_RUN, IF_MATCH])],
  ),
  async run(item) {
    const orderId = item.id('orderId', 'order', 'Order');
    const answer = await item.write('DELETE', path`/print-jobs/${orderId}`, undefined, {
      headers: toIfMatch(item.options('options')),
    });
    return isDryRun(answer.body) ? answer.body : { ...DELETED };
  },
};
