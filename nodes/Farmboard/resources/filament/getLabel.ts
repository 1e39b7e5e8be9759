import { BINARY_FIELD, fieldsOf, LABEL_FORMAT, LABEL_TYPES } from '../../shared/descriptions';
import { filamentLocator } from '../../shared/locators';
import type { Operation } from '../../shared/operation';
import { path } from '../../shared/transport';

export const getLabel: Operation = {
  fields: fieldsOf('filament', ['getLabel'], [filamentLocator, LABEL_FORMAT, BINARY_FIELD]),
  async run(item) {
    const id = item.id('filamentId', 'filament', 'Filament');
    const format = item.parameter<string>('format');
    return await item.download(path`/filaments/${id}/label`, LABEL_TYPES[format] ?? 'image/png', { format });
  },
};
