import { BATCHING, byName, collection, DRY_RUN, fieldsOf, IF_MATCH, outputFields } from '../../shared/descriptions';
import { orderLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { MODEL_NAME, ORDER, ORDER_FIELDS, toOrderBody, WORKFLOW_STATUS } from './fields';
import { putOrder } from './put-order';

export const update: Operation = {
  fields: fieldsOf(
    'order',
    ['update'],
    [
      orderLocator,
      ...outputFields(ORDER),
      collection('updateFields', 'Update Fields', 'Add field', byName([MODEL_NAME, ...ORDER_FIELDS, WORKFLOW_STATUS])),
      collection('options', 'Options', 'Add option', [BATCHING, DRY_RUN, IF_MATCH]),
    ],
  ),
  async run(item) {
    const body = toOrderBody(item, item.options('updateFields'));
    if (Object.keys(body).length === 0) {
      throw item.fault('Update Fields', 'there are none', 'Add at least one field to change.');
    }
    return await putOrder(item, body);
  },
};
