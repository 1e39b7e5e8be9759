import { BATCHING, collection, DRY_RUN, fieldsOf, outputFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { FILAMENT, NOTE } from './fields';

export const undo: Operation = {
  fields: fieldsOf(
    'filament',
    ['undo'],
    [
      filamentLocator,
      {
        displayName: 'Ledger Entry ID',
        name: 'entryId',
        type: 'string',
        required: true,
        default: '',
        placeholder: 'e.g. 0198c2f4-5d3b-7cc2-a3f1-9b2d6a1e4c70',
        description: 'The entry to reverse, from Get Ledger; entries made together with it are reversed, too',
      },
      ...outputFields(FILAMENT),
      collection('options', 'Options', 'Add option', [
        BATCHING,
        DRY_RUN,
        { ...NOTE, placeholder: 'e.g. deducted from the wrong filament' },
      ]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const entryId = item.toId('ledger entry', 'Ledger Entry ID', item.parameter('entryId'));
    const { note } = item.options('options');
    // n8n doesn't send an empty object
    const body = { note: note || null };
    const answer = await item.write('POST', path`/filaments/${filamentId}/ledger/${entryId}/undo`, body);
    const filament = toOutput(item, answer.body, FILAMENT);
    // only if a stocktake counted the stock that this changes
    const countedAt = answer.headers['x-svc-older-than-stocktake'];
    return countedAt === undefined ? filament : { ...filament, older_than_stocktake: countedAt };
  },
};
