import type { IDataObject } from 'n8n-workflow';
import { BATCHING, collection, DRY_RUN, fieldsOf, idempotencyKey, outputFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { BATCH, RECEIVED_AT, SPOOL_PRICE } from './fields';

export const addBatch: Operation = {
  fields: fieldsOf(
    'filament',
    ['addBatch'],
    [
      filamentLocator,
      {
        displayName: 'Spool Count',
        name: 'spoolCount',
        type: 'number',
        typeOptions: { minValue: 1 },
        default: 1,
        required: true,
        description: 'How many spools arrived',
      },
      ...outputFields(BATCH),
      collection('additionalFields', 'Additional Fields', 'Add field', [RECEIVED_AT, SPOOL_PRICE]),
      collection('options', 'Options', 'Add option', [
        BATCHING,
        DRY_RUN,
        idempotencyKey('e.g. {{ $json.delivery_note }}-{{ $json.line }}'),
      ]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const { receivedAt, spoolPrice } = item.options('additionalFields');
    const { idempotencyKey: key } = item.options('options') as { idempotencyKey?: string };
    const body: IDataObject = { spool_count: item.wholeNumber('Spool Count', item.parameter('spoolCount')) };
    if (receivedAt) body.received_at = item.timestamp('Received At', receivedAt);
    if (spoolPrice !== undefined) body.spool_price = item.number('Spool Price', spoolPrice);
    const answer = await item.write('POST', path`/filaments/${filamentId}/batches`, body, { idempotencyKey: key });
    return toOutput(item, answer.body, BATCH);
  },
};
