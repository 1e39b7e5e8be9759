import type { INodeProperties } from 'n8n-workflow';
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
import { FILAMENT, FILAMENT_FIELDS, NAME, RECEIVED_AT, SPOOL_PRICE, SPOOL_WEIGHT, toFilamentBody } from './fields';

const SPOOL_COUNT: INodeProperties = {
  displayName: 'Spool Count',
  name: 'spoolCount',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 1,
  description: 'How many spools there are; they become the first batch',
};

export const create: Operation = {
  fields: fieldsOf(
    'filament',
    ['create'],
    [
      { ...NAME, required: true },
      ...outputFields(FILAMENT),
      collection(
        'additionalFields',
        'Additional Fields',
        'Add field',
        byName([...FILAMENT_FIELDS, RECEIVED_AT, SPOOL_COUNT, SPOOL_PRICE, SPOOL_WEIGHT]),
      ),
      collection('options', 'Options', 'Add option', [BATCHING, DRY_RUN, idempotencyKey('e.g. {{ $json.sku }}')]),
    ],
  ),
  async run(item) {
    const body = { name: item.text('name', 'Name'), ...toFilamentBody(item, item.options('additionalFields')) };
    const { idempotencyKey: key } = item.options('options') as { idempotencyKey?: string };
    const answer = await item.write('POST', '/filaments', body, { idempotencyKey: key });
    return toOutput(item, answer.body, FILAMENT);
  },
};
