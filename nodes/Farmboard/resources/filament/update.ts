import { BATCHING, byName, collection, DRY_RUN, fieldsOf, IF_MATCH, outputFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, toIfMatch, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { FILAMENT, FILAMENT_FIELDS, NAME, SPOOL_WEIGHT, toFilamentBody } from './fields';

export const update: Operation = {
  fields: fieldsOf(
    'filament',
    ['update'],
    [
      filamentLocator,
      ...outputFields(FILAMENT),
      collection('updateFields', 'Update Fields', 'Add field', byName([NAME, ...FILAMENT_FIELDS, SPOOL_WEIGHT])),
      collection('options', 'Options', 'Add option', [BATCHING, DRY_RUN, IF_MATCH]),
    ],
  ),
  async run(item) {
    const filamentId = item.id('filamentId', 'filament', 'Filament');
    const body = toFilamentBody(item, item.options('updateFields'));
    if (Object.keys(body).length === 0) {
      throw item.fault('Update Fields', 'there are none', 'Add at least one field to change.');
    }
    const headers = toIfMatch(item.options('options'));
    const answer = await item.write('PUT', path`/filaments/${filamentId}`, body, { headers });
    return toOutput(item, answer.body, FILAMENT);
  },
};
