import { collection, fieldsOf, IDEMPOTENCY_KEY } from '../../shared/descriptions';
import type { Operation } from '../../shared/operation';
import { MODEL_NAME, ORDER_FIELDS, toOrderBody, WORKFLOW_STATUS } from './fields';

export const create: Operation = {
  fields: fieldsOf(
    'order',
    ['create'],
    [
      { ...MODEL_NAME, required: true },
      collection('additionalFields', 'Additional Fields', 'Add field', [
        ...ORDER_FIELDS,
        { ...WORKFLOW_STATUS, default: 'negotiation' },
      ]),
      collection('options', 'Options', 'Add option', [IDEMPOTENCY_KEY]),
    ],
  ),
  async run(item) {
    const body = {
      model_name: item.parameter<string>('modelName'),
      ...toOrderBody(item, item.options('additionalFields')),
    };
    const { idempotencyKey } = item.options('options') as { idempotencyKey?: string };
    return (await item.write('POST', '/print-jobs', body, { idempotencyKey })).body;
  },
};
