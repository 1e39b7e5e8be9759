import { fieldsOf, SIMPLIFY } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import { type Operation, simplify } from '../../shared/operation';
import { path } from '../../shared/transport';
import { SIMPLE_FILAMENT } from './fields';

export const get: Operation = {
  fields: fieldsOf('filament', ['get'], [filamentLocator, SIMPLIFY]),
  async run(item) {
    const { body } = await item.read(path`/filaments/${item.id('filamentId', 'filament', 'Filament')}`);
    return simplify(item, body, SIMPLE_FILAMENT);
  },
};
