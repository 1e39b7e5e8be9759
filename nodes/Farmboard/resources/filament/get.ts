import { collection, fieldsOf, INCLUDE_ETAG, outputFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { FILAMENT } from './fields';

export const get: Operation = {
  fields: fieldsOf(
    'filament',
    ['get'],
    [filamentLocator, ...outputFields(FILAMENT), collection('options', 'Options', 'Add option', [INCLUDE_ETAG])],
  ),
  async run(item) {
    const { body, headers } = await item.read(path`/filaments/${item.id('filamentId', 'filament', 'Filament')}`);
    const filament = toOutput(item, body, FILAMENT);
    return item.options('options').includeEtag ? { ...filament, etag: headers.etag } : filament;
  },
};
