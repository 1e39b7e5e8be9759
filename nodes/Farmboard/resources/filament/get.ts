import { fieldsOf, outputFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { FILAMENT } from './fields';

export const get: Operation = {
  fields: fieldsOf('filament', ['get'], [filamentLocator, ...outputFields(FILAMENT)]),
  async run(item) {
    const { body } = await item.read(path`/filaments/${item.id('filamentId', 'filament', 'Filament')}`);
    return toOutput(item, body, FILAMENT);
  },
};
