import { fieldsOf, outputFields } from '../../shared/descriptions';
import { printerLocator } from '../../shared/locators';
import { type Operation, toOutput } from '../../shared/operation';
import { path } from '../../shared/transport';
import { PRINTER_RECORD } from './fields';

export const get: Operation = {
  fields: fieldsOf('printer', ['get'], [printerLocator, ...outputFields(PRINTER_RECORD)]),
  async run(item) {
    const { body } = await item.read(path`/printers/${item.id('printerId', 'printer', 'Printer')}`);
    return toOutput(item, body, PRINTER_RECORD);
  },
};
