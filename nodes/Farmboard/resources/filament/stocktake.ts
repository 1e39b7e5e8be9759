import type { IDataObject } from 'n8n-workflow';
import { BATCHING, collection, DRY_RUN, fieldsOf, idempotencyKey, outputFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { FILAMENT, NOTE } from './fields';

export const stocktake: Operation = {
  fields: fieldsOf(
    'filament',
    ['stocktake'],
    [
      filamentLocator,
      {
        displayName: 'Remaining Grams',
        name: 'remainingGrams',
        // n8n marks only empty text as missing; a number would start at 0
        type: 'string',
        required: true,
        default: '',
        placeholder: 'e.g. 817.5',
        description: 'Grams of filament found, without the weight of the spools',
      },
      ...outputFields(FILAMENT),
      collection('options', 'Options', 'Add option', [
        {
          displayName: 'Batch ID',
          name: 'batchId',
          type: 'string',
          default: '',
          placeholder: 'e.g. 0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70',
          description: 'The batch that was weighed, from Get Batches; without it, all batches were weighed together',
        },
        BATCHING,
        DRY_RUN,
        idempotencyKey('e.g. {{ $json.filament_id }}-{{ $json.weighed_at }}'),
        { ...NOTE, placeholder: 'e.g. weighed', description: 'The reason for the difference, for the ledger' },
      ]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const body: IDataObject = { remaining_grams: item.number('Remaining Grams', item.parameter('remainingGrams')) };
    const { batchId, idempotencyKey: key, note } = item.options('options');
    if (batchId !== undefined) body.batch_id = item.toId('batch', 'Batch ID', batchId);
    if (note) body.note = note;
    const request = path`/filaments/${filamentId}/stocktake`;
    const answer = await item.write('POST', request, body, { idempotencyKey: key as string | undefined });
    return toOutput(item, answer.body, FILAMENT);
  },
};
