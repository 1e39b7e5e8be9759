import {
  BATCHING,
  byName,
  collection,
  DRY_RUN,
  fieldsOf,
  idempotencyKey,
  outputFields,
} from '../../shared/descriptions';
import { type Operation, toOutput } from '../../shared/operation';
import {
  EXTERNAL_ID,
  EXTERNAL_UPDATED_AT,
  MODEL_NAME,
  ORDER,
  ORDER_FIELDS,
  SOURCE,
  toOrderBody,
  WORKFLOW_STATUS,
} from './fields';

export const create: Operation = {
  fields: fieldsOf(
    'order',
    ['create'],
    [
      { ...MODEL_NAME, required: true },
      ...outputFields(ORDER),
      collection(
        'additionalFields',
        'Additional Fields',
        'Add field',
        byName([
          ...ORDER_FIELDS,
          EXTERNAL_ID,
          EXTERNAL_UPDATED_AT,
          SOURCE,
          { ...WORKFLOW_STATUS, default: 'negotiation' },
        ]),
      ),
      collection('options', 'Options', 'Add option', [
        BATCHING,
        DRY_RUN,
        idempotencyKey('e.g. shop-{{ $json.order_number }}'),
      ]),
    ],
  ),
  async run(item) {
    const body = {
      model_name: item.text('modelName', 'Model Name'),
      ...toOrderBody(item, item.options('additionalFields')),
    };
    const { idempotencyKey: key } = item.options('options') as { idempotencyKey?: string };
    const answer = await item.write('POST', '/print-jobs', body, { idempotencyKey: key });
    return toOutput(item, answer.body, ORDER);
  },
};
