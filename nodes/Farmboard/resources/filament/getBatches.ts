import { fieldsOf, listFields } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getBatches: Operation = {
  fields: [...fieldsOf('filament', ['getBatches'], [filamentLocator]), ...listFields('filament', 'getBatches')],
  async run(item) {
    return await item.list(path`/filaments/${item.id('filamentId', 'filament', 'Filament')}/batches`);
  },
};
