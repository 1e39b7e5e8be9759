import { fieldsOf, listFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getLedger: Operation = {
  fields: [...fieldsOf('filament', ['getLedger'], [filamentLocator]), ...listFields('filament', 'getLedger')],
  async run(item) {
    return await item.list(path`/filaments/${item.id('filamentId', 'filament', 'Filament')}/ledger`);
  },
};
